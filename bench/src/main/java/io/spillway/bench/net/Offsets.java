package io.spillway.bench.net;

/** Goes through the data piece by piece, and begins again at its end. Not thread-safe. */
final class Offsets {
    private final int bytes;
    private final int pieces;
    private long number;

    Offsets(final int bytes, final int dataLength) {
        this.bytes = bytes;
        this.pieces = dataLength / bytes;
    }

    long next() {
        final long offset = number % pieces * bytes;
        number++;
        return offset;
    }
}
