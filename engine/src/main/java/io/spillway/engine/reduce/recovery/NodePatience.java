// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.recovery;

import io.spillway.engine.reduce.fetch.ShuffleState;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.thread.Backoff;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import java.io.IOException;

/**
 * How long a node is asked again that answers and does not serve: its map outputs are most likely
 * there, so that no failure counts against them. Stock does the same for an answer of 429. Bounded,
 * since a map runs again only when its failures count. Owned by the loop's thread.
 */
public final class NodePatience {
    private static final Backoff RESTS = Backoff.doubling(250, 8000);
    private static final long MOST_REST_MERGING_MILLIS = 3000;

    /**
     * By then a NodeManager has started that speaks stock HTTP and no Spillway yet, or that has not
     * learned of the job.
     */
    public static final long START_MILLIS = 10_000;

    private final ShuffleState shuffle;

    NodePatience(final ShuffleState shuffle) {
        this.shuffle = shuffle;
    }

    /** Whether a node that starts refuses for such a reason: for {@link #START_MILLIS} at most. */
    static boolean isReasonOfAStart(final Reason reason) {
        return reason == Reason.NOT_SPILLWAY || reason == Reason.UNKNOWN_JOB;
    }

    /** Whether a node that failed is asked again without counting that as a failure. */
    boolean mayWait(final Node node, final IOException cause) {
        final long limit = limitMillis(node, cause);
        if (limit == 0) {
            // A failure of another kind, which counts: the next refusal is the first of a row.
            node.answered();
            return false;
        }
        final long now = shuffle.loop.nowMillis();
        return node.waitsMillis(now) < limit;
    }

    private long limitMillis(final Node node, final IOException cause) {
        final Reason reason = cause instanceof FetchException e ? e.reason() : null;
        if (reason == Reason.BUSY) {
            return Math.max(START_MILLIS, shuffle.settings.rerunWaitMillis);
        }
        // Over HTTP, outputs that were left in runs fail as long as Spillway is not served.
        final boolean failsOverHttp = node.isHttpOnly() && !shuffle.progress.isMerging();
        return failsOverHttp || isReasonOfAStart(reason) ? START_MILLIS : 0;
    }

    /** The next rest of such a node: longer each time, and by chance, so that not all come back. */
    long restMillis(final Node node) {
        final long rest = RESTS.after(node.countWait() + 1);
        final long most =
                shuffle.progress.isMerging() ? Math.min(rest, MOST_REST_MERGING_MILLIS) : rest;
        return most - shuffle.loop.random().nextLong(most / 2);
    }
}
