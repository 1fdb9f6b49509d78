// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.engine.settings.SpillSettings;
import io.spillway.engine.spi.MapHost;
import io.spillway.engine.spi.MapStage;
import io.spillway.engine.spi.SortedSpill;
import io.spillway.ifile.SegmentWriter;
import io.spillway.ifile.VInts;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.sort.SortBuffer;
import io.spillway.sort.SortedRecords;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The spills of one map task: written, merged and deleted here. One thread at a time. */
final class Spills {
    private static final Logger LOG = LoggerFactory.getLogger(Spills.class);

    /** The most uncompressed runs merged at a time: a buffer and an open file each. */
    private static final int MAX_FAN_IN = 512;

    /** The keys of a merge's heads, as parts of the heap: the reduce side takes no more either. */
    private static final int KEY_PARTS = 16;

    private final SpillSettings settings;
    private final MapHost host;
    private final TaskReport report;
    private final StageProfile profile;
    private final MergeProgress progress;
    private final JobCode jobCode;
    private final SpillMerger merger;
    private final List<SortedSpill> spills = new ArrayList<>();
    private int created;
    private int spilled;

    Spills(
            final SpillSettings settings,
            final MapHost host,
            final TaskReport report,
            final StageProfile profile,
            final MergeProgress progress,
            final JobCode jobCode) {
        this.settings = settings;
        this.host = host;
        this.report = report;
        this.profile = profile;
        this.progress = progress;
        this.jobCode = jobCode;
        this.merger = new SpillMerger(host.order(), host.codecOrNull(), host.cipher(), jobCode);
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
        return host.combinerOrNull() != null;
    }

    /** The length of all spills, in bytes. */
    long bytes() {
        return bytesOf(spills);
    }

    private static long bytesOf(final List<SortedSpill> some) {
        long bytes = 0;
        for (final SortedSpill spill : some) {
            bytes += spill.data().length();
        }
        return bytes;
    }

    /**
     * Opens a sink over {@code out}.
     *
     * @param combine whether the combiner, if there is one, runs over the partitions
     */
    PartitionWriter sink(final OutputStream out, final boolean combine) throws IOException {
        return sink(out, (segment, records) -> {}, settings.blockLength(), combine);
    }

    /**
     * As {@link #sink(OutputStream, boolean)}, for an {@code out} that takes segments apart, and
     * sums what it takes itself.
     */
    PartitionWriter sink(
            final OutputStream out,
            final PartitionWriter.SegmentEnd segmentEnd,
            final boolean combine)
            throws IOException {
        return sink(out, segmentEnd, SegmentWriter.NO_BLOCKS, combine);
    }

    private PartitionWriter sink(
            final OutputStream out,
            final PartitionWriter.SegmentEnd segmentEnd,
            final int blockLength,
            final boolean combine)
            throws IOException {
        return new PartitionWriter(
                out,
                segmentEnd,
                settings.partitions(),
                host.codecOrNull(),
                host.cipher(),
                blockLength,
                combine ? host.combinerOrNull() : null,
                host.heartbeat());
    }

    /** Sorts the buffer's records into the sink, all partitions. */
    void sortInto(final SortBuffer buffer, final PartitionWriter sink)
            throws IOException, InterruptedException, ClassNotFoundException {
        final long start = System.nanoTime();
        final SortedRecords sorted = jobCode.call(buffer::sort);
        final long end = System.nanoTime();
        while (!sink.complete()) {
            jobCode.call(
                    () -> {
                        sink.writeRange(sorted);
                        return null;
                    });
        }
        addMillis(ShuffleCounter.SORT_MILLIS, start, end);
        addMillis(ShuffleCounter.SPILL_MILLIS, end, System.nanoTime());
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
     * @param record key, then value
     * @return the record's encoded length
     */
    int spillAlone(
            final byte[] record, final int keyLength, final int valueLength, final int partition)
            throws IOException {
        try {
            spillBy(
                    (long) keyLength + valueLength,
                    false,
                    sink -> writeAlone(sink, record, keyLength, valueLength, partition));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Spill failed", e);
        } catch (final ClassNotFoundException e) {
            throw new IOException("Spill failed", e);
        }
        countSpill();
        return VInts.size(keyLength) + VInts.size(valueLength) + keyLength + valueLength;
    }

    private void spillBy(
            final long expectedBytes, final boolean combine, final PartitionWriter.Filler filler)
            throws IOException, InterruptedException, ClassNotFoundException {
        final long nanos =
                profile.time(
                        MapStage.SPILL, () -> spills.add(write(expectedBytes, combine, filler)));
        profile.spilled(nanos, spills.get(spills.size() - 1).data().length());
    }

    /** The records of a buffer were written, as a spill or as a run of the output. */
    void countSpill() throws IOException {
        LOG.info("Finished spill {}", spilled);
        host.counters().spilled(++spilled);
    }

    private void writeAlone(
            final PartitionWriter sink,
            final byte[] record,
            final int keyLength,
            final int valueLength,
            final int partition)
            throws IOException, InterruptedException, ClassNotFoundException {
        while (!sink.complete()) {
            jobCode.call(
                    () -> {
                        final boolean here = sink.partition() == partition;
                        sink.writeSingle(here, record, keyLength, valueLength);
                        return null;
                    });
        }
    }

    private SortedSpill write(
            final long expectedBytes, final boolean combine, final PartitionWriter.Filler filler)
            throws IOException, InterruptedException, ClassNotFoundException {
        final SpillSink out = host.spills().create("spill" + created++, expectedBytes);
        boolean committed = false;
        try (PartitionWriter sink = sink(out, combine)) {
            filler.fill(sink);
            final SortedSpill spill = sink.of(out.commit());
            committed = true;
            host.counters().recordsSpilled(sink.recordsWritten());
            report.add(host.counters().figureOfSpill(spill.data().store()), spill.data().length());
            return spill;
        } finally {
            if (!committed) {
                out.abort();
            }
        }
    }

    /** Whether every spill satisfies a condition. */
    boolean all(final Predicate<Spill> condition) {
        for (final SortedSpill spill : spills) {
            if (!condition.test(spill.data())) {
                return false;
            }
        }
        return true;
    }

    /** Whether the blocks of every spill have checksums. */
    boolean haveChecksums() {
        for (final SortedSpill spill : spills) {
            if (spill.checksums() == null) {
                return false;
            }
        }
        return true;
    }

    /** All spills, in their order; they stay here. */
    List<SortedSpill> list() {
        return List.copyOf(spills);
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
                            sink -> merger.merge(group, null, sink, host.heartbeat()::progress));
            spills.add(from, merged);
            delete(group);
        }
    }

    private int fanIn() {
        final int most = host.codecOrNull() == null ? MAX_FAN_IN : settings.mergeFactor();
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

    /**
     * Merges all spills, and the records still in {@code buffer}, into the sink. Where that fails
     * it can be done again, into another one.
     */
    void mergeInto(final SortBuffer buffer, final PartitionWriter sink)
            throws IOException, InterruptedException, ClassNotFoundException {
        final SortedRecords rest = buffer.records() == 0 ? null : jobCode.call(buffer::sort);
        progress.begin();
        merger.merge(spills, rest, sink, progress::mergedPartition);
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

    private void addMillis(final ShuffleCounter figure, final long start, final long end) {
        report.add(figure, TimeUnit.NANOSECONDS.toMillis(end - start));
    }

    /** Deletes what is left. Idempotent. */
    void close() {
        deleteAll();
    }
}
