// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleThreads;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.report.TaskReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copy phase and its end: when every map is copied, the merge begins. Owned by the loop's
 * thread, but for what is said of a method.
 */
final class CopyPhase {
    private static final Logger LOG = LoggerFactory.getLogger(CopyPhase.class);

    /** How long the merge's beginning waits for whole segments when no map runs any more. */
    private static final long WHOLE_SEGMENTS_MILLIS = 250;

    private final ShuffleSettings settings;
    private final ShuffleThreads threads;
    private final ShuffleParts parts;
    private final TaskReport report;
    private final CompletableFuture<List<SegmentFetch>> done = new CompletableFuture<>();
    private boolean waitsForHeads;

    CopyPhase(
            final ShuffleSettings settings,
            final ShuffleThreads threads,
            final ShuffleParts parts,
            final TaskReport report) {
        this.settings = settings;
        this.threads = threads;
        this.parts = parts;
        this.report = report;
    }

    /**
     * When no map runs any more the merge waits for whole segments but a moment: as long as it has
     * not begun, any of them can still be taken from another attempt.
     */
    void waitForHeadsOnlySoon() {
        if (parts.shuffle.progress.allAnnounced()
                && !waitsForHeads
                && !parts.shuffle.progress.isMerging()) {
            waitsForHeads = true;
            parts.loop.schedule(
                    LoopMessage.HEADS_DO, WHOLE_SEGMENTS_MILLIS, this::waitForHeadsOnly);
        }
    }

    private void waitForHeadsOnly() {
        waitsForHeads = parts.shuffle.progress.allAnnounced();
        if (waitsForHeads) {
            parts.receiver.waitForHeadsOnly();
        }
    }

    /** Begins the merge where every map is copied. */
    void endIfCopied() {
        if (!parts.shuffle.progress.allCopied()
                || parts.shuffle.progress.isMerging()
                || !parts.merges.end()) {
            return;
        }
        parts.shuffle.progress.startMerging();
        final List<SegmentFetch> fetches = new ArrayList<>();
        for (final MapSlot map : parts.shuffle.maps) {
            map.unusedClaims().forEach(claim -> parts.shuffle.pool.demand(claim, 0));
            fetches.addAll(map.fetches());
        }
        fetches.forEach(fetch -> parts.shuffle.progress.shuffled(fetch.deliveredContent()));
        final int streams = (int) fetches.stream().filter(fetch -> !fetch.isComplete()).count();
        parts.shuffle.progress.streamsOpened(streams);
        note(fetches, streams);
        parts.planner.startStreaming(fetches);
        done.complete(fetches);
    }

    private void note(final List<SegmentFetch> fetches, final int streams) {
        report.note("maps", parts.shuffle.maps.size());
        report.note("runs", fetches.size());
        report.note("hosts", parts.connections.count());
        report.note("streams", streams);
        report.note(
                "unverified_streams",
                fetches.stream().filter(fetch -> fetch.queue.isUnverified()).count());
        LOG.info(
                "All {} maps are copied: {} runs as a whole, of {} the head; {} chunks of {} bytes",
                parts.shuffle.maps.size(),
                fetches.size() - streams,
                streams,
                settings.chunks,
                settings.chunkSize);
    }

    /** The shuffle has failed, or was closed: {@link #await} throws. Any thread. */
    void fail(final IOException cause) {
        done.completeExceptionally(cause);
    }

    /**
     * Waits for the end of the copy phase. Task thread.
     *
     * @return the fetches of all runs of all maps that have output, in the order of the maps, those
     *     included that were merged in memory; null when the time has passed
     * @throws IOException when the shuffle failed
     */
    List<SegmentFetch> await(final long millis) throws IOException, InterruptedException {
        try {
            return threads.get(done, millis);
        } catch (final TimeoutException e) {
            return null;
        } catch (final ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }
}
