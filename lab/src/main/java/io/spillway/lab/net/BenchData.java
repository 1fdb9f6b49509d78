// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

import io.spillway.transport.CachedBytes;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The bytes that are fetched again and again: one segment in memory, of which each word holds its
 * place. Immutable.
 */
final class BenchData implements ServedSegment {
    /** How many bytes there are: more than most processors' second cache holds. */
    static final int LENGTH = 16 << 20;

    static final String JOB = "job_1700000000000_0001";

    static final SegmentId SEGMENT = new SegmentId("attempt_1700000000000_0001_m_000000_0", 0);

    private static final long MIX = 0x9E3779B97F4A7C15L;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(LENGTH).order(ByteOrder.BIG_ENDIAN);

    BenchData() {
        for (int offset = 0; offset < LENGTH; offset += Long.BYTES) {
            memory.putLong(offset, word(offset));
        }
    }

    private static long word(final long offset) {
        return (offset + 1) * MIX;
    }

    /**
     * Checks the first and the last word of a piece.
     *
     * @throws IllegalStateException when it is not what lies at {@code offset}
     */
    static void check(final ByteBuffer received, final int length, final long offset) {
        final int last = length - Long.BYTES;
        if (received.getLong(0) != word(offset) || received.getLong(last) != word(offset + last)) {
            throw new IllegalStateException(
                    "offset=" + offset + " length=" + length + ": other bytes came than were sent");
        }
    }

    @Override
    public long partLength() {
        return LENGTH;
    }

    @Override
    public long rawLength() {
        return LENGTH;
    }

    @Override
    public void read(final long offset, final ByteBuffer destination) {
        destination.put(memory.slice((int) offset, destination.remaining()));
    }

    @Override
    public CachedBytes cached(final long offset, final int length) {
        return new Piece(memory.slice((int) offset, length));
    }

    @Override
    public void close() {}

    private record Piece(ByteBuffer bytes) implements CachedBytes {
        @Override
        public List<ByteBuffer> buffers() {
            return List.of(bytes);
        }

        @Override
        public void sent() {}

        @Override
        public void close() {}
    }
}
