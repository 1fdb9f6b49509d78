// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.engine.settings.SpillSettings;
import io.spillway.engine.spi.MapCounters;
import io.spillway.engine.spi.MapHost;
import io.spillway.engine.spi.OutputFiles;
import io.spillway.engine.spi.RemoteOutput;
import io.spillway.engine.spi.SortedSpill;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.SegmentCipher;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.sort.KeyOrders;
import io.spillway.sort.RecordTooLargeException;
import io.spillway.store.HeapSpillStore;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.transport.SegmentPlace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.util.Progress;

/**
 * One map task of a framework that keeps everything in memory: emits the records that its shape
 * decides, and remembers what was left of them, where, and how it was counted. Used once.
 */
final class TestMap implements OutputFiles, MapCounters {
    /** Too large for the sort buffer. */
    private static final int HUGE_VALUE = 100_000;

    private static final int SORT_BYTES = 64 << 10;

    /**
     * What a map emits, and how it is set.
     *
     * @param seed of the records
     * @param records how many
     * @param huge whether some are larger than the sort buffer
     * @param keys how many there are
     * @param combiner what the job's does; null for none
     */
    record Shape(
            long seed,
            int records,
            boolean huge,
            int partitions,
            int keys,
            TestCombiner.Manner combiner,
            boolean compresses,
            boolean alwaysMerges,
            int mostRuns,
            int minSpillsForCombine,
            int blockLength) {
        private SpillSettings settings() {
            return new SpillSettings(
                    SORT_BYTES,
                    partitions,
                    false,
                    alwaysMerges,
                    mostRuns,
                    0,
                    SORT_BYTES,
                    blockLength,
                    minSpillsForCombine,
                    3,
                    seed % 4 != 1);
        }
    }

    /** One file of an output. */
    record Data(ByteBuffer bytes, ByteBuffer index, ByteBuffer checksums) {}

    /**
     * What a map has left.
     *
     * @param how its framework got it
     */
    record Left(
            String how,
            List<Data> files,
            long length,
            long recordsSpilled,
            int spills,
            long outputBytes,
            long combined,
            long combinedTo) {}

    private final Shape shape;
    private final LongFunction<Optional<RemoteOutput>> nodes;
    private final HeapSpillStore spillStore = new HeapSpillStore(1L << 30);
    private SpillStore spills = spillStore;
    private final HeapSpillStore outputStore = new HeapSpillStore(1L << 30);
    private final TestCombiner combiner;
    private final Progress sortPhase = new Progress();
    private final List<Data> files = new ArrayList<>();
    private long writtenRecords;
    private String how;
    private long length;
    private long recordsSpilled;
    private int spillCount;
    private long outputBytes;
    private TaskReport report;
    private List<SegmentPlace> places = List.of();

    /** A map whose output stays here. */
    TestMap(final Shape shape) {
        this(shape, expectedBytes -> Optional.empty());
    }

    TestMap(final Shape shape, final LongFunction<Optional<RemoteOutput>> nodes) {
        this.shape = shape;
        this.nodes = nodes;
        this.combiner = shape.combiner == null ? null : new TestCombiner(shape.combiner);
    }

    /** The same on a host whose memory turns a bit of each spill. */
    TestMap damaging() {
        spills = new DamagingStore(spillStore);
        return this;
    }

    Left run() throws Exception {
        return run(shape.records);
    }

    /**
     * Runs.
     *
     * @param collected how many records the framework says that it has emitted
     */
    Left run(final long collected) throws Exception {
        final CompressionCodec codec = codec();
        final MapHost host =
                new MapHost(
                        "map",
                        KeyOrders.of(new BytesWritable.Comparator()),
                        codec,
                        SegmentCipher.NONE,
                        combiner,
                        spills,
                        this,
                        this,
                        () -> {},
                        sortPhase,
                        null,
                        published -> report = published);
        try (OutputBuilder builder = new OutputBuilder(shape.settings(), host)) {
            emit(builder);
            builder.flush(collected);
        }
        return left();
    }

    /** What there is by now. */
    Left left() {
        return new Left(
                how,
                files,
                length,
                recordsSpilled,
                spillCount,
                outputBytes,
                combiner == null ? 0 : combiner.input(),
                combiner == null ? 0 : combiner.output());
    }

    private CompressionCodec codec() {
        if (!shape.compresses) {
            return null;
        }
        final DefaultCodec codec = new DefaultCodec();
        codec.setConf(new Configuration(false));
        return codec;
    }

    private void emit(final OutputBuilder builder) throws IOException {
        final Random random = new Random(shape.seed);
        for (int i = 0; i < shape.records; i++) {
            final int number = random.nextInt(shape.keys);
            final byte[] key = ByteBuffer.allocate(8).putInt(4).putInt(number * 31).array();
            final boolean huge = shape.huge && random.nextInt(shape.records) < 2;
            final byte[] value = new byte[huge ? HUGE_VALUE : random.nextInt(200)];
            random.nextBytes(value);
            final int partition = number % shape.partitions;
            try {
                builder.beginRecord();
                builder.stream().write(key);
                builder.endKey();
                builder.stream().write(value);
                builder.endRecord(partition);
            } catch (final RecordTooLargeException e) {
                builder.discardRecord();
                final ByteBuffer record = ByteBuffer.allocate(key.length + value.length);
                record.put(key).put(value);
                builder.spillAlone(record.array(), key.length, value.length, partition);
            }
        }
    }

    boolean hasOutput() {
        return how != null;
    }

    TaskReport report() {
        return report;
    }

    /** The records of all segments of the output, by its account. */
    long writtenRecords() {
        return writtenRecords;
    }

    List<SegmentPlace> places() {
        return places;
    }

    float sortProgress() {
        return sortPhase.get();
    }

    /** The bytes of spills that were not deleted. */
    long spillBytesLeft() {
        return spillStore.usedBytes();
    }

    // ---- the output ----------------------------------------------------------------------------

    @Override
    public SpillSink create(final long expectedBytes) throws IOException {
        return outputStore.create("output", expectedBytes);
    }

    @Override
    public Spill finish(final SortedSpill output) throws IOException {
        leave("finished", List.of(output));
        return output.data();
    }

    @Override
    public Spill adopt(final SortedSpill spill) throws IOException {
        leave("adopted", List.of(spill));
        return spill.data();
    }

    @Override
    public void leaveRuns(final List<SortedSpill> runs) throws IOException {
        leave("runs", runs);
    }

    @Override
    public Optional<RemoteOutput> remote(final long expectedBytes) {
        return nodes.apply(expectedBytes);
    }

    @Override
    public void leavePlaces(final List<SegmentPlace> where, final long bytes) throws IOException {
        leave("places", List.of());
        places = where;
        length = bytes;
    }

    private void leave(final String manner, final List<SortedSpill> spills) throws IOException {
        if (how != null) {
            throw new IllegalStateException(manner + ", but was " + how + " before");
        }
        how = manner;
        for (final SortedSpill spill : spills) {
            final ByteArrayOutputStream index = new ByteArrayOutputStream();
            spill.index().writeTo(index);
            final ByteArrayOutputStream sums = new ByteArrayOutputStream();
            spill.checksums().writeTo(sums, spills.size());
            files.add(
                    new Data(
                            ByteBuffer.wrap(bytes(spill.data())),
                            ByteBuffer.wrap(index.toByteArray()),
                            ByteBuffer.wrap(sums.toByteArray())));
            length += spill.data().length();
            for (int partition = 0; partition < shape.partitions; partition++) {
                writtenRecords += spill.counts().of(partition);
            }
        }
    }

    private static byte[] bytes(final Spill spill) throws IOException {
        try (InputStream in = spill.open(0, spill.length())) {
            return in.readAllBytes();
        }
    }

    /** A segment of an output, or of one of its runs. */
    static byte[] segment(final Left left, final int run, final int partition) throws IOException {
        final Data file = left.files.get(run);
        final MapOutputIndex index =
                MapOutputIndex.readFrom(file.index.duplicate(), "index", file.bytes.capacity());
        final IndexEntry entry = index.get(partition);
        final byte[] segment = new byte[(int) entry.partLength()];
        file.bytes.get((int) entry.startOffset(), segment);
        return segment;
    }

    @Override
    public boolean canServeInPlace(final Spill spill) {
        return true;
    }

    @Override
    public boolean servesSpillsInPlace() {
        return true;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public void keep() {
        if (how == null) {
            throw new IllegalStateException("keep: there is no output");
        }
    }

    // ---- counters ------------------------------------------------------------------------------

    @Override
    public void recordsSpilled(final long count) {
        recordsSpilled += count;
    }

    @Override
    public void spilled(final int spills) {
        spillCount = spills;
    }

    @Override
    public void outputWritten(final long bytes) {
        outputBytes += bytes;
    }

    @Override
    public ShuffleCounter figureOfSpill(final String tier) {
        return ShuffleCounter.SPILL_MEMORY_BYTES;
    }

    @Override
    public ShuffleCounter figureOfOutput(final String tier) {
        return ShuffleCounter.OUTPUT_MEMORY_BYTES;
    }
}
