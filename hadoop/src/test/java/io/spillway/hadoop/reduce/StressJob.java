package io.spillway.hadoop.reduce;

import io.spillway.conf.SpillwayKeys;
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
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;

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
    public static final class JoiningCombiner extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            final StringBuilder joined = new StringBuilder();
            for (final Text value : values) {
                joined.append(value);
                SeededThreads.yieldHere(10);
            }
            context.write(key, new Text(joined.toString()));
            SeededThreads.yieldHere(10);
        }
    }

    /** What a map's output is drawn from. */
    private record Shape(long seed, int runs, int records, int filler) {}

    private static final int WINDOW = 1024;
    private static final int MOST_RUNS = 8;
    private static final int MOST_RERUNS = 12;

    final Trouble trouble;
    final ReduceFixture task;
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
    private final Map<TaskAttemptID, NodeAddress> places = new HashMap<>();
    private final List<TaskAttemptID> latest = new ArrayList<>();
    private final Map<TaskAttemptID, Integer> reports = new HashMap<>();
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
        this.nodeCount = 1 + random.nextInt(4);
        this.task = new ReduceFixture(maps, localDir);
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

    private void configure() {
        final int streams = maps * (runs > 1 ? MOST_RUNS : 1);
        set(SpillwayKeys.SHUFFLE_WINDOW_MIN.name(), WINDOW);
        set(SpillwayKeys.SHUFFLE_WINDOW_MAX.name(), 4L * WINDOW);
        set(
                SpillwayKeys.SHUFFLE_BUFFER_BYTES.name(),
                Math.max(4096, (long) oneOf(2, 2, 3, 5, 40) * streams * WINDOW));
        task.set(SpillwayKeys.SHUFFLE_WINDOWS.name(), random.nextInt(3) == 0 ? "static" : "demand");
        set(SpillwayKeys.SHUFFLE_MERGE_FACTOR.name(), oneOf(0, 2, 3, 5));
        set(SpillwayKeys.SHUFFLE_POLL_INTERVAL.name(), oneOf(50, 500));
        set(SpillwayKeys.SHUFFLE_HEDGE.name(), oneOf(0, 200, 3000));
        set(SpillwayKeys.SHUFFLE_STREAM_RETRY.name(), oneOf(500, 10_000, 60_000));
        set(SpillwayKeys.SHUFFLE_RERUN_WAIT.name(), oneOf(1000, 60_000));
        set(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, oneOf(100, 2000));
        set(MRJobConfig.SHUFFLE_FETCH_RETRY_TIMEOUT_MS, oneOf(1000, 30_000));
        task.conf.setBoolean(MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED, random.nextBoolean());
        if (runs > 1) {
            task.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, "io.spillway.hadoop.SpillwayShuffle");
            task.set(SpillwayKeys.SPILL_MERGE.name(), "never");
        } else if (random.nextInt(5) == 0) {
            final DefaultCodec codec = new DefaultCodec();
            codec.setConf(task.conf);
            task.codec = codec;
        }
        if (random.nextBoolean()) {
            task.set(SpillwayKeys.SORT_PREFIX.name(), "false");
            task.conf.setOutputKeyComparatorClass(YieldingComparator.class);
        }
        if (combines) {
            task.withHadoopsReporter();
            task.set(SpillwayKeys.SHUFFLE_COMBINE.name(), random.nextBoolean() ? "on" : "auto");
            task.set("io.serializations", "org.apache.hadoop.io.serializer.WritableSerialization");
            task.conf.setClass(
                    MRJobConfig.COMBINE_CLASS_ATTR, JoiningCombiner.class, Reducer.class);
        }
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
        final TaskAttemptID last = latest.get(map);
        final TaskAttemptID attempt = ReduceFixture.map(map, last == null ? 0 : last.getId() + 1);
        latest.set(map, attempt);
        final NodeAddress node = aliveNode();
        places.put(attempt, node);
        nodes.put(node, attempt.toString(), versions.get(map).get(version).runs());
        task.succeeded(attempt, node);
    }

    /** Maps do not run on nodes that are away; when all are, another one comes. */
    private NodeAddress aliveNode() {
        final int first = random.nextInt(nodeCount);
        for (int i = 0; i < nodeCount; i++) {
            final NodeAddress node = ReduceFixture.node((first + i) % nodeCount);
            if (!nodes.isDown(node)) {
                return node;
            }
        }
        return ReduceFixture.node(100 + reruns);
    }

    /** The MRAppMaster takes back an attempt's output, and runs the map again. */
    private void runAgain(final int map) {
        final TaskAttemptID attempt = latest.get(map);
        if (over || attempt == null || abandoned.contains(map) || reruns >= MOST_RERUNS) {
            return;
        }
        reruns++;
        task.event(attempt, Status.OBSOLETE);
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
        final NodeAddress node = ReduceFixture.node(random.nextInt(nodeCount));
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
            final TaskAttemptID attempt = latest.get(map);
            if (places.containsKey(attempt)) {
                causes.add(Cause.REFUSAL);
                nodes.remove(places.get(attempt), attempt.toString());
            }
            return;
        }
        final NodeAddress node = ReduceFixture.node(random.nextInt(nodeCount));
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
            latest.set(map, ReduceFixture.map(map, 0));
            task.event(latest.get(map), Status.TIPFAILED);
        }
    }

    private void failPolls() {
        causes.add(Cause.POLL_FAILURES);
        task.umbilical.failNextPolls(oneOf(1, 9, 12));
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
        final List<TaskAttemptID> all = task.reported();
        for (final TaskAttemptID attempt : all.subList(seenReports, all.size())) {
            final int map = attempt.getTaskID().getId();
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
                + " comparator="
                + task.conf.getOutputKeyComparator().getClass().getSimpleName()
                + settings("spillway.");
    }

    private String settings(final String prefix) {
        final StringBuilder text = new StringBuilder();
        task.conf
                .getPropsWithPrefix(prefix)
                .forEach((name, value) -> text.append(' ').append(name).append('=').append(value));
        return text.toString();
    }
}
