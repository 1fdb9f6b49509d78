// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Requests that have ended, as {@link MpiMessages#poll} has found them: good until its next call.
 * Belongs to the thread of its world.
 */
public final class Completions {
    /** Where they come from. */
    @FunctionalInterface
    interface Source {
        /** Writes at most so many, six ints each in native order; returns how many. */
        int poll(ByteBuffer done, int most) throws MpiException;
    }

    private static final int HANDLE = 0;
    private static final int RANK = 1;
    private static final int TAG = 2;
    private static final int COUNT = 3;
    private static final int ERROR = 4;
    private static final int CANCELLED = 5;
    private static final int INTS = 6;

    private final ByteBuffer done;
    private final int most;
    private int size;

    /** Room for {@code most} requests a poll. */
    public Completions(final int most) {
        if (most <= 0) {
            throw new IllegalArgumentException("most=" + most + ", expected above 0");
        }
        this.most = most;
        done =
                ByteBuffer.allocateDirect(Math.multiplyExact(most, INTS * Integer.BYTES))
                        .order(ByteOrder.nativeOrder());
    }

    /** How many the last poll has found. */
    public int size() {
        return size;
    }

    /**
     * What {@link MpiMessages#send} or {@link MpiMessages#receive} returned; free for other
     * requests.
     */
    public int handle(final int index) {
        return at(index, HANDLE);
    }

    /**
     * The rank of the other side. Of a receive that failed or was cancelled, the one that was asked
     * for.
     */
    public int rank(final int index) {
        return at(index, RANK);
    }

    /** The tag of the message. Of a receive that failed or was cancelled, the one asked for. */
    public int tag(final int index) {
        return at(index, TAG);
    }

    /** The bytes received, or given to a send; 0 for a receive that failed or was cancelled. */
    public int count(final int index) {
        return at(index, COUNT);
    }

    /** 0 if all is well, else a code that {@link MpiMessages#failure} explains. */
    public int error(final int index) {
        return at(index, ERROR);
    }

    /** Whether nothing has been sent or received, because of {@link MpiMessages#cancel}. */
    public boolean isCancelled(final int index) {
        return at(index, CANCELLED) != 0;
    }

    private int at(final int index, final int field) {
        Objects.checkIndex(index, size);
        return done.getInt((index * INTS + field) * Integer.BYTES);
    }

    int poll(final Source source) throws MpiException {
        size = 0;
        size = source.poll(done, most);
        return size;
    }
}
