// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.recovery;

import io.spillway.engine.reduce.fetch.FailedFetches;
import io.spillway.engine.reduce.fetch.FetchFailures;
import io.spillway.engine.reduce.fetch.MapAttempts;
import io.spillway.engine.reduce.fetch.NodeConnections;
import io.spillway.engine.reduce.fetch.ShuffleProgress;
import io.spillway.engine.reduce.fetch.ShuffleState;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.ShuffleError;
import io.spillway.transport.FetchException;
import java.io.IOException;
import java.net.ConnectException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.fs.ChecksumException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens when a fetch or a node fails. While copying, stock's rules hold and a map is fetched
 * from scratch; while merging, it is {@link StreamRecovery}'s. Owned by the loop's thread.
 */
public final class FetchRecovery implements FailedFetches {
    private static final Logger LOG = LoggerFactory.getLogger(FetchRecovery.class);

    private static final long FIRST_PENALTY_MILLIS = 13_000;

    /** The most maps that one failure of a node counts for: stock asks for so many at a time. */
    private static final int MOST_MAPS = 20;

    /** What the JDK and Netty say of ECONNREFUSED. */
    private static final String REFUSED = "onnection refused";

    /**
     * A node that was silent so many times in a row counts as gone, with all that only it holds.
     */
    private static final int FAILURES_OF_A_GONE_NODE = 2;

    private final ShuffleSettings settings;
    private final ShuffleLoop loop;
    private final ShuffleProgress progress;
    private final FetchFailures failures;
    private final NodeConnections connections;
    private final MapAttempts attempts;
    private final StreamRecovery streams;
    private final NodePatience patience;
    private final LostOutputs lostOutputs;

    /** How often a segment's checksum was wrong when all of it was here. */
    private final Map<OutputId, Integer> corrupt = new HashMap<>();

    public FetchRecovery(
            final ShuffleState shuffle,
            final NodeConnections connections,
            final MapAttempts attempts,
            final StreamRecovery streams) {
        this.settings = shuffle.settings;
        this.loop = shuffle.loop;
        this.progress = shuffle.progress;
        this.failures = shuffle.failures;
        this.connections = connections;
        this.attempts = attempts;
        this.streams = streams;
        this.patience = new NodePatience(shuffle);
        this.lostOutputs = new LostOutputs(settings.rerunWaitMillis);
    }

    @Override
    public void nodeFailed(final Node node, final IOException cause) {
        progress.retried();
        // From here on nothing is asked of the node, until it has rested.
        node.rest(Long.MAX_VALUE);
        connections.askAgain(node);
        if (patience.mayWait(node, cause)) {
            if (progress.isMerging()) {
                streams.nodeNotReady(node);
            }
            connections.rest(node, patience.restMillis(node));
            return;
        }
        progress.count(ShuffleError.IO_ERROR);
        progress.count(ShuffleError.CONNECTION);
        node.fail();
        if (progress.isMerging()) {
            streams.nodeFailed(node, cause);
        } else {
            reportOutputsAway(node, cause);
            connections.rest(
                    node,
                    mayRetrySilently(node)
                            ? settings.failures.restart().pauseMillis()
                            : countFailures(node, cause));
        }
        attempts.askHomesInsteadOf(node);
    }

    /**
     * Reports the maps whose only outputs are on a node that their hosts have named. The framework
     * does not watch such a node, a memory node above all, as it watches the maps' hosts: it learns
     * of the loss from reducers only. A node that refuses connections has ended, and what it held
     * with it; a silent one may be slow.
     */
    private void reportOutputsAway(final Node node, final IOException cause) {
        if (!isGone(node, cause)) {
            return;
        }
        for (final SegmentFetch fetch : node.waiting()) {
            if (!fetch.isDropped() && fetch.isAway() && !fetch.hasOtherPlace()) {
                reportLost(fetch, cause);
            }
        }
    }

    private static boolean isGone(final Node node, final IOException cause) {
        return hasEnded(cause) || node.failures() >= FAILURES_OF_A_GONE_NODE;
    }

    private void reportLost(final SegmentFetch fetch, final Exception cause) {
        if (lostOutputs.report(fetch.attempt, loop.nowMillis())) {
            LOG.warn("Map output of {} is lost: {}", fetch, cause.getMessage());
            reportForRerun(fetch);
        }
    }

    /**
     * Whether no process listens at a node's address any more, as its host says. A time-out, which
     * is a {@link ConnectException} of Netty's too, does not say that.
     */
    static boolean hasEnded(final IOException failure) {
        return hasCause(
                failure,
                cause ->
                        cause instanceof ConnectException
                                && String.valueOf(cause.getMessage()).contains(REFUSED));
    }

    @Override
    public void nodeRefused(final Node node, final long delayMillis) {
        final FetchException cause =
                new FetchException(FetchException.Reason.BUSY, node.address + ": HTTP status 429");
        if (patience.mayWait(node, cause)) {
            connections.rest(node, delayMillis);
        } else {
            nodeFailed(node, cause);
        }
    }

    /** Counts a failure of the maps that wait for a node; gives the delay of the next try. */
    private long countFailures(final Node node, final IOException cause) {
        failures.hostFailed(node.address.host());
        final boolean refused = hasCause(cause, ConnectException.class::isInstance);
        long delay = firstPenaltyMillis();
        final Set<MapSlot> counted = new HashSet<>();
        for (final SegmentFetch fetch : node.waiting()) {
            if (fetch.isDropped() || fetch.hasOtherPlace() || counted.size() == MOST_MAPS) {
                continue;
            }
            if (!counted.add(fetch.map)) {
                continue;
            }
            if (isHeldAgainstUs(fetch, cause)) {
                delay = countFailure(fetch, false, refused);
            }
            if (fetch.map.candidates().size() > 1) {
                attempts.restartAfter(fetch, delay);
            }
        }
        return delay;
    }

    private long firstPenaltyMillis() {
        return Math.min(FIRST_PENALTY_MILLIS, settings.failures.maxPenaltyMillis());
    }

    /**
     * Whether a failure counts towards this reducer's end. It does not while a lost map is awaited,
     * nor at the first silence of a node that the framework does not watch.
     */
    private boolean isHeldAgainstUs(final SegmentFetch fetch, final IOException cause) {
        return !lostOutputs.isAwaited(fetch.attempt, loop.nowMillis())
                && !(fetch.isAway() && !isGone(fetch.node(), cause));
    }

    private static boolean hasCause(final Throwable failure, final Predicate<Throwable> condition) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).anyMatch(condition);
    }

    /** Stock's grace for NodeManagers that restart: no failure counts in that time. */
    private boolean mayRetrySilently(final Node node) {
        final long troubleMillis = node.troubleMillis(loop.nowMillis());
        return settings.failures.restart().awaited()
                && troubleMillis < settings.failures.restart().millis();
    }

    /** Counts a failure of a map by stock's rules; gives the delay of the next try. */
    private long countFailure(
            final SegmentFetch fetch, final boolean readError, final boolean refused) {
        try {
            return failures.copyFailed(
                    fetch.attempt,
                    fetch.node().address.host(),
                    readError,
                    refused,
                    progress.copiedMaps(),
                    loop.nowMillis());
        } catch (final IOException e) {
            loop.fail(e);
            return settings.failures.maxPenaltyMillis();
        }
    }

    @Override
    public void mapFailed(final SegmentFetch fetch, final Exception cause) {
        if (fetch.isDropped()) {
            return;
        }
        progress.count(ShuffleError.IO_ERROR);
        if (progress.isMerging()) {
            streams.streamRefused(fetch, cause);
        } else {
            LOG.warn("Failed to shuffle output of {}", fetch, cause);
            restartCounted(fetch);
        }
    }

    /** For good: no other failure is waited for before the map is reported, to be run again. */
    @Override
    public void lost(final SegmentFetch fetch, final Exception cause) {
        if (fetch.isDropped()) {
            return;
        }
        progress.count(ShuffleError.IO_ERROR);
        if (progress.isMerging()) {
            LOG.warn("Map output of {} is lost: {}", fetch, cause.getMessage());
            streams.runAgain(fetch, cause);
            return;
        }
        reportLost(fetch, cause);
        restartCounted(fetch);
    }

    private void runAgain(final SegmentFetch fetch, final Exception cause) {
        if (progress.isMerging()) {
            streams.runAgain(fetch, cause);
        } else {
            reportForRerun(fetch);
            restartCounted(fetch);
        }
    }

    /**
     * A piece is not what the map wrote. It is fetched again once: the damage may have come about
     * on the way. Then the map is reported, to be run again.
     */
    @Override
    public void damaged(final SegmentFetch fetch, final long offset, final String damage) {
        progress.damagedPiece();
        if (!fetch.checks.isDamagedAgain(offset)) {
            LOG.warn("Damaged map output of {}: {}; fetching the piece again", fetch, damage);
            return;
        }
        final IOException cause =
                new IOException("Damaged map output of " + fetch + ", twice: " + damage);
        progress.count(ShuffleError.IO_ERROR);
        LOG.warn(cause.getMessage());
        runAgain(fetch, cause);
    }

    /**
     * All bytes of a segment are here, and they are not those its checksum was made of. One that is
     * not merged yet is fetched again once, before the map is reported to be run again.
     */
    @Override
    public void corrupt(final SegmentFetch fetch) {
        final IOException cause =
                new IOException(
                        "Checksum error in map output of "
                                + fetch
                                + ", "
                                + fetch.partLength()
                                + " bytes, tier "
                                + fetch.checks.tier().label()
                                + settings.form.cipher().hintOfDamage());
        if (progress.isMerging()) {
            progress.count(ShuffleError.IO_ERROR);
            streams.corrupt(fetch, cause);
            return;
        }
        reportIfCorruptAgain(fetch);
        mapFailed(fetch, cause);
    }

    private void reportIfCorruptAgain(final SegmentFetch fetch) {
        if (corrupt.merge(fetch.attempt, 1, Integer::sum) == 2) {
            reportForRerun(fetch);
        }
    }

    /** Only the framework can have a map run again. It acts on a number of reports. */
    private void reportForRerun(final SegmentFetch fetch) {
        for (int i = 0; i < settings.failures.notificationsForRerun(); i++) {
            progress.reportLost(fetch.attempt);
        }
    }

    /**
     * The merge has found another number of records in a segment than its map has counted, though
     * its bytes are those that the map wrote: the reduce attempt fails, and the map is reported.
     */
    public void miscounted(final SegmentFetch fetch) {
        progress.count(ShuffleError.IO_ERROR);
        reportForRerun(fetch.map.fetchOf(fetch.id.run()));
    }

    @Override
    public void wrongLength(final SegmentFetch fetch, final String problem) {
        progress.count(ShuffleError.WRONG_LENGTH);
        final IOException cause =
                new IOException("Wrong length of map output of " + fetch + ": " + problem);
        if (progress.isMerging()) {
            streams.wrongLength(fetch, cause);
        } else {
            LOG.warn("Failed to shuffle output of {}", fetch, cause);
            restartCounted(fetch);
        }
    }

    @Override
    public void wholeFailed(
            final SegmentFetch fetch, final ShuffleError error, final Exception cause) {
        if (fetch.isDropped()) {
            return;
        }
        progress.count(error);
        progress.retried();
        LOG.warn("Failed to shuffle output of {} over HTTP", fetch, cause);
        if (cause instanceof ChecksumException) {
            reportIfCorruptAgain(fetch);
            restartCounted(fetch);
        } else if (error == ShuffleError.IO_ERROR && mayRetrySilently(fetch.node())) {
            attempts.restartAfter(fetch, settings.failures.restart().pauseMillis());
        } else {
            restartCounted(fetch);
        }
    }

    private void restartCounted(final SegmentFetch fetch) {
        if (lostOutputs.isAwaited(fetch.attempt, loop.nowMillis())) {
            attempts.restartAfter(fetch, firstPenaltyMillis());
            return;
        }
        failures.hostFailed(fetch.node().address.host());
        attempts.restartAfter(fetch, countFailure(fetch, true, false));
    }
}
