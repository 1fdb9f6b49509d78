// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Keeps spills in chunks of heap, up to a limit. Freed chunks are used again: the first touch of a
 * page costs about ten times a warm copy. Thread-safe.
 */
public final class HeapSpillStore implements SpillStore {
    /** Below half a G1 region of the smallest heaps, so that chunks are ordinary objects. */
    private static final int CHUNK = 256 << 10;

    private final String name;
    private final long limit;
    private final ArrayDeque<byte[]> free = new ArrayDeque<>();
    private long used;
    private boolean closed;

    /**
     * Creates a store that allocates nothing yet.
     *
     * @param limitBytes the most bytes of spills; whole chunks of 256 KiB count
     */
    public HeapSpillStore(final long limitBytes) {
        this("memory", limitBytes);
    }

    /** Creates a store with a name of its own. */
    public HeapSpillStore(final String name, final long limitBytes) {
        if (limitBytes < 0) {
            throw new IllegalArgumentException("limitBytes=" + limitBytes + ", expected >= 0");
        }
        this.name = Objects.requireNonNull(name);
        this.limit = limitBytes;
    }

    @Override
    public String name() {
        return name;
    }

    /** The bytes of chunks that spills hold. */
    public synchronized long usedBytes() {
        return used;
    }

    @Override
    public SpillSink create(final String spill, final long expectedBytes) throws IOException {
        requireRoom(spill, expectedBytes);
        return new Sink(spill);
    }

    private synchronized void requireRoom(final String spill, final long bytes) throws IOException {
        if (closed) {
            throw new IOException("The store " + name + " is closed");
        }
        if (bytes > limit - used) {
            throw full(spill, bytes);
        }
    }

    private StoreFullException full(final String spill, final long bytes) {
        return new StoreFullException(
                "spill="
                        + spill
                        + " bytes="
                        + bytes
                        + ", expected to fit store="
                        + name
                        + " limit="
                        + limit
                        + " used="
                        + used);
    }

    private synchronized byte[] take(final String spill) throws IOException {
        requireRoom(spill, CHUNK);
        used += CHUNK;
        final byte[] chunk = free.poll();
        return chunk == null ? new byte[CHUNK] : chunk;
    }

    private synchronized void giveBack(final List<byte[]> chunks) {
        used -= (long) CHUNK * chunks.size();
        if (!closed) {
            free.addAll(chunks);
        }
        chunks.clear();
    }

    @Override
    public synchronized void close() {
        closed = true;
        free.clear();
    }

    private final class Sink extends SpillSink {
        private final String spill;
        private final List<byte[]> chunks = new ArrayList<>();
        private long position;
        private boolean ended;

        Sink(final String spill) {
            super();
            this.spill = spill;
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length)
                throws IOException {
            if (ended) {
                throw new IOException("spill=" + spill + " has ended");
            }
            Objects.checkFromIndexSize(offset, length, bytes.length);
            while ((long) CHUNK * chunks.size() < position + length) {
                chunks.add(take(spill));
            }
            int from = offset;
            int left = length;
            while (left > 0) {
                final int at = (int) (position % CHUNK);
                final int piece = Math.min(left, CHUNK - at);
                System.arraycopy(bytes, from, chunks.get((int) (position / CHUNK)), at, piece);
                position += piece;
                from += piece;
                left -= piece;
            }
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public InputStream readBack() {
            return new HeapSpillInputStream(chunks, CHUNK, 0, position);
        }

        @Override
        public Spill commit() throws IOException {
            if (ended) {
                throw new IOException("spill=" + spill + " has ended");
            }
            ended = true;
            return new HeapSpill(chunks, position);
        }

        @Override
        public void abort() {
            if (!ended) {
                ended = true;
                giveBack(chunks);
            }
        }
    }

    private final class HeapSpill implements Spill {
        private final List<byte[]> chunks;
        private final long length;
        private boolean deleted;

        HeapSpill(final List<byte[]> chunks, final long length) {
            this.chunks = chunks;
            this.length = length;
        }

        @Override
        public String store() {
            return name;
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public InputStream open(final long offset, final long count) throws IOException {
            Objects.checkFromIndexSize(offset, count, length);
            synchronized (HeapSpillStore.this) {
                if (deleted) {
                    throw new IOException("The spill was deleted from store " + name);
                }
                return new HeapSpillInputStream(List.copyOf(chunks), CHUNK, offset, count);
            }
        }

        @Override
        public Optional<Path> file() {
            return Optional.empty();
        }

        @Override
        public void delete() {
            synchronized (HeapSpillStore.this) {
                if (!deleted) {
                    deleted = true;
                    giveBack(chunks);
                }
            }
        }
    }
}
