// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import java.util.EnumSet;
import java.util.Set;

/** How far the fetch of one run of a segment is. Immutable. */
public enum FetchState {
    /** Nothing has arrived; its lengths are not known. */
    UNKNOWN,

    /** Its lengths are known; the merge may begin when its head is here. */
    HEAD,

    /** All of it has memory set aside, and the merge waits for all of it. */
    WHOLE,

    /** Its head is here, which is all that the merge waits for; the rest comes as memory allows. */
    STREAM,

    /** Verified to the last byte, and all of it in its queue or on local disk. */
    COMPLETE,

    /** Its chunks went to a merge in memory: the last merge finds its records there. */
    MERGED,

    /** Given up: it only waits for its requests to come back. */
    DROPPED;

    private Set<FetchState> successors() {
        return switch (this) {
            case UNKNOWN -> EnumSet.of(HEAD, DROPPED);
            case HEAD -> EnumSet.of(WHOLE, STREAM, COMPLETE, DROPPED);
            case WHOLE -> EnumSet.of(STREAM, COMPLETE, DROPPED);
            case STREAM -> EnumSet.of(COMPLETE, DROPPED);
            case COMPLETE -> EnumSet.of(MERGED, DROPPED);
            case MERGED, DROPPED -> EnumSet.noneOf(FetchState.class);
        };
    }

    /** Whether a fetch may get from this state to another one. */
    public boolean allows(final FetchState next) {
        return successors().contains(next);
    }

    /** Whether the merge waits for no more of it. */
    boolean isCopied() {
        return this == STREAM || isComplete();
    }

    /** Whether all of it is here, or was. */
    boolean isComplete() {
        return this == COMPLETE || this == MERGED;
    }

    /**
     * Goes on to another state.
     *
     * @param what is in this state, for the message
     * @throws IllegalStateException when this state does not allow the other
     */
    FetchState to(final FetchState next, final Object what) {
        if (!allows(next)) {
            throw new IllegalStateException(
                    what + ": state=" + this + " next=" + next + ", expected " + successors());
        }
        return next;
    }
}
