package io.spillway.bench.net.data;

/** Goes through the data piece by piece, and begins again at its end. Not thread-safe. */
public final class Offsets {
    private final int bytes;
    private final int pieces;
    private long number;

    Offsets(final int bytes, final int dataLength) {
        this.bytes = bytes;
        this.pieces = dataLength / bytes;
    }

    /** The offset of the next piece. */
    public long next() {
        final long offset = number % pieces * bytes;
        number++;
        return offset;
    }
}
