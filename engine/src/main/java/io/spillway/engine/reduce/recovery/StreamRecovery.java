// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.recovery;

import io.spillway.engine.reduce.fetch.FetchPlanner;
import io.spillway.engine.reduce.fetch.MapAttempts;
import io.spillway.engine.reduce.fetch.NodeConnections;
import io.spillway.engine.reduce.fetch.ShuffleProgress;
import io.spillway.engine.reduce.fetch.ShuffleState;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.reduce.thread.StallCause;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.thread.Backoff;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to a stream whose records are being merged when its source fails: it is tried again
 * for a while; it goes on with another attempt of the map where there is one whose output is the
 * same ({@link AttemptFailovers}); else the reduce attempt fails. Owned by the loop's thread.
 */
public final class StreamRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(StreamRecovery.class);

    private static final Backoff RETRIES = Backoff.doubling(100, 3000);
    private static final long REPORT_AGAIN_MILLIS = 10_000;

    private final ShuffleState shuffle;
    private final ShuffleSettings settings;
    private final ShuffleLoop loop;
    private final ShuffleProgress progress;
    private final NodeConnections connections;
    private final FetchPlanner planner;
    private final AttemptFailovers failovers;
    private final MapAttempts attempts;

    /** Nothing has failed yet. */
    public StreamRecovery(
            final ShuffleState shuffle,
            final NodeConnections connections,
            final FetchPlanner planner,
            final AttemptFailovers failovers,
            final MapAttempts attempts) {
        this.shuffle = shuffle;
        this.settings = shuffle.settings;
        this.loop = shuffle.loop;
        this.progress = shuffle.progress;
        this.connections = connections;
        this.planner = planner;
        this.failovers = failovers;
        this.attempts = attempts;
    }

    /** All streams from a node fail; it is asked again after a rest. */
    void nodeFailed(final Node node, final IOException cause) {
        final long now = loop.nowMillis();
        for (final MapSlot map : shuffle.maps) {
            for (final SegmentFetch fetch : map.fetches()) {
                if (fetch.node() == node && fetch.wantsMore() && !fetch.hasOtherPlace()) {
                    if (fetch.isAway() && FetchRecovery.hasEnded(cause)) {
                        reportOften(fetch);
                    }
                    retryOrFail(fetch, cause, now);
                }
            }
        }
        connections.rest(node, RETRIES.after(node.failures()));
    }

    /** A node answers that it cannot serve now: its streams wait, or go on from elsewhere. */
    void nodeNotReady(final Node node) {
        progress.streamTroubled(loop.nowMillis());
        for (final MapSlot map : shuffle.maps) {
            for (final SegmentFetch fetch : map.fetches()) {
                if (fetch.node() == node && fetch.wantsMore()) {
                    fetch.queue.lack(StallCause.SOURCE);
                    failovers.consider(map);
                }
            }
        }
    }

    /** The node answers, but not with this stream's output; it is asked again after a rest. */
    void streamRefused(final SegmentFetch fetch, final Exception cause) {
        retryOrFail(fetch, cause, loop.nowMillis());
        fetch.source.rest();
        loop.schedule(
                LoopMessage.STREAM_RESTED,
                RETRIES.most(),
                () -> {
                    fetch.source.endRest();
                    planner.enqueue(fetch);
                });
    }

    /** What was merged is good, the rest is gone for good. The framework has the map run again. */
    void runAgain(final SegmentFetch fetch, final Exception cause) {
        reportOften(fetch);
        streamRefused(fetch, cause);
    }

    /** As often as the framework wants, less the report that follows. */
    private void reportOften(final SegmentFetch fetch) {
        if (fetch.source.isObsolete() || !fetch.source.isUnreported()) {
            return;
        }
        for (int i = 1; i < settings.failures.notificationsForRerun(); i++) {
            progress.reportLost(fetch.attempt);
        }
    }

    private void retryOrFail(final SegmentFetch fetch, final Exception cause, final long now) {
        progress.streamTroubled(now);
        fetch.source.fail(now);
        if (fetch.source.isReportDue(now, REPORT_AGAIN_MILLIS)) {
            fetch.source.markReported(now);
            progress.countFailedFetch();
            LOG.info("Reporting fetch failure for {}", fetch.attempt);
            progress.reportLost(fetch.attempt);
        }
        fetch.queue.lack(StallCause.SOURCE);
        failovers.consider(fetch.map);
        final long lostFor = fetch.source.troubleMillis(now);
        if (lostFor >= patienceMillis(fetch)) {
            attempts.giveUp(fetch, lost(fetch, cause, lostFor));
        }
    }

    /**
     * The framework has the map run again when the attempt is obsolete. When it has, and the output
     * is another one, only the old source can serve: it has the time in which a node starts.
     */
    private long patienceMillis(final SegmentFetch fetch) {
        if (fetch.source.isObsolete() && fetch.map.whyNoOtherFits().isPresent()) {
            return Math.min(settings.streamRetryMillis, NodePatience.START_MILLIS);
        }
        return fetch.source.isObsolete() || failovers.isUnderWay(fetch.map)
                ? Math.max(settings.streamRetryMillis, settings.rerunWaitMillis)
                : settings.streamRetryMillis;
    }

    private IOException lost(final SegmentFetch fetch, final Exception cause, final long lostFor) {
        return new IOException(
                "Lost map output of "
                        + fetch
                        + " after "
                        + fetch.delivered()
                        + " of "
                        + fetch.partLength()
                        + " bytes, while its records were being merged; tried again for "
                        + lostFor
                        + " ms (spillway.shuffle.stream.retry.ms="
                        + settings.streamRetryMillis
                        + (fetch.source.isObsolete()
                                ? ", spillway.shuffle.rerun.wait.ms=" + settings.rerunWaitMillis
                                : "")
                        + "); a fetch failure was reported: "
                        + cause.getMessage()
                        + fetch.map
                                .whyNoOtherFits()
                                .map(why -> "; the map has run again, but " + why)
                                .orElse(""),
                cause);
    }

    /** A stream's checksum is wrong, and its records were merged: the reduce attempt fails. */
    void corrupt(final SegmentFetch fetch, final IOException cause) {
        // Only the framework can have the map run again. It acts on a number of reports.
        for (int i = 0; i < settings.failures.notificationsForRerun(); i++) {
            progress.reportLost(fetch.attempt);
        }
        attempts.giveUp(
                fetch,
                new IOException(
                        cause.getMessage()
                                + "; its records were being merged; a fetch failure was reported",
                        cause));
    }

    /** The source has another segment now: the reduce attempt fails. */
    void wrongLength(final SegmentFetch fetch, final IOException cause) {
        progress.reportLost(fetch.attempt);
        attempts.giveUp(fetch, cause);
    }
}
