// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Takes the bytes of one spill; ended by {@link #commit} or {@link #abort}. One thread.
 *
 * <p>A write that fails has taken nothing: {@link #position} still counts only the bytes of the
 * writes before it, and {@link #readBack} still gives these, so that another store can go on where
 * this one failed. Therefore a sink does not buffer what it could lose; callers write large pieces.
 */
public abstract class SpillSink extends OutputStream {
    @Override
    public final void write(final int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public abstract void write(byte[] bytes, int offset, int length) throws IOException;

    /** The bytes taken so far. */
    public abstract long position();

    /**
     * The bytes taken so far, from the first to {@link #position}, also after a failed write or
     * commit. Nothing is written while the stream is open.
     *
     * @throws IOException when they cannot be read
     */
    public abstract InputStream readBack() throws IOException;

    /**
     * Ends the spill.
     *
     * @throws StoreFullException when the store turns out to have no room
     * @throws IOException when the store fails; the sink is then still to be aborted
     */
    public abstract Spill commit() throws IOException;

    /** Drops the spill, whatever its state. Idempotent; does nothing after a commit. */
    public abstract void abort();

    /** Aborts a spill that was not committed. */
    @Override
    public void close() {
        abort();
    }
}
