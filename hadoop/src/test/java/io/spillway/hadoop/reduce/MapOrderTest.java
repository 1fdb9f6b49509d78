// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.transport.FetchException.Reason;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Equal keys come in map order, whatever arrives first, is merged ahead, combined, cut, fetched
 * again or run again. Every map has the same few keys, so that each merge has ties to settle.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MapOrderTest {
    private static final int MAPS = 60;
    private static final int NODES = 3;
    private static final int WINDOW = 1024;

    /** Links values together: associative, so any grouping will do, and not commutative. */
    public static final class Linking extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            final StringBuilder linked = new StringBuilder();
            values.forEach(linked::append);
            LockSupport.parkNanos(pauseNanos);
            context.write(key, new Text(linked.toString()));
        }
    }

    private static final AtomicLong COMBINED = new AtomicLong();
    private static volatile long pauseNanos;

    @TempDir Path localDir;

    private final MemoryTransport transport = new MemoryTransport(5);
    private final List<TestSegment> segments = new ArrayList<>();
    private final List<TestSegment[]> maps = new ArrayList<>();

    @AfterEach
    void close() {
        transport.close();
    }

    @AfterAll
    static void someWereCombined() {
        assertThat(COMBINED.get()).isPositive();
    }

    /** Of each seed another job: what arrives when, what fails, how much memory there is. */
    private ReduceFixture task(final Random random) {
        final ReduceFixture task =
                new ReduceFixture(MAPS, localDir)
                        .set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, "io.spillway.hadoop.SpillwayShuffle")
                        .set(HadoopKeys.SPILL_MERGE.name(), "never")
                        .set(
                                EngineKeys.SHUFFLE_MERGE_FACTOR.name(),
                                List.of("2", "3", "8", "20").get(random.nextInt(4)));
        final int chunks = 2 * MAPS * 8;
        final int times = List.of(1, 2, 10).get(random.nextInt(3));
        return task.set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), Integer.toString(WINDOW))
                .set(EngineKeys.SHUFFLE_WINDOW_MAX.name(), "4096")
                .set(
                        EngineKeys.SHUFFLE_BUFFER_BYTES.name(),
                        Integer.toString(times * chunks * WINDOW));
    }

    /** Values tell where they were emitted. */
    private void makeMaps(final Random random, final int mostRuns) throws IOException {
        final int most = random.nextBoolean() ? 20 : 300;
        for (int map = 0; map < MAPS; map++) {
            final TestSegment[] runs = new TestSegment[1 + random.nextInt(mostRuns)];
            for (int run = 0; run < runs.length; run++) {
                runs[run] = run(random, map + "." + run + ".", most);
            }
            maps.add(runs);
            segments.addAll(List.of(runs));
        }
    }

    private static TestSegment run(final Random random, final String name, final int most)
            throws IOException {
        final List<TestSegment.Entry> entries = new ArrayList<>();
        final int count = random.nextInt(5) == 0 ? 0 : random.nextInt(most);
        for (int i = 0; i < count; i++) {
            final String value = name + i + ";";
            entries.add(
                    new TestSegment.Entry(
                            "key-" + random.nextInt(12), (char) value.length() + value));
        }
        return TestSegment.of(entries, null);
    }

    private void serve(final ReduceFixture task, final int map, final int attempt) {
        final int node = (map + attempt) % NODES;
        transport.put(
                ReduceFixture.node(node),
                ReduceFixture.map(map, attempt).toString(),
                maps.get(map));
        task.succeeded(ReduceFixture.map(map, attempt), ReduceFixture.node(node));
    }

    /** Announces the maps in any order, now and then after a pause; some are lost and run again. */
    private CompletableFuture<Void> announce(final ReduceFixture task, final Random random) {
        final List<Integer> order = new ArrayList<>();
        for (int map = 0; map < MAPS; map++) {
            order.add(map);
        }
        if (random.nextInt(4) > 0) {
            Collections.shuffle(order, random);
        }
        return CompletableFuture.runAsync(() -> announce(task, order, random));
    }

    private void announce(
            final ReduceFixture task, final List<Integer> order, final Random random) {
        int announced = 0;
        for (final int map : order) {
            serve(task, map, 0);
            announced++;
            if (random.nextInt(8) == 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(60)));
            }
            if (random.nextInt(10) == 0) {
                final int lost = order.get(random.nextInt(announced));
                task.event(ReduceFixture.map(lost, 0), Status.OBSOLETE);
                serve(task, lost, 1);
            }
        }
    }

    private void breakLinks(final Random random) {
        final AtomicInteger fetches = new AtomicInteger();
        final int each = 20 + random.nextInt(200);
        transport.script(
                (node, segment, offset) ->
                        fetches.incrementAndGet() % each == 0 ? Reason.DISCONNECTED : null);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void recordsComeInMapOrder(final int seed) throws Exception {
        final Random random = new Random(seed);
        final ReduceFixture task = task(random);
        makeMaps(random, 1 + random.nextInt(4));
        breakLinks(random);
        final CompletableFuture<Void> events = announce(task, random);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

        events.get();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void combinedValuesComeInMapOrder(final int seed) throws Exception {
        final Random random = new Random(seed);
        final ReduceFixture task = task(random).withHadoopsReporter();
        task.set("io.serializations", "org.apache.hadoop.io.serializer.WritableSerialization");
        task.set(EngineKeys.SHUFFLE_COMBINE.name(), "true");
        task.conf.setClass(MRJobConfig.COMBINE_CLASS_ATTR, Linking.class, Reducer.class);
        // Slow ones are cut when the last map is here.
        pauseNanos = TimeUnit.MILLISECONDS.toNanos(List.of(0, 1, 20).get(random.nextInt(3)));
        makeMaps(random, 1 + random.nextInt(2));
        breakLinks(random);
        final CompletableFuture<Void> events = announce(task, random);

        final List<TestSegment.Entry> read = task.readAll(transport);

        events.get();
        assertThat(linked(read)).isEqualTo(linked(TestSegment.merged(segments)));
        COMBINED.addAndGet(task.reporterCount(TaskCounter.COMBINE_INPUT_RECORDS));
    }

    /** The values of each key one after the other, without the Text's own headers. */
    private static Map<String, String> linked(final List<TestSegment.Entry> entries)
            throws IOException {
        final Map<String, StringBuilder> byKey = new TreeMap<>();
        for (final TestSegment.Entry entry : entries) {
            final byte[] value = entry.value().getBytes(StandardCharsets.ISO_8859_1);
            final Text text = new Text();
            text.readFields(new DataInputStream(new ByteArrayInputStream(value)));
            byKey.computeIfAbsent(entry.key(), key -> new StringBuilder()).append(text);
        }
        final Map<String, String> linked = new TreeMap<>();
        byKey.forEach((key, values) -> linked.put(key, values.toString()));
        return linked;
    }
}
