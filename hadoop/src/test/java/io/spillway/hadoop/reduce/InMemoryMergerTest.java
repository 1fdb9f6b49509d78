// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.conf.Setting;
import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.report.FigureCounters;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Merging and combining while maps run, against nodes in memory. */
@Timeout(value = 90, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InMemoryMergerTest {
    private static final int WINDOW = 1024;
    private static final String MERGE_THREAD = "spillway-merge";
    private static final long PATIENCE_MILLIS = 2_000;

    /** The threads in which keys were compared. */
    private static final Set<String> COMPARED = ConcurrentHashMap.newKeySet();

    private static final AtomicInteger COMPARING = new AtomicInteger();
    private static volatile boolean comparedAtTheSameTime;

    /** Text's own, but without prefixes; notes who uses it. */
    public static final class NotingComparator extends Text.Comparator {
        @Override
        public int compare(
                final byte[] a,
                final int aStart,
                final int aLength,
                final byte[] b,
                final int bStart,
                final int bLength) {
            if (COMPARING.incrementAndGet() > 1) {
                comparedAtTheSameTime = true;
            }
            COMPARED.add(Thread.currentThread().getName());
            final int compared = super.compare(a, aStart, aLength, b, bStart, bLength);
            COMPARING.decrementAndGet();
            return compared;
        }
    }

    /** What the combiners below do with each key. */
    @FunctionalInterface
    private interface Behaviour {
        void onKey() throws IOException, InterruptedException;
    }

    private static volatile Behaviour behaviour;
    private static volatile int paddedTo;

    private static Text sum(final Iterator<Text> values) throws IOException, InterruptedException {
        behaviour.onKey();
        long sum = 0;
        while (values.hasNext()) {
            sum += Long.parseLong(values.next().toString());
        }
        final String digits = Long.toString(sum);
        return new Text("0".repeat(Math.max(0, paddedTo - digits.length())) + digits);
    }

    /** The new API. */
    public static final class NewCombiner extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            context.getCounter("test", "combined").increment(1);
            context.write(key, sum(values.iterator()));
        }
    }

    /** The old API. */
    public static final class OldCombiner extends MapReduceBase
            implements org.apache.hadoop.mapred.Reducer<Text, Text, Text, Text> {
        @Override
        public void reduce(
                final Text key,
                final Iterator<Text> values,
                final OutputCollector<Text, Text> output,
                final Reporter reporter)
                throws IOException {
            reporter.incrCounter("test", "combined", 1);
            try {
                output.collect(key, sum(values));
            } catch (final InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    enum Api {
        OLD,
        NEW
    }

    @TempDir Path localDir;

    private final Random random = new Random(21);
    private final MemoryTransport transport = new MemoryTransport(22);
    private final List<TestSegment> segments = new ArrayList<>();

    /** Other tests leave shuffles open. */
    private Set<Thread> threadsOfOthers;

    private static Set<Thread> mergeThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(MERGE_THREAD))
                .collect(Collectors.toSet());
    }

    @BeforeEach
    void reset() {
        threadsOfOthers = mergeThreads();
        COMPARED.clear();
        comparedAtTheSameTime = false;
        behaviour = () -> {};
        paddedTo = 0;
    }

    @AfterEach
    void close() throws InterruptedException {
        transport.close();
        assertThat(comparedAtTheSameTime).as("two threads compare at the same time").isFalse();
        // An executor has terminated a moment before its last thread is gone.
        for (final Thread thread : mergeThreads()) {
            if (!threadsOfOthers.contains(thread)) {
                thread.join(PATIENCE_MILLIS);
            }
        }
        assertThat(mergeThreads()).as("threads left").isSubsetOf(threadsOfOthers);
    }

    // ---- jobs ----------------------------------------------------------------------------------

    private ReduceFixture task(final int maps, final int factor) {
        return task(maps, Integer.toString(factor));
    }

    private ReduceFixture task(final int maps, final String factor) {
        final ReduceFixture task =
                new ReduceFixture(maps, localDir)
                        .set(EngineKeys.SORT_PREFIX.name(), "false")
                        .set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), factor);
        task.conf.setOutputKeyComparatorClass(NotingComparator.class);
        return task;
    }

    private ReduceFixture combining(final int maps, final Api api, final String when) {
        final ReduceFixture task = task(maps, 2).withHadoopsReporter();
        task.set(EngineKeys.SHUFFLE_COMBINE.name(), when);
        task.set("io.serializations", "org.apache.hadoop.io.serializer.WritableSerialization");
        if (api == Api.OLD) {
            task.conf.setCombinerClass(OldCombiner.class);
        } else {
            task.conf.setClass(MRJobConfig.COMBINE_CLASS_ATTR, NewCombiner.class, Reducer.class);
        }
        return task;
    }

    private void put(final int map, final TestSegment segment) {
        segments.add(segment);
        transport.put(ReduceFixture.node(map % 3), ReduceFixture.map(map, 0).toString(), segment);
    }

    private static void announce(final ReduceFixture task, final int from, final int to) {
        for (int map = from; map < to; map++) {
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map % 3));
        }
    }

    /** A map's counts, each a Text. */
    private TestSegment counts(final int records, final int keys) throws IOException {
        final List<TestSegment.Entry> entries = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            final String count = Integer.toString(random.nextInt(1000));
            entries.add(
                    new TestSegment.Entry(
                            "key-" + random.nextInt(keys), (char) count.length() + count));
        }
        return TestSegment.of(entries, null);
    }

    private static Map<String, Long> sums(final List<TestSegment.Entry> entries) {
        final Map<String, Long> sums = new TreeMap<>();
        entries.forEach(
                e -> sums.merge(e.key(), Long.parseLong(e.value().substring(1)), Long::sum));
        return sums;
    }

    private static boolean hasMerged() {
        return COMPARED.stream().anyMatch(thread -> thread.startsWith(MERGE_THREAD));
    }

    /** Announces the last map once the others are being merged. */
    private static Thread announceLast(final ReduceFixture task) {
        return announceLastWhen(task, InMemoryMergerTest::hasMerged);
    }

    private static Thread announceLastWhen(
            final ReduceFixture task, final BooleanSupplier condition) {
        final int last = task.conf.getNumMapTasks() - 1;
        final Thread thread =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> !condition.getAsBoolean());
                            announce(task, last, last + 1);
                        });
        thread.start();
        return thread;
    }

    /**
     * Whether all maps but the last one are copied. In the smallest buffer, parts of long segments
     * may have left too few chunks for any merge to borrow by then: none is to be waited for.
     */
    private static boolean othersAreCopied(final ReduceFixture task) {
        return task.count(TaskCounter.SHUFFLED_MAPS) == task.conf.getNumMapTasks() - 1;
    }

    // ---- merging -------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 7})
    void mergesInWhateverOrderMapsArrive(final int factor) throws Exception {
        final ReduceFixture task = task(40, factor);
        final List<Integer> order = new ArrayList<>();
        for (int map = 0; map < 40; map++) {
            put(map, TestSegment.random(random, random.nextInt(300), random.nextInt(200), null));
            order.add(map);
        }
        order.remove(39);
        Collections.shuffle(order, random);
        order.forEach(map -> announce(task, map, map + 1));
        final Thread last = announceLast(task);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

        last.join();
        assertThat(task.count(TaskCounter.MERGED_MAP_OUTPUTS)).isEqualTo(40);
        assertThat(task.count(TaskCounter.REDUCE_SHUFFLE_BYTES))
                .isEqualTo(segments.stream().mapToLong(s -> s.bytes().length).sum());
    }

    @Test
    void withoutAFactorNothingIsMergedAhead() throws Exception {
        final ReduceFixture task = task(100, Setting.NONE);
        for (int map = 0; map < 100; map++) {
            put(map, TestSegment.random(random, 20, 20, null));
        }
        announce(task, 0, 100);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));
        assertThat(hasMerged()).isFalse();
    }

    /** Hangs if a merge can take what a fetch needs. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void theSmallestBufferDoesNotDeadlock(final int seed) throws Exception {
        random.setSeed(seed);
        final ReduceFixture task = task(80, 2).minimalBuffer(WINDOW);
        for (int map = 0; map < 80; map++) {
            final int records = random.nextInt(3) == 0 ? random.nextInt(150) : random.nextInt(8);
            put(map, TestSegment.random(random, records, random.nextInt(300), null));
        }
        announce(task, 0, 79);
        final Thread last = announceLastWhen(task, () -> hasMerged() || othersAreCopied(task));
        final AtomicInteger fetches = new AtomicInteger();
        transport.script(
                (node, segment, offset) ->
                        fetches.incrementAndGet() % 97 == 0 ? Reason.DISCONNECTED : null);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

        last.join();
        assertThat(task.figure(ShuffleCounter.PEAK_BUFFER_BYTES))
                .isLessThanOrEqualTo(ReduceFixture.withHeads(2 * 80 * WINDOW));
    }

    @Test
    void mapsThatAreLostAreRunAgainUnlessTheyAreComplete() throws Exception {
        final ReduceFixture task = task(6, 2).minimalBuffer(WINDOW);
        for (int map = 0; map < 4; map++) {
            put(map, TestSegment.random(random, 6, 20, null));
        }
        announce(task, 0, 4);
        // Of this one only the head fits; its second attempt has other records.
        transport.put(
                ReduceFixture.node(0),
                ReduceFixture.map(4, 0).toString(),
                TestSegment.random(random, 900, 100, null));
        task.succeeded(ReduceFixture.map(4, 0), ReduceFixture.node(0));
        final Thread events =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(
                                    () ->
                                            !hasMerged()
                                                    || task.count(TaskCounter.SHUFFLED_MAPS) < 5);
                            for (int map = 0; map < 5; map++) {
                                task.event(ReduceFixture.map(map, 0), Status.OBSOLETE);
                                task.succeeded(ReduceFixture.map(map, 1), ReduceFixture.node(1));
                            }
                            announce(task, 5, 6);
                        });
        segments.add(TestSegment.random(random, 700, 100, null));
        transport.put(ReduceFixture.node(1), ReduceFixture.map(4, 1).toString(), segments.get(4));
        put(5, TestSegment.random(random, 300, 30, null));
        events.start();

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));
        events.join();
    }

    // ---- combining -----------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void combiningLeavesTheSums(final Api api) throws Exception {
        final ReduceFixture task = combining(30, api, "auto");
        for (int map = 0; map < 30; map++) {
            put(map, counts(400, 50));
        }
        announce(task, 0, 29);
        final Thread last = announceLast(task);

        final List<TestSegment.Entry> read = task.readAll(transport);

        last.join();
        final List<TestSegment.Entry> all = TestSegment.merged(segments);
        assertThat(sums(read)).isEqualTo(sums(all));
        assertThat(read).hasSizeLessThan(all.size());
        final long in = task.reporterCount(TaskCounter.COMBINE_INPUT_RECORDS);
        final long out = task.reporterCount(TaskCounter.COMBINE_OUTPUT_RECORDS);
        assertThat(in - out).isEqualTo(all.size() - read.size());
        assertThat(task.reporter.getCounter("test", "combined").getValue()).isPositive();
        assertThat(task.count(TaskCounter.MERGED_MAP_OUTPUTS)).isEqualTo(30);
    }

    @Test
    void combiningIsOffWhenToldSo() throws Exception {
        final ReduceFixture task = combining(20, Api.NEW, "false");
        for (int map = 0; map < 20; map++) {
            put(map, counts(50, 5));
        }
        announce(task, 0, 20);

        assertThat(task.readAll(transport)).hasSize(20 * 50);
        assertThat(task.reporterCount(TaskCounter.COMBINE_INPUT_RECORDS)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "true"})
    void autoStopsWhereKeysAreNotFoundAgain(final String when) throws Exception {
        final ReduceFixture task = combining(30, Api.OLD, when);
        for (int map = 0; map < 30; map++) {
            final List<TestSegment.Entry> entries = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                entries.add(new TestSegment.Entry("key-" + map + "-" + i, (char) 1 + "1"));
            }
            put(map, TestSegment.of(entries, null));
        }
        announce(task, 0, 4);
        final Thread others =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(
                                    () ->
                                            task.reporterCount(TaskCounter.COMBINE_INPUT_RECORDS)
                                                    < 200);
                            announce(task, 4, 29);
                            ReduceFixture.awaitWhile(
                                    () -> task.count(TaskCounter.SHUFFLED_MAPS) < 29);
                            announce(task, 29, 30);
                        });
        others.start();

        assertThat(task.readAll(transport)).hasSize(3000);

        others.join();
        final long combined = task.reporterCount(TaskCounter.COMBINE_INPUT_RECORDS);
        if (when.equals("auto")) {
            assertThat(combined).isBetween(200L, 400L);
        } else {
            assertThat(combined).isGreaterThan(400);
        }
    }

    @Test
    void combinesCompressedSegments() throws Exception {
        final ReduceFixture task = combining(20, Api.NEW, "true");
        final DefaultCodec codec = new DefaultCodec();
        codec.setConf(task.conf);
        task.codec = codec;
        for (int map = 0; map < 20; map++) {
            put(map, TestSegment.of(counts(500, 40).records(), codec));
        }
        announce(task, 0, 19);
        final Thread last = announceLast(task);

        final List<TestSegment.Entry> read = task.readAll(transport);

        last.join();
        assertThat(sums(read)).isEqualTo(sums(TestSegment.merged(segments)));
        assertThat(read).hasSizeLessThan(20 * 500);
    }

    /** The output does not fit where the input was; nothing is lost, and combining ends. */
    @Test
    void aCombinerThatMakesItsInputLongerIsStopped() throws Exception {
        paddedTo = 100;
        final ReduceFixture task = combining(20, Api.OLD, "true");
        for (int map = 0; map < 20; map++) {
            put(map, counts(3000, 100_000));
        }
        announce(task, 0, 19);
        final Thread last = announceLast(task);

        assertThat(sums(task.readAll(transport))).isEqualTo(sums(TestSegment.merged(segments)));

        last.join();
        assertThat(task.reporterCount(TaskCounter.COMBINE_INPUT_RECORDS)).isLessThan(20 * 3000);
    }

    @Test
    void theLastMapDoesNotWaitForAMerge() throws Exception {
        behaviour = () -> Thread.sleep(2);
        final ReduceFixture task = combining(9, Api.NEW, "true");
        for (int map = 0; map < 9; map++) {
            put(map, counts(5000, 20_000));
        }
        announce(task, 0, 8);
        final Thread last = announceLast(task);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        last.join();

        assertThat(sums(IteratedRecords.readAll(iterator)))
                .isEqualTo(sums(TestSegment.merged(segments)));

        assertThat(
                        task.reporter
                                .getCounter(
                                        FigureCounters.GROUP,
                                        FigureCounters.nameOf(ShuffleCounter.FIRST_RECORD_MILLIS))
                                .getValue())
                .isLessThan(1000);
        assertThat(task.reporterCount(TaskCounter.COMBINE_INPUT_RECORDS)).isLessThan(8 * 5000);
    }

    // ---- the end -------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void aCombinerThatFailsFailsTheAttempt(final Api api) throws Exception {
        behaviour =
                () -> {
                    throw new IOException("scripted failure");
                };
        final ReduceFixture task = combining(5, api, "auto");
        for (int map = 0; map < 5; map++) {
            put(map, counts(50, 5));
        }
        announce(task, 0, 4);
        final ReduceShuffle shuffle = task.shuffle(transport);

        assertThatThrownBy(shuffle::run)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("error in shuffle in " + MERGE_THREAD)
                .hasStackTraceContaining("scripted failure");
        assertThat(transport.isClosed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endsInTheMiddleOfAMerge(final boolean blocked) throws Exception {
        final AtomicInteger keys = new AtomicInteger();
        behaviour =
                () -> {
                    keys.incrementAndGet();
                    Thread.sleep(blocked ? 60_000 : 1);
                };
        final ReduceFixture task = combining(5, Api.NEW, "true");
        for (int map = 0; map < 5; map++) {
            put(map, counts(5000, 100_000));
        }
        announce(task, 0, 4);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread self = Thread.currentThread();
        new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> keys.get() == 0);
                            self.interrupt();
                        })
                .start();

        assertThatThrownBy(shuffle::run).isInstanceOf(InterruptedException.class);
        assertThat(transport.isClosed()).isTrue();
    }
}
