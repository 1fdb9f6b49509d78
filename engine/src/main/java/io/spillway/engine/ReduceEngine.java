// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.fetch.FallbackFetcher;
import io.spillway.engine.reduce.memory.ChunkSource;
import io.spillway.engine.reduce.merge.BoundedMerge;
import io.spillway.engine.reduce.merge.LevelRuns;
import io.spillway.engine.reduce.merge.MergedRecords;
import io.spillway.engine.reduce.merge.MiscountedSegment;
import io.spillway.engine.reduce.merge.PlacedCursor;
import io.spillway.engine.reduce.merge.RunCursors;
import io.spillway.engine.reduce.merge.UnverifiedStreams;
import io.spillway.engine.reduce.segment.FetchState;
import io.spillway.engine.reduce.segment.RemoteSource;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.segment.SegmentLengths;
import io.spillway.engine.reduce.thread.ShuffleThreads;
import io.spillway.engine.reduce.thread.StallClock;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.ifile.HeadMemory;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.sort.KeyOrder;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffle of one reduce task: copy phase, then a merge that streams. Used by the task thread;
 * {@link #close} also by others.
 */
public final class ReduceEngine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReduceEngine.class);

    private static final long PROGRESS_MILLIS = 2000;

    private final ShuffleSettings settings;
    private final ShuffleHost host;
    private final TaskReport report = new TaskReport();
    private final StallClock stalls;
    private final HeadMemory heads;
    private final FetchCoordinator coordinator;
    private final Transport transport;
    private final Thread poller;
    private UnverifiedStreams unverified;
    private MergedRecords merge;
    private Throwable failure;
    private boolean closed;

    /** Null before the merge is opened. */
    private volatile LevelRuns levels;

    /**
     * Prepares the shuffle; nothing runs yet.
     *
     * @param fallbacks makes what fetches from nodes that do not speak Spillway
     * @param transport belongs to the shuffle from here on
     */
    public ReduceEngine(
            final ShuffleSettings settings,
            final ShuffleHost host,
            final FallbackFetcher.Factory fallbacks,
            final Transport transport,
            final ShuffleThreads threads) {
        this.settings = settings;
        this.host = host;
        this.transport = transport;
        this.coordinator =
                new FetchCoordinator(settings, host, fallbacks, transport, threads, report);
        this.heads = coordinator.heads();
        this.stalls = new StallClock(host.task().heartbeat(), threads, coordinator::lives);
        this.poller =
                threads.thread(
                        "spillway-events",
                        host.outputs()
                                .events()
                                .body(
                                        coordinator::onEvents,
                                        coordinator::eventNeed,
                                        coordinator::fail));
        report.note("task", settings.task);
        report.note("transport", transport.name());
        report.note("buffer_budget_bytes", settings.budgetBytes);
    }

    /**
     * Copies, and opens the merge.
     *
     * @param progress takes the part that was merged, of 1
     * @throws IOException when the shuffle failed; everything is freed then
     */
    public MergedRecords run(final DoubleConsumer progress)
            throws IOException, InterruptedException {
        LOG.info(
                "Spillway shuffle: {} maps, {} chunks of {} bytes",
                settings.numMaps,
                settings.chunks,
                settings.chunkSize);
        try {
            coordinator.start();
            poller.start();
            final List<SegmentFetch> fetches = awaitCopied();
            if (fetches.stream().allMatch(SegmentFetch::isComplete)) {
                poller.interrupt();
            }
            host.task().copying().end();
            unverified = new UnverifiedStreams(fetches, stalls, coordinator::consumed);
            merge = openMerge(fetches, progress);
            return merge;
        } catch (final IOException | InterruptedException | RuntimeException | Error e) {
            if (reportMiscounted(e)) {
                host.outputs().failures().send();
            }
            close();
            throw e;
        }
    }

    /** Reports the map whose segment has not the records that it must have, if that has failed. */
    private boolean reportMiscounted(final Throwable cause) {
        final SegmentFetch fetch = isClosed() ? null : MiscountedSegment.of(cause);
        if (fetch != null) {
            coordinator.miscounted(fetch);
        }
        return fetch != null;
    }

    /**
     * Whether records will be given out that are not verified: their reader calls {@link
     * #verifyAfter} when it fails. Once the merge is open.
     */
    public boolean hasUnverified() {
        return unverified.isAny();
    }

    private List<SegmentFetch> awaitCopied() throws IOException, InterruptedException {
        List<SegmentFetch> fetches = null;
        while (fetches == null) {
            fetches = coordinator.awaitCopied(PROGRESS_MILLIS);
            stalls.heartbeat();
        }
        return fetches;
    }

    private MergedRecords openMerge(final List<SegmentFetch> fetches, final DoubleConsumer progress)
            throws IOException {
        try {
            return merge(fetches, progress);
        } catch (final IOException | RuntimeException | Error e) {
            verifyAfter(e);
            throw e;
        }
    }

    private MergedRecords merge(final List<SegmentFetch> fetches, final DoubleConsumer progress)
            throws IOException {
        final RunCursors runCursors = new RunCursors(host.job().codecOrNull(), heads);
        final List<PlacedCursor> cursors = new ArrayList<>(fetches.size());
        long rawBytes = coordinator.mergedBytes();
        for (final SegmentFetch fetch : fetches) {
            if (fetch.state() == FetchState.MERGED) {
                continue;
            }
            rawBytes += fetch.rawLength() - SegmentLengths.MIN_RAW;
            if (fetch.rawLength() > SegmentLengths.MIN_RAW) {
                cursors.add(
                        new PlacedCursor(fetch.number, runCursors.segment(fetch, source(fetch))));
            }
        }
        cursors.addAll(coordinator.openMerged(runCursors));
        host.task()
                .counters()
                .outputsMerged(fetches.stream().filter(fetch -> fetch.id.run() == 0).count());
        final KeyOrder order = host.job().orders().get();
        levels = new LevelRuns(host.stores(), host.task().heartbeat(), settings, order, runCursors);
        return new MergedRecords(
                new BoundedMerge(PlacedCursor.inMapOrder(cursors), order, heads, levels),
                Math.max(1, rawBytes),
                host.task().heartbeat(),
                progress,
                new Milestones(fetches));
    }

    private ChunkSource source(final SegmentFetch fetch) {
        if (fetch.file() != null) {
            return fetch.file();
        }
        final long total = settings.form.handedOn(fetch.partLength());
        return new RemoteSource(fetch, total, coordinator::consumed, stalls);
    }

    /**
     * Requires that the maps' records are those given out and those combined away here. A reducer
     * that does not read all does not come here.
     */
    private void requireAll(final List<SegmentFetch> fetches, final long given) throws IOException {
        long expected = 0;
        for (final SegmentFetch fetch : fetches) {
            expected += recordsOf(fetch);
        }
        final long combinedAway = coordinator.combinedAway();
        report.note("records_given", given);
        report.note("records_combined_away", combinedAway);
        if (given + combinedAway != expected) {
            throw new IOException(
                    "Wrong number of records in the merge of all map outputs: expected="
                            + expected
                            + " by their accounts, found given="
                            + given
                            + " + combinedAway="
                            + combinedAway
                            + " = "
                            + (given + combinedAway));
        }
    }

    private static long recordsOf(final SegmentFetch fetch) throws IOException {
        if (fetch.isEmpty()) {
            return 0;
        }
        if (!fetch.records.hasEnded()) {
            throw new IOException("Map output of " + fetch + " was not merged to its end");
        }
        return fetch.records.records();
    }

    private final class Milestones implements MergedRecords.Listener {
        private final List<SegmentFetch> fetches;

        Milestones(final List<SegmentFetch> fetches) {
            this.fetches = fetches;
        }

        @Override
        public void onAllGiven(final long records) throws IOException {
            requireAll(fetches, records);
        }

        @Override
        public void onFirstRecord() {
            final long nanos = System.nanoTime() - coordinator.lastMapNanos();
            report.add(ShuffleCounter.FIRST_RECORD_MILLIS, TimeUnit.NANOSECONDS.toMillis(nanos));
        }

        @Override
        public void onEnd() {
            close();
        }

        @Override
        public void onFailure(final Throwable cause) {
            verifyAfter(cause);
        }
    }

    /**
     * Something has failed that has seen records: where these are not verified, finds out whether
     * it is a map output's fault. Frees everything.
     */
    public void verifyAfter(final Throwable cause) {
        if (isClosed()) {
            return;
        }
        failure = cause;
        try {
            if (!reportMiscounted(cause) && !unverified.hasFailed()) {
                verifyRest();
            }
        } catch (final IOException | RuntimeException e) {
            LOG.warn("What has failed may have had records that no map wrote", e);
            cause.addSuppressed(e);
        }
        host.outputs().failures().send();
        close();
    }

    private void verifyRest() throws IOException {
        if (merge != null) {
            merge.release();
        }
        if (unverified.isAny()) {
            LOG.info("Reading map outputs without block checksums to their end, to verify them");
            unverified.verify();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /**
     * The reduce has succeeded: frees everything. A reducer that has not taken all records may have
     * taken some that are not verified: these are, before the task commits anything.
     *
     * @throws UncheckedIOException when the attempt must fail
     */
    public void finish() {
        if (failure != null) {
            throw new UncheckedIOException(
                    new IOException("The reducer has gone on after its input had failed", failure));
        }
        if (isClosed()) {
            return;
        }
        try {
            verifyRest();
        } catch (final IOException e) {
            host.outputs().failures().send();
            throw new UncheckedIOException(e);
        } finally {
            close();
        }
    }

    /** Its fetching side, whose state belongs to its loop's thread. */
    public FetchCoordinator coordinator() {
        return coordinator;
    }

    /** Frees everything and publishes the report. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        poller.interrupt();
        coordinator.close();
        transport.noteIn(report);
        stalls.writeTo(report);
        if (levels != null) {
            levels.close();
            levels.noteIn(report);
        }
        report.note("headPeakBytes", heads.peakBytes());
        report.note("decoderPeakBytes", heads.decoderPeakBytes());
        report.add(ShuffleCounter.PEAK_BUFFER_BYTES, coordinator.peakBytes() + heads.peakBytes());
        host.task().publisher().accept(report);
    }
}
