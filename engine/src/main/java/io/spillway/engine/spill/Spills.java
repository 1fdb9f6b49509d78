package io.spillway.hadoop.map;

import io.spillway.hadoop.combine.Combiner;
import io.spillway.hadoop.combine.RecordSerializer;
import io.spillway.hadoop.tier.TaskTiers;
import io.spillway.ifile.VInts;
import io.spillway.report.ShuffleFigure;
import io.spillway.report.TaskReport;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.SortBuffer;
import io.spillway.sort.SortedRecords;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The spills of one map task: written, merged and deleted here. One thread at a time. */
final class Spills<K, V> {
    private static final Logger LOG = LoggerFactory.getLogger(Spills.class);

    /** The most uncompressed runs merged at a time: a buffer and an open file each. */
    private static final int MAX_FAN_IN = 512;

    /** The keys of a merge's heads, as parts of the heap: the reduce side takes no more either. */
    private static final int KEY_PARTS = 16;

    private final JobConf job;
    private final CollectSettings settings;
    private final TaskReporter reporter;
    private final TaskReport report;
    private final StageProfile profile;
    private final CompressionCodec codec;
    private final Combiner<K, V> combiner;
    private final SpillStore store;
    private final SpillMerger merger;
    private final Counters.Counter spilledRecords;
    private final List<SortedSpill> spills = new ArrayList<>();
    private int created;
    private int spilled;

    Spills(
            final MapOutputCollector.Context context,
            final CollectSettings settings,
            final SpillStore store,
            final KeyOrder order,
            final CompressionCodec codec,
            final TaskReport report,
            final StageProfile profile)
            throws IOException, ClassNotFoundException {
        this.job = context.getJobConf();
        this.settings = settings;
        this.reporter = context.getReporter();
        this.report = report;
        this.profile = profile;
        this.codec = codec;
        this.combiner = Combiner.of(job, context.getMapTask().getTaskID(), reporter);
        this.store = store;
        this.merger = new SpillMerger(order, codec);
        this.spilledRecords = reporter.getCounter(TaskCounter.SPILLED_RECORDS);
    }

    boolean isEmpty() {
        return spills.isEmpty();
    }

    /** The spills at hand. */
    int count() {
        return spills.size();
    }

    /** How often the task spilled: what decides whether the final merge combines, as in stock. */
    int spilled() {
        return spilled;
    }

    boolean hasCombiner() {
        return combiner != null;
    }

    /** The length of all spills, in bytes. */
    long bytes() {
        return bytesOf(spills);
    }

    private static long bytesOf(final List<SortedSpill> some) {
        return some.stream().mapToLong(spill -> spill.data().length()).sum();
    }

    /**
     * Opens a sink over {@code out}.
     *
     * @param combine whether the combiner, if there is one, runs over the partitions
     */
    SegmentSink<K, V> sink(final OutputStream out, final boolean combine) throws IOException {
        return new SegmentSink<>(
                out,
                settings.partitions(),
                codec,
                settings.blockLength(),
                combine ? combiner : null,
                reporter);
    }

    /** Sorts the buffer's records into the sink, all partitions. */
    void sortInto(final SortBuffer buffer, final SegmentSink<K, V> sink)
            throws IOException, InterruptedException, ClassNotFoundException {
        final long start = System.nanoTime();
        final SortedRecords sorted = buffer.sort();
        final long end = System.nanoTime();
        while (!sink.complete()) {
            sink.writeRange(sorted);
        }
        addMillis(ShuffleFigure.SORT_MILLIS, start, end);
        addMillis(ShuffleFigure.SPILL_MILLIS, end, System.nanoTime());
    }

    /** Sorts the buffer's records, writes them as a spill and clears them from the buffer. */
    void spill(final SortBuffer buffer)
            throws IOException, InterruptedException, ClassNotFoundException {
        LOG.info("Spilling map output: {} records, {} bytes", buffer.records(), buffer.bytes());
        spillBy(buffer.bytes(), true, sink -> sortInto(buffer, sink));
        buffer.clear();
        countSpill();
    }

    /**
     * Writes one record as a spill of its own: it is larger than the sort buffer. As in stock, the
     * combiner does not run.
     *
     * @return the record's encoded length
     */
    int spillAlone(final K key, final V value, final int partition) throws IOException {
        final DataOutputBuffer record = new DataOutputBuffer();
        final RecordSerializer<K, V> serializer = new RecordSerializer<>(job, record);
        serializer.key(key);
        final int keyLength = record.getLength();
        serializer.value(value);
        final int valueLength = record.getLength() - keyLength;
        try {
            spillBy(
                    record.getLength(),
                    false,
                    sink -> writeAlone(sink, record.getData(), keyLength, valueLength, partition));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Spill failed", e);
        } catch (final ClassNotFoundException e) {
            throw new IOException("Spill failed", e);
        }
        countSpill();
        return VInts.size(keyLength) + VInts.size(valueLength) + record.getLength();
    }

    private void spillBy(
            final long expectedBytes, final boolean combine, final SegmentSink.Filler<K, V> filler)
            throws IOException, InterruptedException, ClassNotFoundException {
        final long nanos =
                profile.time(
                        StageProfile.Stage.SPILL,
                        () -> spills.add(write(expectedBytes, combine, filler)));
        profile.spilled(nanos, spills.get(spills.size() - 1).data().length());
    }

    private void countSpill() throws IOException {
        LOG.info("Finished spill {}", spilled);
        settings.requireSpills(++spilled);
    }

    private void writeAlone(
            final SegmentSink<K, V> sink,
            final byte[] record,
            final int keyLength,
            final int valueLength,
            final int partition)
            throws IOException {
        while (!sink.complete()) {
            sink.writeSingle(sink.partition() == partition, record, keyLength, valueLength);
        }
    }

    private SortedSpill write(
            final long expectedBytes, final boolean combine, final SegmentSink.Filler<K, V> filler)
            throws IOException, InterruptedException, ClassNotFoundException {
        final SpillSink out = store.create("spill" + created++, expectedBytes);
        boolean committed = false;
        try (SegmentSink<K, V> sink = sink(out, combine)) {
            filler.fill(sink);
            final SortedSpill spill = sink.of(out.commit());
            committed = true;
            spilledRecords.increment(sink.recordsWritten());
            report.add(figureOf(spill), spill.data().length());
            return spill;
        } finally {
            if (!committed) {
                out.abort();
            }
        }
    }

    private ShuffleFigure figureOf(final SortedSpill spill) {
        return switch (spill.data().store()) {
            case TaskTiers.HEAP, TaskTiers.MEMORY -> ShuffleFigure.SPILL_MEMORY_BYTES;
            case TaskTiers.NVM ->
                    settings.stores().emulation().isOn()
                            ? ShuffleFigure.SPILL_EMULATED_NVM_BYTES
                            : ShuffleFigure.SPILL_NVM_BYTES;
            case TaskTiers.LUSTRE -> ShuffleFigure.SPILL_LUSTRE_BYTES;
            default -> ShuffleFigure.SPILL_DISK_BYTES;
        };
    }

    /** Whether every spill satisfies a condition. */
    boolean all(final Predicate<Spill> condition) {
        return spills.stream().map(SortedSpill::data).allMatch(condition);
    }

    /** Removes and gives all spills, in their order: they become the map output's runs. */
    List<SortedSpill> takeAll() {
        final List<SortedSpill> all = List.copyOf(spills);
        spills.clear();
        return all;
    }

    /** Removes and gives the only spill: it becomes the map output. */
    SortedSpill takeOnly() {
        return spills.remove(0);
    }

    /**
     * Merges spills with each other until the rest can be merged at once: those that followed each
     * other, so that equal keys stay in the order of emission, and the smallest of these. A run
     * with a codec holds a decompressor, therefore fewer of them; fewer also where keys are long,
     * as a merge holds one of each run.
     */
    void reduceFanIn() throws IOException, InterruptedException, ClassNotFoundException {
        final int fanIn = fanIn();
        while (spills.size() > fanIn) {
            final int runs = Math.min(fanIn, spills.size() - fanIn + 1);
            final int from = smallestGroup(runs);
            final List<SortedSpill> group = new ArrayList<>(spills.subList(from, from + runs));
            spills.subList(from, from + runs).clear();
            final SortedSpill merged =
                    write(
                            bytesOf(group),
                            false,
                            sink -> merger.merge(group, null, sink, reporter::progress));
            spills.add(from, merged);
            delete(group);
        }
    }

    private int fanIn() {
        final int most = codec == null ? MAX_FAN_IN : settings.mergeFactor();
        final int longestKey = spills.stream().mapToInt(SortedSpill::longestKey).max().orElse(0);
        final long keys = Runtime.getRuntime().maxMemory() / KEY_PARTS / Math.max(1, longestKey);
        return (int) Math.max(2, Math.min(most, keys));
    }

    /** Where the spills in succession begin that are the least bytes of all such groups. */
    private int smallestGroup(final int count) {
        long bytes = bytesOf(spills.subList(0, count));
        long least = bytes;
        int smallest = 0;
        for (int from = 1; from + count <= spills.size(); from++) {
            bytes += spills.get(from + count - 1).data().length();
            bytes -= spills.get(from - 1).data().length();
            if (bytes < least) {
                least = bytes;
                smallest = from;
            }
        }
        return smallest;
    }

    /** Merges all spills, and the records still in {@code buffer}, into the sink. */
    void mergeInto(
            final SortBuffer buffer, final SegmentSink<K, V> sink, final Runnable onPartition)
            throws IOException, InterruptedException, ClassNotFoundException {
        final SortedRecords rest = buffer.records() == 0 ? null : buffer.sort();
        merger.merge(spills, rest, sink, onPartition);
    }

    void deleteAll() {
        delete(spills);
        spills.clear();
    }

    private static void delete(final List<SortedSpill> merged) {
        for (final SortedSpill spill : merged) {
            spill.data().delete();
        }
    }

    private void addMillis(final ShuffleFigure figure, final long start, final long end) {
        report.add(figure, TimeUnit.NANOSECONDS.toMillis(end - start));
    }

    /** Deletes what is left. Idempotent. */
    void close() {
        deleteAll();
    }
}
