// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import com.sun.management.OperatingSystemMXBean;
import io.spillway.conf.Setting;
import io.spillway.engine.reduce.merge.MergedRecords;
import io.spillway.engine.reduce.thread.SystemThreads;
import io.spillway.engine.settings.EngineKeys;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A reducer's real shuffle against simulated nodes ({@link SimulatedNodes}): what merging ahead
 * brings while maps still run. All outputs fit the reducer's memory; maps end one after the other,
 * in their order, and {@code reduce()} takes no time. Run it by
 *
 * <pre>mvn -pl engine -am test-compile exec:exec@merge-ahead-simulation</pre>
 */
public final class MergeAheadSimulation {
    private static final long MAPS_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int DISTINCT = 16;
    private static final String BUDGET = "1g";

    private record Scenario(int maps, int bytesPerMap) {}

    private record Run(long cpuMillis, long tailMillis) {}

    private static final List<Scenario> SCENARIOS =
            List.of(
                    new Scenario(128, 4 << 20),
                    new Scenario(500, 1 << 20),
                    new Scenario(2000, 256 << 10));

    private static final PrintStream OUT = System.out;

    private MergeAheadSimulation() {}

    /** Runs all scenarios, with and without merging ahead in turns; argument: rounds. */
    public static void main(final String[] args) throws Exception {
        final int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        OUT.printf(
                Locale.ROOT,
                "SIMULATED nodes: %d, latency %d us, link %.2f GB/s; maps end over %d s;"
                        + " median (least to most) of %d%n%n",
                SimulatedMaps.NODES,
                TimeUnit.NANOSECONDS.toMicros(SimulatedMaps.LATENCY_NANOS),
                SimulatedMaps.LINK_BYTES_PER_SECOND / 1e9,
                TimeUnit.NANOSECONDS.toSeconds(MAPS_NANOS),
                rounds);
        OUT.printf("%-18s %-8s %24s %24s%n", "maps", "factor", "CPU ms", "last map to end, ms");
        for (final Scenario scenario : SCENARIOS) {
            final List<TestSegment> segments = segments(scenario);
            final List<Run> with = new ArrayList<>();
            final List<Run> without = new ArrayList<>();
            for (int round = 0; round <= rounds; round++) {
                with.add(run(scenario, segments, EngineKeys.SHUFFLE_MERGE_FACTOR.defaultText()));
                without.add(run(scenario, segments, Setting.NONE));
            }
            print(scenario, EngineKeys.SHUFFLE_MERGE_FACTOR.defaultText(), with);
            print(scenario, Setting.NONE, without);
        }
    }

    /** The first round does not count: the JVM compiles in it. */
    private static void print(final Scenario scenario, final String factor, final List<Run> runs) {
        final List<Run> counted = runs.subList(1, runs.size());
        OUT.printf(
                Locale.ROOT,
                "%-18s %-8s %24s %24s%n",
                scenario.maps + " x " + (scenario.bytesPerMap >> 10) + " kB",
                factor,
                spread(counted.stream().map(Run::cpuMillis).toList()),
                spread(counted.stream().map(Run::tailMillis).toList()));
    }

    private static String spread(final List<Long> values) {
        final List<Long> sorted = new ArrayList<>(values);
        sorted.sort(Comparator.naturalOrder());
        return sorted.get(sorted.size() / 2)
                + " ("
                + sorted.get(0)
                + " to "
                + sorted.get(sorted.size() - 1)
                + ")";
    }

    /** Of keys of the whole range; some maps have the same, as only the spread of keys matters. */
    private static List<TestSegment> segments(final Scenario scenario) throws IOException {
        final Random random = new Random(1);
        final List<TestSegment> segments = new ArrayList<>();
        for (int map = 0; map < DISTINCT; map++) {
            segments.add(SimulatedMaps.segment(random, scenario.bytesPerMap, 0, 1));
        }
        return segments;
    }

    private static Run run(
            final Scenario scenario, final List<TestSegment> segments, final String factor)
            throws IOException, InterruptedException {
        final Path directory = Files.createTempDirectory("spillway-simulation-");
        final TaskFixture task = new TaskFixture(scenario.maps, directory);
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), BUDGET);
        task.set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), factor);
        task.set(EngineKeys.SHUFFLE_POLL_INTERVAL.name(), "50");
        try (SimulatedNodes nodes = SimulatedMaps.nodes()) {
            for (int map = 0; map < scenario.maps; map++) {
                nodes.put(TaskFixture.map(map, 0).name(), segments.get(map % DISTINCT));
            }
            final long cpu = cpuNanos();
            final ReduceEngine shuffle = task.engine(nodes, new SystemThreads());
            final AtomicLong lastMap = new AtomicLong();
            final Thread maps = new Thread(() -> endMaps(task, scenario.maps, lastMap), "maps");
            maps.start();
            final MergedRecords merged = shuffle.run(part -> {});
            maps.join();
            final long records = count(merged);
            final long end = System.nanoTime();
            final long used = cpuNanos() - cpu;
            shuffle.close();
            final int expected = segments.get(0).records().size() * scenario.maps;
            if (records != expected) {
                throw new IllegalStateException("records=" + records + ", expected " + expected);
            }
            return new Run(
                    TimeUnit.NANOSECONDS.toMillis(used),
                    TimeUnit.NANOSECONDS.toMillis(end - lastMap.get()));
        } finally {
            Files.deleteIfExists(directory);
        }
    }

    private static long count(final MergedRecords merged) throws IOException {
        long records = 0;
        while (merged.next()) {
            records++;
        }
        return records;
    }

    private static void endMaps(final TaskFixture task, final int maps, final AtomicLong lastMap) {
        final long start = System.nanoTime();
        for (int map = 0; map < maps; map++) {
            final long due = start + (long) ((double) MAPS_NANOS * map / maps);
            while (System.nanoTime() < due) {
                sleep();
            }
            task.succeeded(TaskFixture.map(map, 0), TaskFixture.node(map % SimulatedMaps.NODES));
        }
        lastMap.set(System.nanoTime());
    }

    private static void sleep() {
        try {
            Thread.sleep(1);
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
