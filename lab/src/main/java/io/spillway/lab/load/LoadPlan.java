// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.load;

import io.spillway.cli.failure.BadInputException;
import io.spillway.lab.net.NetProcess;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * How many tasks do what. Immutable.
 *
 * @param maps that put an output each
 * @param reducers that fetch a segment of each
 * @param segment the bytes of such a segment
 * @param turns reducers that ask one after the other
 * @param files outputs on disk that each of them asks for
 * @param atATime the tasks that are connected at a time
 * @param properties settings of node and tasks
 */
public record LoadPlan(
        int maps,
        int reducers,
        int segment,
        int turns,
        int files,
        int atATime,
        Map<String, String> properties) {
    /** Outputs in memory for the reducers in turns. */
    static final int LONG_OUTPUTS = 4;

    /** Of how many runs each of these is. */
    static final int RUNS = 3;

    /** The bytes of a segment of them. */
    static final int SHORT_SEGMENT = 100;

    private static final int MOST_TASKS = 1_000_000;
    private static final int MOST_SEGMENT = 1 << 20;
    private static final int MOST_FILES = 1_000;
    private static final int MOST_AT_A_TIME = 3_000;
    private static final long MOST_BYTES = 16L << 30;
    private static final int NUMBERS = 6;

    /** Checks every value. */
    public LoadPlan {
        properties = Map.copyOf(properties);
        require("--maps", maps, MOST_TASKS);
        require("--reducers", reducers, MOST_TASKS);
        require("--segment", segment, MOST_SEGMENT);
        require("--turns", turns, MOST_TASKS);
        require("--files", files, MOST_FILES);
        require("--at-a-time", atATime, MOST_AT_A_TIME);
        final long bytes = (long) maps * reducers * segment;
        if (bytes > MOST_BYTES) {
            throw new BadInputException(
                    "--maps x --reducers x --segment = "
                            + bytes
                            + ": expected at most "
                            + MOST_BYTES
                            + ", which the node has to hold");
        }
    }

    private static void require(final String option, final int value, final int most) {
        if (value < 1 || value > most) {
            throw new BadInputException(option + " " + value + ": expected 1 to " + most);
        }
    }

    /** The tasks of all stages. */
    long tasks() {
        long tasks = 0;
        for (final LoadStage stage : LoadStage.values()) {
            tasks += stage.tasks(this);
        }
        return tasks;
    }

    /** What the outputs in memory take at most, in bytes. */
    long memory() {
        final long ofMaps = (long) maps * reducers * segment;
        final long ofTurns = (long) LONG_OUTPUTS * RUNS * turns * SHORT_SEGMENT;
        return Math.max(ofMaps, ofTurns);
    }

    /** As arguments of a process. */
    List<String> arguments() {
        return NetProcess.arguments(
                IntStream.of(maps, reducers, segment, turns, files, atATime)
                        .mapToObj(String::valueOf)
                        .toList(),
                properties);
    }

    /** Reads what {@link #arguments} gave. */
    static LoadPlan parse(final List<String> arguments) {
        final int[] values =
                arguments.stream().limit(NUMBERS).mapToInt(Integer::parseInt).toArray();
        return new LoadPlan(
                values[0],
                values[1],
                values[2],
                values[3],
                values[4],
                values[5],
                NetProcess.settings(arguments.subList(NUMBERS, arguments.size())));
    }
}
