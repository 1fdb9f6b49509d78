package io.spillway.bench.net.data;

import java.nio.ByteBuffer;
import java.util.function.Supplier;

/**
 * Which pieces of the data are fetched, and into what. Immutable.
 *
 * @param dataLength of all the data
 * @param direct whether into direct memory, else into arrays
 * @param onePlace whether always the first piece, into one place
 */
public record Pieces(int dataLength, boolean direct, boolean onePlace) {
    /** The pieces of one measurement, one after the other. */
    public Offsets offsets(final int bytes) {
        return new Offsets(bytes, onePlace ? bytes : dataLength);
    }

    /** Gives a place for each message in flight: all the same memory, or memory of its own. */
    public Supplier<ByteBuffer> places(final int bytes) {
        if (!onePlace) {
            return () -> allocate(bytes);
        }
        final ByteBuffer place = allocate(bytes);
        return place::duplicate;
    }

    private ByteBuffer allocate(final int bytes) {
        return direct ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
    }
}
