package io.spillway.engine.spill;

import io.spillway.engine.settings.SpillSettings;
import io.spillway.engine.spi.MapHost;
import io.spillway.engine.spi.MapStage;
import io.spillway.engine.spi.OutputFiles;
import io.spillway.engine.spi.SortedSpill;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.sort.SortBuffer;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the output of one map task: takes encoded records, spills when the buffer is full, merges
 * at the end. One thread at a time.
 *
 * <p>Steps are saved where they bring nothing: an output that fits the buffer is sorted once and
 * gathered once, straight into its final file; with spills and no combiner, the records still in
 * the buffer are merged from there instead of being spilled first. Where the spills are in the
 * node's memory and the reducers can read runs, they are not merged at all.
 *
 * <p>Where the framework has other nodes for the output it is written to them, and touches no tier
 * of this host but for its spills. Where they fail it is written here after all, from the same
 * buffer and spills.
 */
public final class OutputBuilder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OutputBuilder.class);

    private final SpillSettings settings;
    private final MapHost host;
    private final OutputFiles output;
    private final TaskReport report = new TaskReport();
    private final StageProfile profile;
    private final MergeProgress progress;
    private final Spills spills;
    private final RemoteWriter remote;
    private final RecordAccount account = new RecordAccount();
    private final int shortRuns;
    private SortBuffer buffer;

    /** Creates a builder without records; the calling thread is the one that is profiled. */
    public OutputBuilder(final SpillSettings settings, final MapHost host) {
        this.settings = settings;
        this.host = host;
        this.output = host.output();
        report.note("task", host.task());
        profile = new StageProfile(settings.profilesStages() ? host.stages() : null);
        progress = new MergeProgress(host.sortPhase(), settings.partitions());
        spills = new Spills(settings, host, report, profile, progress);
        remote = new RemoteWriter(settings, host, report, profile, spills, account);
        buffer =
                new SortBuffer(
                        settings.sortBytes(),
                        settings.partitions(),
                        host.order(),
                        this::spill,
                        host.heartbeat()::progress);
        shortRuns = output.servesSpillsInPlace() ? settings.shortRuns() : 0;
        if (shortRuns > 0) {
            buffer.narrow(settings.shortRunBytes());
        }
    }

    /** Begins to tell stages apart, once the collector is sure to stay the task's. */
    public void startProfiling() {
        profile.startSampling();
    }

    /**
     * What records are written to, one by one; it spills when it is full. Null once the output was
     * written.
     */
    public SortBuffer buffer() {
        return buffer;
    }

    /** Called by the buffer when it is full; the text is stock's. */
    private void spill() throws IOException {
        try {
            spills.spill(buffer);
            if (spills.count() >= shortRuns || !spills.all(output::canServeInPlace)) {
                buffer.widen();
            }
        } catch (final IOException | ClassNotFoundException | RuntimeException e) {
            throw new IOException("Spill failed", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Spill failed", e);
        }
    }

    /**
     * Writes one record as a spill of its own: it is larger than the sort buffer. As in stock, the
     * combiner does not run.
     *
     * @param record key, then value
     * @return the record's encoded length
     */
    public int spillAlone(
            final byte[] record, final int keyLength, final int valueLength, final int partition)
            throws IOException {
        return spills.spillAlone(record, keyLength, valueLength, partition);
    }

    /**
     * Writes the output. A second call, after a failure, does nothing.
     *
     * @param collected the records that were accepted: written to the buffer, or spilled alone
     * @throws IOException when the output cannot be written, or has not all of the records
     */
    public void flush(final long collected)
            throws IOException, InterruptedException, ClassNotFoundException {
        LOG.info("Starting flush of map output");
        if (buffer == null) {
            LOG.info("The map output was flushed before. Skipping flush.");
            return;
        }
        final SortBuffer last = buffer;
        buffer = null;
        writeOutput(last);
        account.requireAll(collected);
        account.noteIn(report);
        output.keep();
        host.counters().outputWritten(output.length());
        profile.writeTo(report);
        host.publisher().accept(report);
    }

    private void writeOutput(final SortBuffer last)
            throws IOException, InterruptedException, ClassNotFoundException {
        final boolean always = settings.alwaysMerges();
        final boolean spillsAgain = always || (!spills.isEmpty() && spills.hasCombiner());
        if (spillsAgain && last.records() > 0) {
            spills.spill(last);
        }
        if (!remote.write(last)) {
            writeHere(last);
        }
        progress.complete();
    }

    private void writeHere(final SortBuffer last)
            throws IOException, InterruptedException, ClassNotFoundException {
        if (spills.isEmpty()) {
            writeDirectly(last);
            return;
        }
        if (mayLeaveRuns(spills.count() + (last.records() > 0 ? 1 : 0))) {
            if (last.records() > 0) {
                spills.spill(last);
            }
            if (mayLeaveRuns(spills.count())) {
                leaveRuns();
                return;
            }
        }
        if (spills.count() == 1 && last.records() == 0) {
            profile.time(MapStage.MERGE, this::adoptOnly);
        } else {
            profile.time(MapStage.MERGE, () -> merge(last));
        }
    }

    private void adoptOnly() throws IOException {
        final SortedSpill only = spills.takeOnly();
        countOutput(only, output.adopt(only));
    }

    /** Whether so many spills can be left to the reducers as they are. */
    private boolean mayLeaveRuns(final int runs) {
        return runs > 1 && runs <= settings.mostRuns() && spills.all(output::canServeInPlace);
    }

    private void leaveRuns() throws IOException, InterruptedException, ClassNotFoundException {
        profile.time(
                MapStage.MERGE,
                () -> {
                    final List<SortedSpill> runs = spills.takeAll();
                    output.leaveRuns(runs);
                    runs.forEach(run -> countOutput(run, run.data()));
                });
    }

    /** The whole output fits the buffer: one sort, one gather, no spill and no merge. */
    private void writeDirectly(final SortBuffer last)
            throws IOException, InterruptedException, ClassNotFoundException {
        profile.time(
                MapStage.SPILL,
                () -> write(last.bytes(), true, sink -> spills.sortInto(last, sink)));
    }

    private void write(
            final long expectedBytes, final boolean combine, final PartitionWriter.Filler filler)
            throws IOException, InterruptedException, ClassNotFoundException {
        final SortedSpill written;
        try (SpillSink out = output.create(expectedBytes);
                PartitionWriter sink = spills.sink(out, combine)) {
            filler.fill(sink);
            host.counters().recordsSpilled(sink.recordsWritten());
            written = sink.of(out.commit());
        }
        output.finish(written);
        countOutput(written, written.data());
    }

    private void countOutput(final SortedSpill part, final Spill data) {
        account.add(part);
        report.add(host.counters().figureOfOutput(data.store()), data.length());
    }

    private void merge(final SortBuffer last)
            throws IOException, InterruptedException, ClassNotFoundException {
        final long start = System.nanoTime();
        spills.reduceFanIn();
        write(
                spills.bytes() + last.bytes(),
                spills.spilled() >= settings.minSpillsForCombine(),
                sink -> spills.mergeInto(last, sink));
        report.add(
                ShuffleCounter.MERGE_MILLIS,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        spills.deleteAll();
    }

    /** Frees memory and deletes what spills are left. Idempotent. */
    @Override
    public void close() {
        buffer = null;
        profile.close();
        spills.close();
    }
}
