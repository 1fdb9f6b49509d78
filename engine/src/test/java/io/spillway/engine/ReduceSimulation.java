// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.merge.MergedRecords;
import io.spillway.engine.reduce.thread.SystemThreads;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A reducer's real shuffle against simulated nodes ({@link SimulatedNodes}): what static windows
 * and windows by demand cost in waiting. The maps, the network and the speed of {@code reduce()}
 * are simulated; everything from the completion events to the merge is the product's code. Run it
 * by
 *
 * <pre>mvn -pl engine -am test-compile exec:exec@reduce-simulation</pre>
 */
public final class ReduceSimulation {
    private static final double REDUCE_BYTES_PER_SECOND = 200e6;

    /** How keys are spread over the maps. */
    private enum Keys {
        /** Each map has keys of the whole range: all segments drain together. */
        RANDOM,
        /** Each map has a range of its own: one segment drains at a time. */
        RANGES
    }

    private record Scenario(String name, int maps, int bytesPerMap, String budget, Keys keys) {}

    private static final List<Scenario> SCENARIOS =
            List.of(
                    new Scenario("64 maps x 8 MB", 64, 8 << 20, "16m", Keys.RANDOM),
                    new Scenario("64 maps x 8 MB", 64, 8 << 20, "16m", Keys.RANGES),
                    new Scenario("64 maps x 8 MB", 64, 8 << 20, "256m", Keys.RANDOM),
                    new Scenario("64 maps x 8 MB", 64, 8 << 20, "256m", Keys.RANGES),
                    new Scenario("500 maps x 1 MB", 500, 1 << 20, "64m", Keys.RANDOM),
                    new Scenario("500 maps x 1 MB", 500, 1 << 20, "64m", Keys.RANGES),
                    new Scenario("2000 maps x 256 kB", 2000, 256 << 10, "64m", Keys.RANDOM),
                    new Scenario("2000 maps x 256 kB", 2000, 256 << 10, "64m", Keys.RANGES));

    private static final PrintStream OUT = System.out;

    private ReduceSimulation() {}

    /**
     * Runs all scenarios; takes some minutes. Each round runs both kinds of windows, in turns; one
     * round before them, which counts for nothing, lets the JVM compile what they run. Arguments:
     * rounds, and the beginning of the scenarios' names.
     */
    public static void main(final String[] args) throws Exception {
        final int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        OUT.printf(
                Locale.ROOT,
                "SIMULATED nodes: %d, latency %d us, link %.2f GB/s, reduce() %.0f MB/s;"
                        + " each line is the run of median time of %d%n%n",
                SimulatedMaps.NODES,
                TimeUnit.NANOSECONDS.toMicros(SimulatedMaps.LATENCY_NANOS),
                SimulatedMaps.LINK_BYTES_PER_SECOND / 1e9,
                REDUCE_BYTES_PER_SECOND / 1e6,
                rounds);
        OUT.printf(
                "%-19s %-6s %-6s %-7s %9s %9s %9s %9s %9s %9s %9s %8s%n",
                "maps",
                "budget",
                "keys",
                "windows",
                "wall ms",
                "stall ms",
                "flight",
                "budget",
                "first ms",
                "peak MB",
                "requests",
                "chunk kB");
        final String only = args.length > 1 ? args[1] : "";
        for (final Scenario scenario : SCENARIOS) {
            if (!scenario.name.startsWith(only)) {
                continue;
            }
            final List<TestSegment> segments = segments(scenario);
            final List<Run> fixed = new ArrayList<>();
            final List<Run> demand = new ArrayList<>();
            for (int round = 0; round <= rounds; round++) {
                fixed.add(run(scenario, segments, "static"));
                demand.add(run(scenario, segments, "demand"));
            }
            print(scenario, "static", median(fixed));
            print(scenario, "demand", median(demand));
        }
    }

    /** The run of median time; the first one does not count. */
    private static Run median(final List<Run> runs) {
        final List<Run> counted = new ArrayList<>(runs.subList(1, runs.size()));
        counted.sort(Comparator.comparingLong(Run::wall));
        return counted.get(counted.size() / 2);
    }

    private record Run(
            long wall,
            long stall,
            long flight,
            long budget,
            long first,
            long peak,
            long requests,
            int chunk) {}

    private static void print(final Scenario scenario, final String windows, final Run run) {
        OUT.printf(
                Locale.ROOT,
                "%-19s %-6s %-6s %-7s %9d %9d %9d %9d %9d %9.1f %9d %8.0f%n",
                scenario.name,
                scenario.budget,
                scenario.keys.name().toLowerCase(Locale.ROOT),
                windows,
                run.wall,
                run.stall,
                run.flight,
                run.budget,
                run.first,
                run.peak / 1048576.0,
                run.requests,
                run.chunk / 1024.0);
    }

    private static List<TestSegment> segments(final Scenario scenario) throws IOException {
        final Random random = new Random(1);
        final List<TestSegment> segments = new ArrayList<>();
        // Random segments may be the same for many maps: only their keys' spread matters.
        final int distinct = scenario.keys == Keys.RANDOM ? 16 : scenario.maps;
        for (int map = 0; map < distinct; map++) {
            segments.add(segment(random, scenario, map));
        }
        while (segments.size() < scenario.maps) {
            segments.add(segments.get(segments.size() % distinct));
        }
        return segments;
    }

    private static TestSegment segment(final Random random, final Scenario scenario, final int map)
            throws IOException {
        return scenario.keys == Keys.RANDOM
                ? SimulatedMaps.segment(random, scenario.bytesPerMap, 0, 1)
                : SimulatedMaps.segment(
                        random,
                        scenario.bytesPerMap,
                        (double) map / scenario.maps,
                        1.0 / scenario.maps);
    }

    private static Run run(
            final Scenario scenario, final List<TestSegment> segments, final String windows)
            throws IOException, InterruptedException {
        final Path directory = Files.createTempDirectory("spillway-simulation-");
        final TaskFixture task = new TaskFixture(scenario.maps, directory);
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), scenario.budget);
        task.set(EngineKeys.SHUFFLE_WINDOWS.name(), windows);
        try (SimulatedNodes nodes = SimulatedMaps.nodes()) {
            for (int map = 0; map < scenario.maps; map++) {
                nodes.put(TaskFixture.map(map, 0).name(), segments.get(map));
                task.succeeded(
                        TaskFixture.map(map, 0), TaskFixture.node(map % SimulatedMaps.NODES));
            }
            final ReduceEngine shuffle = task.engine(nodes, new SystemThreads());
            final MergedRecords records = shuffle.run(part -> {});
            final long start = System.nanoTime();
            reduce(records);
            final long wall = System.nanoTime() - start;
            shuffle.close();
            return new Run(
                    TimeUnit.NANOSECONDS.toMillis(wall),
                    figure(task, ShuffleCounter.STALL_MILLIS),
                    figure(task, ShuffleCounter.STALL_FLIGHT_MILLIS),
                    figure(task, ShuffleCounter.STALL_BUDGET_MILLIS),
                    figure(task, ShuffleCounter.FIRST_RECORD_MILLIS),
                    figure(task, ShuffleCounter.PEAK_BUFFER_BYTES),
                    nodes.requests(),
                    task.settings().chunkSize);
        } finally {
            Files.deleteIfExists(directory);
        }
    }

    private static long figure(final TaskFixture task, final ShuffleCounter figure) {
        return task.figure(figure);
    }

    /** Takes records, and works on each batch as long as a reduce() of that speed would. */
    private static void reduce(final MergedRecords records) throws IOException {
        long batch = 0;
        while (records.next()) {
            batch += records.current().keyLength();
            batch += records.current().valueLength();
            if (batch >= 1 << 13) {
                final long due = System.nanoTime() + (long) (batch * 1e9 / REDUCE_BYTES_PER_SECOND);
                while (System.nanoTime() < due) {
                    Thread.onSpinWait();
                }
                batch = 0;
            }
        }
    }
}
