package io.spillway.hadoop.reduce;

import io.spillway.hadoop.report.ReportPublisher;
import io.spillway.report.ShuffleFigure;
import io.spillway.report.TaskReport;
import io.spillway.sort.HeadMemory;
import io.spillway.sort.KeyOrder;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffle of one reduce task: copy phase, then a merge that streams. Used by the task thread;
 * {@link #close} also by others.
 */
public final class ReduceShuffle implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReduceShuffle.class);

    private static final long PROGRESS_MILLIS = 2000;

    private final ShuffleConsumerPlugin.Context<?, ?> context;
    private final ShuffleSettings settings;
    private final TaskReport report = new TaskReport();
    private final StallClock stalls;
    private final HeadMemory heads;
    private final FetchCoordinator coordinator;
    private final Transport transport;
    private final Thread poller;
    private UnverifiedStreams unverified;
    private MergeIterator merge;
    private Throwable failure;
    private boolean closed;

    /** Null before the merge is opened. */
    private volatile LevelRuns levels;

    /**
     * Prepares the shuffle; nothing runs yet.
     *
     * @param choice one that does not ask for the stock shuffle
     * @param transport belongs to the shuffle from here on
     */
    public ReduceShuffle(
            final ShuffleConsumerPlugin.Context<?, ?> context,
            final ShuffleChoice choice,
            final Transport transport) {
        this(context, choice, transport, new SystemThreads());
    }

    ReduceShuffle(
            final ShuffleConsumerPlugin.Context<?, ?> context,
            final ShuffleChoice choice,
            final Transport transport,
            final ShuffleThreads threads) {
        this.context = context;
        this.settings = choice.settings();
        this.transport = transport;
        this.heads = new HeadMemory(settings.headBytes, settings.streams());
        this.coordinator =
                new FetchCoordinator(settings, context, transport, threads, heads, report);
        this.stalls = new StallClock(context.getReporter(), threads, coordinator::lives);
        this.poller =
                threads.thread(
                        "spillway-events",
                        new CompletionPoller(
                                settings,
                                threads,
                                context.getUmbilical(),
                                coordinator::onEvents,
                                coordinator::eventNeed,
                                coordinator::fail));
        report.note("task", settings.reduceId.toString());
        report.note("transport", transport.name());
        report.note("buffer_budget_bytes", settings.budgetBytes);
    }

    /**
     * Copies, and opens the merge.
     *
     * @throws IOException when the shuffle failed; everything is freed then
     */
    public RawKeyValueIterator run() throws IOException, InterruptedException {
        LOG.info(
                "Spillway shuffle: {} maps, {} chunks of {} bytes",
                settings.numMaps,
                settings.chunks,
                settings.chunkSize);
        try {
            coordinator.start();
            poller.start();
            final List<SegmentFetch> fetches = awaitCopied();
            if (fetches.stream().allMatch(fetch -> fetch.complete)) {
                poller.interrupt();
            }
            context.getCopyPhase().complete();
            context.getStatus().setPhase(TaskStatus.Phase.SORT);
            context.getReduceTask().statusUpdate(context.getUmbilical());
            unverified = new UnverifiedStreams(fetches, stalls, coordinator::consumed);
            merge = openMerge(fetches);
            if (unverified.isAny()) {
                ReducerGuard.install(context.getJobConf(), this::verifyAfter);
            }
            return merge;
        } catch (final IOException | InterruptedException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private List<SegmentFetch> awaitCopied() throws IOException, InterruptedException {
        List<SegmentFetch> fetches = null;
        while (fetches == null) {
            fetches = coordinator.awaitCopied(PROGRESS_MILLIS);
            stalls.heartbeat();
        }
        return fetches;
    }

    private MergeIterator openMerge(final List<SegmentFetch> fetches) throws IOException {
        try {
            return merge(fetches);
        } catch (final IOException | RuntimeException | Error e) {
            verifyAfter(e);
            throw e;
        }
    }

    private MergeIterator merge(final List<SegmentFetch> fetches) throws IOException {
        final RunCursors runCursors = new RunCursors(context.getCodec(), heads);
        final List<PlacedCursor> cursors = new ArrayList<>(fetches.size());
        long rawBytes = coordinator.mergedBytes();
        for (final SegmentFetch fetch : fetches) {
            if (fetch.merged) {
                continue;
            }
            rawBytes += fetch.rawLength() - SegmentFetch.MIN_RAW_LENGTH;
            if (fetch.rawLength() > SegmentFetch.MIN_RAW_LENGTH) {
                cursors.add(
                        new PlacedCursor(
                                fetch.number,
                                runCursors.segment(
                                        source(fetch), fetch.partLength(), fetch.rawLength())));
            }
        }
        cursors.addAll(coordinator.openMerged(runCursors));
        context.getMergedMapOutputsCounter()
                .increment(fetches.stream().filter(fetch -> fetch.id.run() == 0).count());
        final KeyOrder order = settings.order(context.getJobConf().getOutputKeyComparator());
        levels = new LevelRuns(context, settings, order, runCursors);
        return new MergeIterator(
                new BoundedMerge(PlacedCursor.inMapOrder(cursors), order, heads, levels),
                Math.max(1, rawBytes),
                context.getReporter(),
                new Milestones());
    }

    private ChunkSource source(final SegmentFetch fetch) {
        if (fetch.file != null) {
            return fetch.file;
        }
        final long total =
                settings.compressed
                        ? fetch.partLength()
                        : fetch.partLength() - SegmentChecksum.LENGTH;
        return new RemoteSource(fetch, total, coordinator, stalls);
    }

    private final class Milestones implements MergeIterator.Listener {
        @Override
        public void onFirstRecord() {
            final long nanos = System.nanoTime() - coordinator.lastMapNanos();
            report.add(ShuffleFigure.FIRST_RECORD_MILLIS, TimeUnit.NANOSECONDS.toMillis(nanos));
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
    private void verifyAfter(final Throwable cause) {
        if (isClosed()) {
            return;
        }
        failure = cause;
        try {
            if (!unverified.hasFailed()) {
                verifyRest();
            }
        } catch (final IOException | RuntimeException e) {
            LOG.warn("What has failed may have had records that no map wrote", e);
            cause.addSuppressed(e);
        }
        sendReports();
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
            sendReports();
            throw new UncheckedIOException(e);
        } finally {
            close();
        }
    }

    /** The task is about to fail: its fetch failure reports must not be lost with it. */
    private void sendReports() {
        try {
            context.getReduceTask().statusUpdate(context.getUmbilical());
        } catch (final IOException | RuntimeException e) {
            LOG.warn("Cannot report fetch failures to the MRAppMaster", e);
        }
    }

    /** Publishes that a task uses the stock shuffle. */
    public static void countStockFallback(final ShuffleConsumerPlugin.Context<?, ?> context) {
        final TaskReport report = new TaskReport();
        report.note("task", context.getReduceId().toString());
        report.add(ShuffleFigure.STOCK_FALLBACKS, 1);
        publish(report, context);
    }

    private static void publish(
            final TaskReport report, final ShuffleConsumerPlugin.Context<?, ?> context) {
        ReportPublisher.publish(
                report,
                context.getJobConf(),
                context.getReporter(),
                context.getStatus().getCounters());
    }

    /** Its fetching side, whose state belongs to its loop's thread. */
    FetchCoordinator coordinator() {
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
        report.add(ShuffleFigure.PEAK_BUFFER_BYTES, coordinator.peakBytes() + heads.peakBytes());
        publish(report, context);
    }
}
