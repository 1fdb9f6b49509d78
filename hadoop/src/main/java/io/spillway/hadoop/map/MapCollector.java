package io.spillway.hadoop.map;

import io.spillway.hadoop.combine.RecordSerializer;
import io.spillway.hadoop.report.ReportPublisher;
import io.spillway.hadoop.tier.TaskTiers;
import io.spillway.report.ShuffleFigure;
import io.spillway.report.TaskReport;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import io.spillway.sort.RecordTooLargeException;
import io.spillway.sort.SortBuffer;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.Progress;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the output of one map task: collects records, spills when the buffer is full, merges at
 * the end. Not thread-safe: the collector in front of it is synchronized.
 *
 * <p>Steps are saved where stock takes them: an output that fits the buffer is sorted once and
 * gathered once, straight into its final file; with spills and no combiner, the records still in
 * the buffer are merged from there instead of being spilled first. Where the spills are in the
 * node's memory and the reducers are Spillway's, they are not merged at all.
 *
 * @param <K> map output key
 * @param <V> map output value
 */
public final class MapOutputBuilder<K, V> {
    private static final Logger LOG = LoggerFactory.getLogger(MapOutputBuilder.class);

    private final JobConf job;
    private final CollectSettings settings;
    private final TaskReporter reporter;
    private final Progress sortPhase;
    private final TaskReport report = new TaskReport();
    private final StageProfile profile;
    private final MapStores stores;
    private final MapOutputWriter output;
    private final Spills<K, V> spills;
    private final Counters.Counter outputRecords;
    private final Counters.Counter outputBytes;
    private final Counters.Counter materializedBytes;
    private final Counters.Counter spilledRecords;

    private final int shortRuns;
    private SortBuffer buffer;
    private RecordSerializer<K, V> serializer;

    private MapOutputBuilder(final MapOutputCollector.Context context)
            throws IOException, ClassNotFoundException {
        job = context.getJobConf();
        settings = CollectSettings.of(job);
        reporter = context.getReporter();
        sortPhase = context.getMapTask().getSortPhase();
        report.note("task", context.getMapTask().getTaskID().toString());
        profile = new StageProfile(settings.profilesStages());
        stores = MapStores.open(context, settings.stores());
        output = new MapOutputWriter(job, context.getMapTask().getMapOutputFile(), stores);
        outputRecords = reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS);
        outputBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_BYTES);
        materializedBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES);
        spilledRecords = reporter.getCounter(TaskCounter.SPILLED_RECORDS);
        final KeyOrder order =
                settings.usePrefix()
                        ? KeyOrders.of(job.getOutputKeyComparator())
                        : KeyOrders.comparing(job.getOutputKeyComparator());
        spills =
                new Spills<>(
                        context, settings, stores.spills(), order, codec(job), report, profile);
        buffer =
                new SortBuffer(
                        settings.sortBytes(),
                        settings.partitions(),
                        order,
                        this::spill,
                        reporter::progress);
        shortRuns = stores.servesSpillsInPlace() ? settings.shortRuns() : 0;
        if (shortRuns > 0) {
            buffer.narrow(CollectSettings.SHORT_RUN_BYTES);
        }
        serializer = new RecordSerializer<>(job, new RecordOutput(buffer.stream()));
        profile.startSampling();
    }

    /**
     * Opens a builder for a map task.
     *
     * @throws IOException when a setting is out of range, or asks for what Spillway does not do
     */
    public static <K, V> MapOutputBuilder<K, V> open(final MapOutputCollector.Context context)
            throws IOException, ClassNotFoundException {
        return new MapOutputBuilder<>(context);
    }

    private static CompressionCodec codec(final JobConf job) {
        return job.getCompressMapOutput()
                ? ReflectionUtils.newInstance(
                        job.getMapOutputCompressorClass(DefaultCodec.class), job)
                : null;
    }

    /**
     * Takes one record.
     *
     * @throws IOException with stock's texts for a wrong class or partition, or when a spill fails
     */
    public void collect(final K key, final V value, final int partition) throws IOException {
        reporter.progress();
        requireClass("key", key, serializer.keyClass());
        requireClass("value", value, serializer.valueClass());
        if (partition < 0 || partition >= settings.partitions()) {
            throw new IOException("Illegal partition for " + key + " (" + partition + ")");
        }
        try {
            buffer.beginRecord();
            serializer.key(key);
            buffer.endKey();
            serializer.value(value);
            outputBytes.increment(buffer.endRecord(partition));
        } catch (final RecordTooLargeException e) {
            buffer.discardRecord();
            LOG.info("Record too large for in-memory buffer: {}", e.getMessage());
            spillAlone(key, value, partition);
        } catch (final IOException | RuntimeException e) {
            buffer.discardRecord();
            throw e;
        }
        outputRecords.increment(1);
    }

    private static void requireClass(
            final String what, final Object object, final Class<?> expected) throws IOException {
        if (object.getClass() != expected) {
            throw new IOException(
                    "Type mismatch in "
                            + what
                            + " from map: expected "
                            + expected.getName()
                            + ", received "
                            + object.getClass().getName());
        }
    }

    /** Called by the buffer when it is full; the text is stock's. */
    private void spill() throws IOException {
        try {
            spills.spill(buffer);
            if (spills.count() >= shortRuns || !spills.all(stores::canServeInPlace)) {
                buffer.widen();
            }
        } catch (final IOException | ClassNotFoundException | RuntimeException e) {
            throw new IOException("Spill failed", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Spill failed", e);
        }
    }

    private void spillAlone(final K key, final V value, final int partition) throws IOException {
        outputBytes.increment(spills.spillAlone(key, value, partition));
    }

    /**
     * Writes the map output. The second call, which Hadoop makes after a failure, does nothing.
     *
     * @throws IOException when the output cannot be written
     */
    public void flush() throws IOException, InterruptedException, ClassNotFoundException {
        LOG.info("Starting flush of map output");
        if (buffer == null) {
            LOG.info("The map output was flushed before. Skipping flush.");
            return;
        }
        final SortBuffer last = buffer;
        buffer = null;
        serializer = null;
        writeOutput(last);
        stores.keepOutput();
        materializedBytes.increment(output.length());
        profile.writeTo(report);
        ReportPublisher.publish(report, job, reporter);
    }

    private void writeOutput(final SortBuffer last)
            throws IOException, InterruptedException, ClassNotFoundException {
        final boolean always = settings.stores().alwaysMerges();
        if (spills.isEmpty() && (!always || last.records() == 0)) {
            writeDirectly(last);
            sortPhase.complete();
            return;
        }
        if ((always || spills.hasCombiner()) && last.records() > 0) {
            spills.spill(last);
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
            profile.time(
                    StageProfile.Stage.MERGE, () -> countOutput(output.adopt(spills.takeOnly())));
        } else {
            profile.time(StageProfile.Stage.MERGE, () -> merge(last));
        }
        sortPhase.complete();
    }

    /** Whether so many spills can be left to the reducers as they are. */
    private boolean mayLeaveRuns(final int runs) {
        return runs > 1 && runs <= settings.mostRuns() && spills.all(stores::canServeInPlace);
    }

    private void leaveRuns() throws IOException, InterruptedException, ClassNotFoundException {
        profile.time(
                StageProfile.Stage.MERGE,
                () -> {
                    final List<SortedSpill> runs = spills.takeAll();
                    output.leaveRuns(runs);
                    runs.forEach(run -> countOutput(run.data()));
                });
        sortPhase.complete();
    }

    /** The whole output fits the buffer: one sort, one gather, no spill and no merge. */
    private void writeDirectly(final SortBuffer last)
            throws IOException, InterruptedException, ClassNotFoundException {
        profile.time(
                StageProfile.Stage.SPILL,
                () -> write(last.bytes(), true, sink -> spills.sortInto(last, sink)));
    }

    private void write(
            final long expectedBytes, final boolean combine, final SegmentSink.Filler<K, V> filler)
            throws IOException, InterruptedException, ClassNotFoundException {
        final SortedSpill written;
        try (SpillSink out = output.create(expectedBytes);
                SegmentSink<K, V> sink = spills.sink(out, combine)) {
            filler.fill(sink);
            spilledRecords.increment(sink.recordsWritten());
            written = sink.of(out.commit());
        }
        output.finish(written);
        countOutput(written.data());
    }

    private void countOutput(final Spill data) {
        report.add(figureOf(data), data.length());
    }

    private ShuffleFigure figureOf(final Spill data) {
        if (TaskTiers.DISK.equals(data.store())) {
            return ShuffleFigure.OUTPUT_DISK_BYTES;
        }
        return TaskTiers.NVM.equals(data.store()) && settings.stores().emulation().isOn()
                ? ShuffleFigure.OUTPUT_EMULATED_NVM_BYTES
                : ShuffleFigure.OUTPUT_MEMORY_BYTES;
    }

    private void merge(final SortBuffer last)
            throws IOException, InterruptedException, ClassNotFoundException {
        sortPhase.addPhases(settings.partitions());
        final long start = System.nanoTime();
        spills.reduceFanIn();
        write(
                spills.bytes() + last.bytes(),
                spills.spilled() >= settings.minSpillsForCombine(),
                sink -> spills.mergeInto(last, sink, sortPhase::startNextPhase));
        report.add(
                ShuffleFigure.MERGE_MILLIS,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        spills.deleteAll();
    }

    /** Frees memory and deletes what spills are left. Idempotent. */
    public void close() {
        buffer = null;
        profile.close();
        spills.close();
        stores.close();
    }
}
