// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import io.spillway.conf.TierName;
import io.spillway.conf.WireTier;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;

/** Map outputs of random bytes in files, and how many of their segments are open. */
public final class TestSegments implements SegmentSource, AutoCloseable {
    /** The job that every map output belongs to. */
    public static final String JOB = "job_1700000000000_0001";

    private final Path directory;
    private final Map<String, Output> outputs = new ConcurrentHashMap<>();
    private final Map<String, SegmentPlaces> places = new ConcurrentHashMap<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger askedForCached = new AtomicInteger();
    private final AtomicInteger sent = new AtomicInteger();
    private volatile boolean cached;
    private volatile boolean inFiles = true;
    private volatile long failAt = Long.MAX_VALUE;

    /** Creates a source without map outputs. */
    public TestSegments(final Path directory) {
        this.directory = directory;
    }

    /** The id of the map attempt with this number. */
    public static String attempt(final int map) {
        return String.format("attempt_1700000000000_0001_m_%06d_0", map);
    }

    /** Adds the output of a map, with one partition for each length. */
    public void add(final int map, final int... lengths) {
        add(attempt(map), lengths);
    }

    /** Adds an output, with one partition for each length. */
    public void add(final String name, final int... lengths) {
        final byte[] bytes = new byte[Arrays.stream(lengths).sum()];
        new Random(name.hashCode()).nextBytes(bytes);
        try {
            final Path file = Files.write(directory.resolve(name), bytes);
            outputs.put(name, new Output(file, bytes, lengths));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Other nodes have the output of a map. */
    public void moveTo(final int map, final SegmentPlace... others) {
        places.put(attempt(map), new SegmentPlaces(List.of(others)));
    }

    /** What a segment holds. */
    public byte[] bytes(final SegmentId segment) {
        final Output output = outputs.get(segment.output());
        final int start = output.start(segment.partition());
        return Arrays.copyOfRange(output.bytes, start, start + output.lengths[segment.partition()]);
    }

    /** Cuts the file of a map output without a sign to its server. */
    public void truncate(final int map, final long length) {
        try (FileChannel file =
                FileChannel.open(outputs.get(attempt(map)).path, StandardOpenOption.WRITE)) {
            file.truncate(length);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Turns a bit of the file of a map output without a sign to its server. */
    public void damage(final int map, final int position) {
        final Output output = outputs.get(attempt(map));
        final byte turned = (byte) (output.bytes[position] ^ 1);
        try (FileChannel file = FileChannel.open(output.path, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {turned}), position);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is said of a piece of a segment. */
    public FetchReply reply(final SegmentId segment, final int offset, final int length) {
        final byte[] bytes = bytes(segment);
        return new FetchReply(
                bytes.length,
                bytes.length * 2L,
                1,
                length,
                crcOf(bytes, offset, length),
                WireTier.MEMORY.code(),
                recordsOf(bytes.length));
    }

    /** Known of every other segment, about. */
    private static long recordsOf(final int length) {
        return length % 3 == 1 ? FetchReply.UNKNOWN_RECORDS : length / 3;
    }

    private static long crcOf(final byte[] bytes, final int offset, final int length) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return crc.getValue();
    }

    /** Serves every other piece from memory from now on, cut into several buffers. */
    public void cache() {
        cached = true;
    }

    /** Serves bytes that lie in no file from now on. */
    public void withoutFiles() {
        inFiles = false;
    }

    /** Fails each read that comes to this byte of a segment, when it has brought those before. */
    public void failReadsAt(final long offset) {
        failAt = offset;
    }

    /** How often a server has asked for a piece in memory. */
    public int askedForCached() {
        return askedForCached.get();
    }

    /** The pieces in memory that were sent. */
    public int cachedSent() {
        return sent.get();
    }

    /** The segments, and pieces in memory, that were opened and not closed yet. */
    public int openSegments() {
        return open.get();
    }

    @Override
    public SegmentAnswer open(final String jobId, final SegmentId segment) throws FetchException {
        if (!jobId.equals(JOB)) {
            throw new FetchException(
                    FetchException.Reason.UNAUTHORIZED,
                    "jobId=" + jobId + ", expected " + JOB + " of " + segment.output());
        }
        final SegmentPlaces known = places.get(segment.output());
        if (known != null) {
            return known;
        }
        final Output output = outputs.get(segment.output());
        if (output == null) {
            throw new FetchException(
                    FetchException.Reason.NOT_FOUND, segment.output() + " is not here");
        }
        if (segment.partition() >= output.lengths.length) {
            throw new FetchException(
                    FetchException.Reason.OUT_OF_RANGE,
                    "partition=" + segment.partition() + ", expected < " + output.lengths.length);
        }
        open.incrementAndGet();
        return new Served(output, segment.partition());
    }

    @Override
    public void close() {
        final List<IOException> failures = new ArrayList<>();
        for (final Output output : outputs.values()) {
            try {
                output.file.close();
            } catch (final IOException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw new UncheckedIOException(failures.get(0));
        }
    }

    private static final class Output {
        private final Path path;
        private final byte[] bytes;
        private final int[] lengths;
        private final FileChannel file;

        Output(final Path path, final byte[] bytes, final int[] lengths) throws IOException {
            this.path = path;
            this.bytes = bytes;
            this.lengths = lengths.clone();
            this.file = FileChannel.open(path, StandardOpenOption.READ);
        }

        int start(final int partition) {
            return Arrays.stream(lengths, 0, partition).sum();
        }
    }

    private final class Served implements ServedSegment {
        private final Output output;
        private final int partition;
        private boolean closed;

        Served(final Output output, final int partition) {
            this.output = output;
            this.partition = partition;
        }

        @Override
        public long partLength() {
            return output.lengths[partition];
        }

        @Override
        public long records() {
            return recordsOf(output.lengths[partition]);
        }

        @Override
        public long rawLength() {
            return output.lengths[partition] * 2L;
        }

        @Override
        public void read(final long offset, final ByteBuffer destination) throws IOException {
            if (inFiles) {
                file(offset, destination.remaining()).read(offset, destination);
                return;
            }
            final int start = output.start(partition) + (int) offset;
            final long readable = Math.max(0, failAt - offset);
            final int length = (int) Math.min(destination.remaining(), readable);
            destination.put(output.bytes, start, length);
            if (destination.hasRemaining()) {
                throw new IOException("a test fails at byte " + failAt);
            }
        }

        @Override
        public SegmentFile file(final long offset, final int length) {
            return inFiles ? new SegmentFile(output.file, output.start(partition)) : null;
        }

        /** Of the bytes that were added, whatever the file holds by now. */
        @Override
        public long checksum(final long offset, final int length) {
            return crcOf(output.bytes, output.start(partition) + (int) offset, length);
        }

        @Override
        public TierName tier() {
            return WireTier.MEMORY;
        }

        @Override
        public CachedBytes cached(final long offset, final int length) {
            if (length < 1 || offset < 0 || offset + length > partLength()) {
                throw new IllegalArgumentException("offset=" + offset + " length=" + length);
            }
            if (askedForCached.incrementAndGet() % 2 == 0 || !cached) {
                return null;
            }
            open.incrementAndGet();
            return new Cached(pieces(output.bytes, output.start(partition) + (int) offset, length));
        }

        @Override
        public void close() {
            if (closed) {
                throw new IllegalStateException("closed twice");
            }
            closed = true;
            open.decrementAndGet();
        }
    }

    private static List<ByteBuffer> pieces(final byte[] bytes, final int start, final int length) {
        final List<ByteBuffer> pieces = new ArrayList<>();
        final ByteBuffer memory = ByteBuffer.allocateDirect(length);
        memory.put(bytes, start, length).flip();
        while (memory.hasRemaining()) {
            final int piece = Math.min(memory.remaining(), 1 + memory.remaining() / 2);
            pieces.add(memory.slice(memory.position(), piece));
            memory.position(memory.position() + piece);
        }
        return pieces;
    }

    private final class Cached implements CachedBytes {
        private final List<ByteBuffer> buffers;
        private boolean closed;

        Cached(final List<ByteBuffer> buffers) {
            this.buffers = buffers;
        }

        @Override
        public List<ByteBuffer> buffers() {
            return buffers;
        }

        @Override
        public void sent() {
            sent.incrementAndGet();
        }

        /** Overwrites the piece: what is sent after this is something else. */
        @Override
        public void close() {
            if (closed) {
                throw new IllegalStateException("closed twice");
            }
            closed = true;
            for (final ByteBuffer buffer : buffers) {
                buffer.clear().put(new byte[buffer.capacity()]);
            }
            open.decrementAndGet();
        }
    }

    /** Reads a buffer's bytes from {@code start} on. */
    static byte[] written(final ByteBuffer buffer, final int start) {
        final byte[] bytes = new byte[buffer.position() - start];
        buffer.duplicate().position(start).get(bytes);
        return bytes;
    }
}
