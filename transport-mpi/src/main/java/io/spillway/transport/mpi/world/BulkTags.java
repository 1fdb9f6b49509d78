// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import io.spillway.transport.mpi.library.MpiException;
import java.util.BitSet;

/**
 * The tags of bytes alone that go to one rank. A tag is taken until its message has found its
 * receive: with an earlier one's tag, a message could get into the memory of another stream. The
 * tag of a message that has failed stays taken, for the other rank may wait for it. Used by the
 * rank's thread.
 */
final class BulkTags {
    /** The least tag of bytes alone. */
    static final int FIRST = Postman.PARCEL_TAG + 1;

    /** More messages to one rank than memory has room for. */
    private static final int MOST = 1 << 16;

    private final int count;
    private final BitSet taken = new BitSet();
    private int next;

    /** All tags from {@link #FIRST} to {@code maxTag}, as far as they are needed. */
    BulkTags(final int maxTag) {
        count = Math.min(maxTag - FIRST + 1, MOST);
    }

    /** The next tag that no message has. */
    int take() throws MpiException {
        final int index = nextFree();
        taken.set(index);
        next = index + 1;
        return FIRST + index;
    }

    private int nextFree() throws MpiException {
        final int index = taken.nextClearBit(next);
        if (index < count) {
            return index;
        }
        final int first = taken.nextClearBit(0);
        if (first < count) {
            return first;
        }
        throw new MpiException(
                "messages to a rank that have not been received=" + count + ", no tag is left");
    }

    /** The message has found its receive, or was never announced. */
    void free(final int tag) {
        taken.clear(tag - FIRST);
    }
}
