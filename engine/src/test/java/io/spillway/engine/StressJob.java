// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.conf.Setting;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.spi.OutputEvent;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.RunCombiner;
import io.spillway.ifile.EncryptedSegments;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentCipher;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.DefaultCodec;

/**
 * The job of one seed: its settings, its maps and when they end, what its nodes do wrong, and an
 * MRAppMaster that runs maps again whose output is reported or whose node is gone.
 */
final class StressJob {
    /** How much goes wrong. */
    enum Trouble {
        /** Nothing; all is late, and in any order. */
        NONE,
        /** Maps run again, and some have several attempts that have succeeded. */
        RERUNS,
        /** Links break, answers do not come, nodes are away for a while. */
        LINKS,
        /** Nodes and outputs are lost for good. */
        LOSSES,
        /** Answers are damaged, cut short or those of something else. */
        DAMAGE,
        /** All of these, maps that give other records each time, and reducers that stop. */
        ALL
    }

    /** What has been done to the shuffle that may be its failure's reason. */
    enum Cause {
        UNREACHABLE,
        REFUSAL,
        SILENCE,
        DAMAGE,
        WRONG_LENGTH,
        OTHER_OUTPUT,
        POLL_FAILURES,
        INTERRUPT
    }

    /**
     * Its key order asks the job's comparator, so that a merge can be interleaved with the rest.
     */
    public static final class YieldingComparator extends Text.Comparator {
        @Override
        public int compare(
                final byte[] a,
                final int aStart,
                final int aLength,
                final byte[] b,
                final int bStart,
                final int bLength) {
            SeededThreads.yieldHere(20);
            return super.compare(a, aStart, aLength, b, bStart, bLength);
        }
    }

    /** Puts the items of a key's values one behind the other. */
    private static final class JoiningCombiner implements RunCombiner {
        @Override
        public void combine(final Records records, final Sink sink) throws IOException {
            RecordCursor record = records.next();
            while (record != null) {
                final String key = TestSegment.entry(record).key();
                final StringBuilder joined = new StringBuilder();
                while (record != null && key.equals(TestSegment.entry(record).key())) {
                    joined.append(
                            String.join(
                                    "", StressRecords.items(TestSegment.entry(record).value())));
                    SeededThreads.yieldHere(10);
                    record = records.next();
                }
                append(key, joined.toString(), sink);
                SeededThreads.yieldHere(10);
            }
        }

        private static void append(final String key, final String items, final Sink sink)
                throws IOException {
            final byte[] keyBytes = TestSegment.serialized(key);
            final byte[] valueBytes = TestSegment.serialized(items);
            sink.append(keyBytes, 0, keyBytes.length, valueBytes, 0, valueBytes.length);
        }
    }

    /** What a map's output is drawn from. */
    private record Shape(long seed, int runs, int records, int filler) {}

    private static final int WINDOW = 1024;
    private static final int MOST_RUNS = 8;
    private static final int MOST_RERUNS = 12;

    final Trouble trouble;
    final TaskFixture task;
    final StressNodes nodes;
    final boolean combines;

    /** The consumer stops after so many records, or never. */
    final int stopsAfter;

    private final SeededThreads threads;
    private final Random random;
    private final int maps;
    private final int nodeCount;
    private final int runs;
    private final Set<Cause> causes = EnumSet.noneOf(Cause.class);
    private final List<Shape> shapes = new ArrayList<>();
    private final List<List<StressRecords.Output>> versions = new ArrayList<>();
    private final Map<OutputId, NodeAddress> places = new HashMap<>();
    private final List<OutputId> latest = new ArrayList<>();
    private final int[] attempts;
    private final Map<OutputId, Integer> reports = new HashMap<>();
    private final Set<Integer> abandoned = new HashSet<>();
    private final Set<Integer> troubleAfterRecords = new HashSet<>();
    private final int faultsOneIn;
    private final int reportsForRerun;
    private int records;
    private int seenReports;
    private int reruns;
    private int faultsLeft;
    private boolean over;

    StressJob(final SeededThreads threads, final Path localDir) throws IOException {
        this.threads = threads;
        this.random = threads.random();
        this.trouble = Trouble.values()[random.nextInt(Trouble.values().length)];
        this.maps = 1 + random.nextInt(random.nextInt(4) == 0 ? 20 : 6);
        this.attempts = new int[maps];
        this.nodeCount = 1 + random.nextInt(4);
        this.task = new TaskFixture(maps, localDir);
        this.faultsOneIn = oneOf(3, 20, 100);
        this.reportsForRerun = 1 + random.nextInt(3);
        this.stopsAfter =
                trouble == Trouble.ALL && random.nextInt(4) == 0 ? random.nextInt(200) : -1;
        this.faultsLeft = trouble == Trouble.NONE ? 0 : 1 + random.nextInt(8);
        this.nodes =
                new StressNodes(
                        threads,
                        oneOf(0, 3, 50, 400),
                        random.nextInt(5) == 0,
                        random.nextBoolean());
        this.combines = random.nextInt(4) == 0;
        this.runs = combines ? 1 : oneOf(1, 1, 1 + random.nextInt(MOST_RUNS));
        configure();
        makeOutputs();
    }

    private int oneOf(final int... values) {
        return values[random.nextInt(values.length)];
    }

    private static String orNone(final int value) {
        return value == 0 ? Setting.NONE : Integer.toString(value);
    }

    private void configure() throws IOException {
        final int streams = maps * (runs > 1 ? MOST_RUNS : 1);
        set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), WINDOW);
        set(EngineKeys.SHUFFLE_WINDOW_MAX.name(), 4L * WINDOW);
        set(
                EngineKeys.SHUFFLE_BUFFER_BYTES.name(),
                Math.max(4096, (long) oneOf(2, 2, 3, 5, 40) * streams * WINDOW));
        task.set(EngineKeys.SHUFFLE_WINDOWS.name(), random.nextInt(3) == 0 ? "static" : "demand");
        task.set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), orNone(oneOf(0, 2, 3, 5)));
        set(EngineKeys.SHUFFLE_POLL_INTERVAL.name(), oneOf(50, 500));
        task.set(EngineKeys.SHUFFLE_HEDGE.name(), orNone(oneOf(0, 200, 3000)));
        set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), oneOf(500, 10_000, 60_000));
        set(EngineKeys.SHUFFLE_RERUN_WAIT.name(), oneOf(1000, 60_000));
        task.maxPenaltyMillis = oneOf(100, 2000);
        task.fetchRetryMillis = oneOf(1000, 30_000);
        task.fetchRetry = random.nextBoolean();
        if (runs > 1) {
            task.runsPerMap = MOST_RUNS;
        } else if (random.nextInt(5) == 0) {
            final DefaultCodec codec = new DefaultCodec();
            codec.setConf(new Configuration(false));
            task.codec = codec;
        }
        task.cipher = cipher();
        if (random.nextBoolean()) {
            task.set(EngineKeys.SORT_PREFIX.name(), "false");
            task.comparators = YieldingComparator::new;
        }
        if (combines) {
            task.combiner = new JoiningCombiner();
            task.set(EngineKeys.SHUFFLE_COMBINE.name(), random.nextBoolean() ? "true" : "auto");
        }
    }

    /**
     * Not encrypted where bytes are damaged: the effect of a damaged header does not depend on the
     * seed alone.
     */
    private SegmentCipher cipher() throws IOException {
        final boolean damages = trouble == Trouble.DAMAGE || trouble == Trouble.ALL;
        return damages || (maps + nodeCount) % 3 != 0
                ? SegmentCipher.NONE
                : new EncryptedSegments(new Configuration(false), new byte[16], "");
    }

    private void set(final String name, final long value) {
        task.set(name, Long.toString(value));
    }

    // ---- maps ----------------------------------------------------------------------------------

    private void makeOutputs() throws IOException {
        final int most = oneOf(2, 30, 100, 300);
        final int filler = most == 2 ? oneOf(0, 6000) : oneOf(0, 50, 300, 1200);
        for (int map = 0; map < maps; map++) {
            final int count = random.nextInt(5) == 0 ? 0 : random.nextInt(most);
            versions.add(new ArrayList<>());
            records += count * runs / 2;
            final Shape shape =
                    new Shape(random.nextLong(), 1 + random.nextInt(runs), count, filler);
            shapes.add(shape);
            versions.get(map).add(output(map, 0, shape));
            latest.add(null);
        }
    }

    /** Maps end, and trouble begins. */
    void start() {
        final int spread = oneOf(0, 100, 3000);
        for (int map = 0; map < maps; map++) {
            final int number = map;
            threads.eventIn(random.nextInt(spread + 1), () -> succeed(number, 0));
        }
        nodes.faults((node, segment) -> fault());
        for (int i = trouble == Trouble.NONE ? 0 : random.nextInt(5); i > 0; i--) {
            if (random.nextInt(3) == 0) {
                threads.eventIn(
                        random.nextInt(spread + oneOf(10, 300, 3000)), this::somethingHappens);
            } else {
                troubleAfterRecords.add(random.nextInt(1 + records));
            }
        }
        threads.eventIn(1000, this::watchReports);
    }

    /** The reduce attempt has consumed so many records. */
    void consumed(final int count) {
        if (troubleAfterRecords.contains(count)) {
            threads.event(this::somethingHappens);
        }
    }

    /** The reduce attempt is over: nothing more happens. */
    void end() {
        over = true;
    }

    private void succeed(final int map, final int version) {
        final OutputId attempt = TaskFixture.map(map, attempts[map]++);
        latest.set(map, attempt);
        final NodeAddress node = aliveNode();
        places.put(attempt, node);
        final List<TestSegment> runs = stored(versions.get(map).get(version));
        final NodeAddress store = random.nextInt(4) == 0 ? aliveNode() : node;
        if (store.equals(node)) {
            nodes.put(node, attempt.name(), runs);
        } else {
            nodes.putElsewhere(node, store, attempt.name(), runs);
        }
        task.succeeded(attempt, node);
    }

    /** Attempts with the same records store different bytes where they encrypt them. */
    private List<TestSegment> stored(final StressRecords.Output output) {
        try {
            final List<TestSegment> stored = new ArrayList<>();
            for (final TestSegment run : output.runs()) {
                stored.add(run.encrypted(task.codec, task.cipher));
            }
            return stored;
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Maps do not run on nodes that are away; when all are, another one comes. */
    private NodeAddress aliveNode() {
        final int first = random.nextInt(nodeCount);
        for (int i = 0; i < nodeCount; i++) {
            final NodeAddress node = TaskFixture.node((first + i) % nodeCount);
            if (!nodes.isDown(node)) {
                return node;
            }
        }
        return TaskFixture.node(100 + reruns);
    }

    /** The MRAppMaster takes back an attempt's output, and runs the map again. */
    private void runAgain(final int map) {
        final OutputId attempt = latest.get(map);
        if (over || attempt == null || abandoned.contains(map) || reruns >= MOST_RERUNS) {
            return;
        }
        reruns++;
        task.feed.add(new OutputEvent.Withdrawn(attempt));
        threads.eventIn(random.nextInt(oneOf(5, 2000)), () -> succeed(map, nextVersion(map)));
    }

    private StressRecords.Output output(final int map, final int version, final Shape shape) {
        try {
            return StressRecords.output(
                    new Random(shape.seed),
                    map,
                    version,
                    shape.runs,
                    shape.records,
                    shape.filler,
                    task.codec);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private int nextVersion(final int map) {
        if (trouble != Trouble.ALL || random.nextInt(4) > 0) {
            return versions.get(map).size() - 1;
        }
        causes.add(Cause.OTHER_OUTPUT);
        // Half of them differ in the items' content, and in no length.
        final Shape shape =
                random.nextBoolean()
                        ? shapes.get(map)
                        : new Shape(
                                random.nextLong(),
                                1 + random.nextInt(runs),
                                random.nextInt(50),
                                30);
        versions.get(map).add(output(map, versions.get(map).size() % 10, shape));
        return versions.get(map).size() - 1;
    }

    // ---- trouble -------------------------------------------------------------------------------

    private void somethingHappens() {
        if (over) {
            return;
        }
        switch (trouble) {
            case NONE, DAMAGE -> {}
            case RERUNS -> rerunOrTwin();
            case LINKS -> linkTrouble();
            case LOSSES -> loss();
            case ALL -> {
                switch (random.nextInt(6)) {
                    case 0, 1 -> rerunOrTwin();
                    case 2 -> linkTrouble();
                    case 3 -> loss();
                    case 4 -> abandon(random.nextInt(maps));
                    default -> failPolls();
                }
            }
        }
    }

    private void rerunOrTwin() {
        final int map = random.nextInt(maps);
        if (random.nextBoolean()) {
            runAgain(map);
        } else if (latest.get(map) != null && reruns++ < MOST_RERUNS) {
            succeed(map, versions.get(map).size() - 1);
        }
    }

    private void linkTrouble() {
        final NodeAddress node = TaskFixture.node(random.nextInt(nodeCount));
        causes.add(Cause.UNREACHABLE);
        if (random.nextInt(3) == 0) {
            nodes.breakChannels(node);
        } else if (!nodes.isDown(node)) {
            nodes.down(node, outage());
            threads.eventIn(random.nextInt(oneOf(20, 1500, 15_000)), () -> nodes.up(node));
        }
    }

    private Reason outage() {
        return switch (random.nextInt(6)) {
            case 0 -> Reason.BUSY;
            case 1 -> Reason.UNKNOWN_JOB;
            case 2 -> Reason.TIMED_OUT;
            default -> Reason.DISCONNECTED;
        };
    }

    private void loss() {
        if (random.nextBoolean()) {
            final int map = random.nextInt(maps);
            final OutputId attempt = latest.get(map);
            if (places.containsKey(attempt)) {
                causes.add(Cause.REFUSAL);
                nodes.remove(places.get(attempt), attempt.name());
            }
            return;
        }
        final NodeAddress node = TaskFixture.node(random.nextInt(nodeCount));
        if (!nodes.isDown(node)) {
            causes.add(Cause.UNREACHABLE);
            nodes.down(node, Reason.DISCONNECTED);
            threads.eventIn(oneOf(100, 3000), () -> expire(node));
        }
    }

    /** The node is gone: all maps run again whose last output was there. */
    private void expire(final NodeAddress node) {
        for (int map = 0; map < maps; map++) {
            if (latest.get(map) != null && node.equals(places.get(latest.get(map)))) {
                runAgain(map);
            }
        }
    }

    private void abandon(final int map) {
        if (latest.get(map) == null) {
            abandoned.add(map);
            latest.set(map, TaskFixture.map(map, attempts[map]++));
            task.feed.add(new OutputEvent.Abandoned(latest.get(map)));
        }
    }

    private void failPolls() {
        causes.add(Cause.POLL_FAILURES);
        task.feed.failNextPolls(oneOf(1, 9, 12));
    }

    private StressNodes.Fault fault() {
        if (over || faultsLeft == 0 || random.nextInt(faultsOneIn) > 0) {
            return null;
        }
        faultsLeft--;
        final StressNodes.Fault fault = draw();
        if (fault != null) {
            causes.add(causeOf(fault));
        }
        return fault;
    }

    private StressNodes.Fault draw() {
        final StressNodes.Fault[] all = StressNodes.Fault.values();
        return switch (trouble) {
            case NONE, RERUNS -> null;
            case LINKS -> all[random.nextInt(2)];
            case LOSSES -> all[2 + random.nextInt(4)];
            case DAMAGE -> all[6 + random.nextInt(3)];
            case ALL -> all[random.nextInt(all.length)];
        };
    }

    private static Cause causeOf(final StressNodes.Fault fault) {
        return switch (fault) {
            case SILENCE -> Cause.SILENCE;
            case BREAK -> Cause.UNREACHABLE;
            case NOT_FOUND, SOURCE_FAILED, BUSY, UNKNOWN_JOB -> Cause.REFUSAL;
            case DAMAGE -> Cause.DAMAGE;
            case CUT, OTHER_LENGTH -> Cause.WRONG_LENGTH;
        };
    }

    /** The MRAppMaster acts on reports of the reducer. */
    private void watchReports() {
        if (over) {
            return;
        }
        final List<OutputId> all = task.reported();
        for (final OutputId attempt : all.subList(seenReports, all.size())) {
            final int map = attempt.map();
            if (reports.merge(attempt, 1, Integer::sum) >= reportsForRerun
                    && attempt.equals(latest.get(map))) {
                runAgain(map);
            }
        }
        seenReports = all.size();
        threads.eventIn(1000, this::watchReports);
    }

    // ---- what has to come out ------------------------------------------------------------------

    /** What may be the reason of a failure. */
    Set<Cause> causes() {
        return causes;
    }

    int maps() {
        return maps;
    }

    /** Whether a map's items are just those of one of its attempts. */
    boolean isOutputOf(final int map, final Map<String, List<String>> items) {
        if (items.isEmpty() && abandoned.contains(map)) {
            return true;
        }
        return versions.get(map).stream().map(StressRecords.Output::items).anyMatch(items::equals);
    }

    /** Whether an item is one that some attempt of its map has made. */
    boolean isAnyonesItem(final String key, final String item) {
        return versions.get(StressRecords.mapOf(item)).stream()
                .anyMatch(output -> output.items().getOrDefault(key, List.of()).contains(item));
    }

    @Override
    public String toString() {
        return "runs="
                + runs
                + " combines="
                + combines
                + " codec="
                + task.codec
                + " cipher="
                + task.cipher.getClass().getSimpleName()
                + " comparator="
                + task.comparators.get().getClass().getSimpleName()
                + settings("spillway.");
    }

    private String settings(final String prefix) {
        final StringBuilder text = new StringBuilder();
        task.properties.forEach(
                (name, value) -> {
                    if (name.startsWith(prefix)) {
                        text.append(' ').append(name).append('=').append(value);
                    }
                });
        return text.toString();
    }
}
