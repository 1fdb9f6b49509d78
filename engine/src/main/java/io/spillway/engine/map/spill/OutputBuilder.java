// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.engine.settings.SpillSettings;
import io.spillway.engine.spi.MapHost;
import io.spillway.engine.spi.MapStage;
import io.spillway.engine.spi.OutputFiles;
import io.spillway.engine.spi.SortedSpill;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.sort.RecordTooLargeException;
import io.spillway.sort.SortBuffer;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import java.io.IOException;
import java.io.OutputStream;
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
 *
 * <p>The builder owns the state of the attempt. The first failure of a spill, of a flush or of
 * {@link #fail} ends the attempt: every later call that takes records or flushes throws it,
 * whatever the caller has caught. So records that were taken are in the output, or there is no
 * output. A record that was not taken, because its own encoding failed, leaves no trace.
 */
public final class OutputBuilder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OutputBuilder.class);

    /** What has become of the attempt. */
    private enum State {
        /** Takes records. */
        OPEN,
        /** Writes the output, or has written it. */
        FLUSHED,
        /** Has lost records, or was given up. */
        FAILED,
        /** Was closed before a flush. */
        CLOSED
    }

    private final SpillSettings settings;
    private final MapHost host;
    private final OutputFiles output;
    private final TaskReport report = new TaskReport();
    private final StageProfile profile;
    private final MergeProgress progress;
    private final JobCode jobCode = new JobCode();
    private final Spills spills;
    private final RemoteWriter remote;
    private final RecordAccount account = new RecordAccount();
    private final int shortRuns;
    private final OutputStream stream;
    private State state = State.OPEN;

    /** What has ended the attempt; null while nothing has. */
    private Throwable failure;

    /** Null once the output is being written. */
    private SortBuffer buffer;

    /** Creates a builder without records; the calling thread is the one that is profiled. */
    public OutputBuilder(final SpillSettings settings, final MapHost host) {
        this.settings = settings;
        this.host = host;
        this.output = host.output();
        report.note("task", host.task());
        profile = new StageProfile(settings.profilesStages() ? host.stages() : null);
        progress = new MergeProgress(host.sortPhase(), settings.partitions());
        spills = new Spills(settings, host, report, profile, progress, jobCode);
        remote = new RemoteWriter(settings, host, report, profile, spills, account);
        buffer =
                new SortBuffer(
                        settings.sortBytes(),
                        settings.partitions(),
                        host.order(),
                        this::spill,
                        host.heartbeat()::progress);
        if (settings.combinesByHash() && spills.hasCombiner()) {
            buffer.groupKeys();
        }
        stream = buffer.stream();
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
     * Where serializers write the record that was begun: the key, after {@link #endKey} the value.
     */
    public OutputStream stream() {
        return stream;
    }

    /**
     * Begins a record.
     *
     * @throws IOException when the attempt has failed, before or by a spill
     */
    public void beginRecord() throws IOException {
        requireOpen();
        buffer.beginRecord();
    }

    /** Ends the key of the record that was begun. */
    public void endKey() throws IOException {
        requireOpen();
        buffer.endKey();
    }

    /**
     * Takes the record that was begun. A serializer may have caught what the stream threw: it is
     * thrown again here.
     *
     * @return the bytes of key and value
     * @throws RecordTooLargeException when the record does not fit the buffer: {@link
     *     #discardRecord} and {@link #spillAlone} are to follow
     * @throws IOException when the attempt has failed
     */
    public int endRecord(final int partition) throws IOException {
        requireOpen();
        return buffer.endRecord(partition);
    }

    /** Drops the record that was begun, if there is one. */
    public void discardRecord() {
        if (buffer != null) {
            buffer.discardRecord();
        }
    }

    private void requireOpen() throws IOException {
        if (state != State.OPEN) {
            throw refusal();
        }
    }

    private IOException refusal() {
        return state == State.FAILED
                ? new IOException("Spill failed", failure)
                : new IOException("The map output takes no records any more: state=" + state);
    }

    /**
     * Ends the attempt by a failure, unless one has ended it before.
     *
     * @return what every later call throws; the text is stock's
     */
    public IOException fail(final Throwable cause) {
        if (state != State.FAILED) {
            failure = cause;
            state = State.FAILED;
        }
        return refusal();
    }

    /** Called by the buffer when it is full. */
    private void spill() throws IOException {
        jobCode.putAside();
        try {
            spills.spill(buffer);
            if (spills.count() >= shortRuns || !spills.all(output::canServeInPlace)) {
                buffer.widen();
            }
        } catch (final Throwable e) {
            throw fail(e);
        } finally {
            jobCode.restore();
        }
    }

    /**
     * Writes one record as a spill of its own: it is larger than the sort buffer. As in stock, the
     * combiner does not run, and a record that could not be written is not taken: it does not end
     * the attempt.
     *
     * @param record key, then value
     * @return the record's encoded length
     */
    public int spillAlone(
            final byte[] record, final int keyLength, final int valueLength, final int partition)
            throws IOException {
        requireOpen();
        jobCode.putAside();
        final int before = spills.count();
        try {
            return spills.spillAlone(record, keyLength, valueLength, partition);
        } catch (final Throwable e) {
            if (spills.count() > before) {
                fail(e);
            }
            throw e;
        } finally {
            jobCode.restore();
        }
    }

    /**
     * Writes the output. A second call does nothing where the first one has succeeded.
     *
     * @param collected the records that were accepted: written to the buffer, or spilled alone
     * @throws IOException when the output cannot be written, or has not all of the records, or the
     *     attempt has failed before
     */
    public void flush(final long collected)
            throws IOException, InterruptedException, ClassNotFoundException {
        LOG.info("Starting flush of map output");
        if (state == State.FLUSHED) {
            LOG.info("The map output was flushed before. Skipping flush.");
            return;
        }
        requireOpen();
        state = State.FLUSHED;
        jobCode.putAside();
        final SortBuffer last = buffer;
        buffer = null;
        account.expect(collected);
        try {
            writeOutput(last);
            account.requireAll();
            account.noteIn(report);
            host.counters().outputWritten(output.length());
            profile.writeTo(report);
            host.publisher().accept(report);
            output.keep();
        } catch (final Throwable e) {
            fail(e);
            throw e;
        } finally {
            jobCode.restore();
        }
    }

    private void writeOutput(final SortBuffer last)
            throws IOException, InterruptedException, ClassNotFoundException {
        final boolean always = settings.alwaysMerges();
        final boolean spillsAgain = always || (!spills.isEmpty() && spills.hasCombiner());
        if (spillsAgain) {
            spillRest(last);
        }
        if (last.records() == 0) {
            last.release();
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
            spillRest(last);
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

    private void spillRest(final SortBuffer last)
            throws IOException, InterruptedException, ClassNotFoundException {
        if (last.records() > 0) {
            spills.spill(last);
            last.release();
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
        countOutput(written, output.finish(written));
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
        if (state == State.OPEN) {
            state = State.CLOSED;
        }
        buffer = null;
        profile.close();
        spills.close();
    }
}
