package io.spillway.bench.net.data;

import io.spillway.transport.CachedBytes;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentFile;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The bytes that are fetched again and again: one segment, in memory and in a file, of which each
 * word tells its place. Thread-safe.
 */
public final class BenchData implements SegmentSource, AutoCloseable {
    /** The job that it belongs to. */
    public static final String JOB = "job_1700000000000_0001";

    /** Its name. */
    public static final SegmentId SEGMENT =
            new SegmentId("attempt_1700000000000_0001_m_000000_0", 0);

    private static final long MIX = 0x9E3779B97F4A7C15L;

    private final ByteBuffer memory;
    private final FileChannel file;
    private final boolean fromMemory;

    /**
     * Makes the bytes.
     *
     * @param length a multiple of 8
     * @param path of the file, which has no name from then on
     * @param fromMemory whether they are served from memory, else from the file
     */
    public BenchData(final int length, final Path path, final boolean fromMemory)
            throws IOException {
        this.memory = ByteBuffer.allocateDirect(length).order(ByteOrder.BIG_ENDIAN);
        for (int offset = 0; offset < length; offset += Long.BYTES) {
            memory.putLong(offset, word(offset));
        }
        this.fromMemory = fromMemory;
        this.file =
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE);
        final ByteBuffer all = memory.duplicate();
        while (all.hasRemaining()) {
            file.write(all);
        }
    }

    /** What lies at an offset, which is a multiple of 8. */
    public static long word(final long offset) {
        return (offset + 1) * MIX;
    }

    /**
     * Checks the first and the last word of what has come.
     *
     * @throws IllegalStateException when it is not what lies at {@code offset}
     */
    public static void check(final ByteBuffer received, final int length, final long offset) {
        final int last = length - Long.BYTES;
        if (received.getLong(0) != word(offset) || received.getLong(last) != word(offset + last)) {
            throw new IllegalStateException(
                    "offset=" + offset + " length=" + length + ": other bytes came than were sent");
        }
    }

    /** How many bytes there are. */
    public int length() {
        return memory.capacity();
    }

    /** Whether they are served from memory, else from the file. */
    public boolean isFromMemory() {
        return fromMemory;
    }

    /** The file that has them, from its beginning. */
    public FileChannel file() {
        return file;
    }

    /** A piece, as a buffer of the caller's own. */
    public ByteBuffer piece(final long offset, final int length) {
        return memory.slice((int) offset, length);
    }

    @Override
    public ServedSegment open(final String jobId, final SegmentId segment) throws FetchException {
        if (!segment.equals(SEGMENT)) {
            throw new FetchException(FetchException.Reason.NOT_FOUND, segment + " is not here");
        }
        return new Served();
    }

    @Override
    public ServedSegment openIfCached(final String jobId, final SegmentId segment)
            throws FetchException {
        return open(jobId, segment);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (final IOException e) {
            throw new IllegalStateException("cannot close the benchmark's file", e);
        }
    }

    private final class Served implements ServedSegment {
        @Override
        public long partLength() {
            return length();
        }

        @Override
        public long rawLength() {
            return length();
        }

        @Override
        public void read(final long offset, final ByteBuffer destination) {
            destination.put(piece(offset, destination.remaining()));
        }

        @Override
        public SegmentFile file(final long offset, final int length) {
            return new SegmentFile(file, 0);
        }

        @Override
        public CachedBytes cached(final long offset, final int length) {
            return fromMemory ? new Cached(piece(offset, length)) : null;
        }

        @Override
        public void close() {}
    }

    private record Cached(ByteBuffer piece) implements CachedBytes {
        @Override
        public List<ByteBuffer> buffers() {
            return List.of(piece);
        }

        @Override
        public void sent() {}

        @Override
        public void close() {}
    }
}
