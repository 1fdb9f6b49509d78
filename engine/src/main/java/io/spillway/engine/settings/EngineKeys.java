// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.settings;

import static io.spillway.conf.Setting.Reader.MAP_TASK;
import static io.spillway.conf.Setting.Reader.REDUCE_TASK;

import io.spillway.conf.Setting;
import io.spillway.conf.SettingDeclarations;
import io.spillway.conf.SettingGroup;
import io.spillway.conf.WindowSizing;
import java.util.List;
import java.util.Optional;

/** Settings of the engine: sorting, and the reduce side. */
public final class EngineKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    /** A reducer's own code keeps the rest of its heap, whatever the buffer is set to. */
    public static final double MOST_OF_HEAP = 0.8;

    /** Whether the sort uses key prefixes where the comparator's byte order is known. */
    public static final Setting<Boolean> SORT_PREFIX =
            DECLARE.experiment("spillway.sort.prefix", MAP_TASK, REDUCE_TASK)
                    .bool(
                            true,
                            "Sort by 8-byte key prefixes where the comparator's byte order is"
                                + " known; false compares whole keys with the job's comparator.");

    /** Whether a map finds the records that its combiner gets together by hash. */
    public static final Setting<Boolean> MAP_COMBINE_HASH =
            DECLARE.experiment("spillway.map.combine.hash", MAP_TASK)
                    .bool(
                            true,
                            "Where the job has a combiner and the comparator's byte order is known,"
                                + " a map finds the records of a key by hash as they are collected,"
                                + " and sorts keys, not records, while there are few keys; false"
                                + " sorts records, as does a limit of spill files.");

    /** The memory that one reducer uses for map output, in bytes. */
    public static final Setting<Optional<Long>> SHUFFLE_BUFFER_BYTES =
            DECLARE.job("spillway.shuffle.buffer.bytes", MAP_TASK, REDUCE_TASK)
                    .bytesOrAuto(
                            1 * KIB,
                            64 * GIB,
                            "Memory that one reducer uses for map output, at most 0.8 of its heap;"
                                    + " auto takes spillway.shuffle.buffer.percent of its heap.");

    /** The fraction of the heap that a reducer uses for map output. */
    public static final Setting<Double> SHUFFLE_BUFFER_PERCENT =
            DECLARE.job("spillway.shuffle.buffer.percent", MAP_TASK, REDUCE_TASK)
                    .fraction(
                            0.35,
                            MOST_OF_HEAP,
                            "Fraction of a reducer's heap used for map output when"
                                    + " spillway.shuffle.buffer.bytes is auto.");

    /** The largest piece of a segment fetched in one request. */
    public static final Setting<Long> SHUFFLE_WINDOW_MAX =
            DECLARE.experiment("spillway.shuffle.window.max", MAP_TASK, REDUCE_TASK)
                    .bytes(
                            256 * KIB,
                            4 * KIB,
                            16 * MIB,
                            "Largest piece of a segment fetched in one request; never below"
                                    + " spillway.shuffle.window.min.");

    /** The smallest piece of a segment fetched in one request. */
    public static final Setting<Long> SHUFFLE_WINDOW_MIN =
            DECLARE.experiment("spillway.shuffle.window.min", MAP_TASK, REDUCE_TASK)
                    .bytes(
                            4 * KIB,
                            1 * KIB,
                            1 * MIB,
                            "Smallest window a segment is read by; many maps and a small buffer"
                                + " shrink windows down to this, then reducers are stock's. Where a"
                                + " task has less heap than configured, down to 1k.");

    /** How a reducer divides its memory among the maps while it merges. */
    public static final Setting<Optional<WindowSizing>> SHUFFLE_WINDOWS =
            DECLARE.experiment("spillway.shuffle.windows", REDUCE_TASK)
                    .choiceOrAuto(
                            WindowSizing.class,
                            "demand gives memory to the map whose records the merge will need next;"
                                + " static gives every map the same. auto is the mode's: static in"
                                + " hadoop-a, else demand.");

    /** Whether reducers combine map output while maps run. */
    public static final Setting<Optional<Boolean>> SHUFFLE_COMBINE =
            DECLARE.job("spillway.shuffle.combine", REDUCE_TASK)
                    .boolOrAuto(
                            "Whether reducers run the job's combiner over map output that has"
                                + " arrived, while maps still run. auto stops where that does not"
                                + " take a fifth off.");

    /** How many segments a reducer merges ahead into one. */
    public static final Setting<Optional<Integer>> SHUFFLE_MERGE_FACTOR =
            DECLARE.experiment("spillway.shuffle.merge.factor", REDUCE_TASK)
                    .integerOrNone(
                            64,
                            2,
                            100_000,
                            "While maps still run, a reducer merges whole segments in its memory as"
                                + " soon as it has this many of maps that follow each other (fewer,"
                                + " where it has as many others), so that the last merge has fewer"
                                + " runs; none merges them only to combine them.");

    /** How often completion events are polled. */
    public static final Setting<Long> SHUFFLE_POLL_INTERVAL =
            DECLARE.experiment("spillway.shuffle.poll.interval.ms", REDUCE_TASK)
                    .millis(500, 50, 60_000, "How often a reducer asks for newly finished maps.");

    /** After which time without a request a reducer gives a connection back. */
    public static final Setting<Long> SHUFFLE_IDLE =
            DECLARE.experiment("spillway.shuffle.idle.ms", REDUCE_TASK)
                    .millis(
                            3_000,
                            50,
                            600_000,
                            "A reducer closes a connection over which it asks for nothing for this"
                                    + " long, and opens it again when it needs it: the node serves"
                                    + " others.");

    /** How long a reducer retries a source whose records it has already begun to merge. */
    public static final Setting<Long> SHUFFLE_STREAM_RETRY =
            DECLARE.job("spillway.shuffle.stream.retry.ms", REDUCE_TASK)
                    .millis(
                            60_000,
                            0,
                            3_600_000,
                            "How long a reducer tries to reach a source again whose records are"
                                    + " already being merged, before the attempt fails.");

    /** How long a reducer waits for a map that runs again. */
    public static final Setting<Long> SHUFFLE_RERUN_WAIT =
            DECLARE.job("spillway.shuffle.rerun.wait.ms", REDUCE_TASK)
                    .millis(
                            600_000,
                            0,
                            86_400_000,
                            "How long a reducer waits for a lost map to run again: whose records"
                                + " are already being merged, to go on with the new output if it is"
                                + " the same; or whose only output was on a memory node that is"
                                + " gone.");

    /** After which silence another copy of a map output is asked. */
    public static final Setting<Optional<Long>> SHUFFLE_HEDGE =
            DECLARE.job("spillway.shuffle.hedge.ms", REDUCE_TASK)
                    .millisOrNone(
                            3_000,
                            1,
                            600_000,
                            "A request without an answer for this long is sent to another attempt"
                                    + " of the same map too, where there is one; with none never.");

    /** When a reducer gives up that waits while nothing can end its wait. */
    public static final Setting<Optional<Long>> SHUFFLE_WATCHDOG =
            DECLARE.job("spillway.shuffle.watchdog.ms", REDUCE_TASK)
                    .millisOrNone(
                            120_000,
                            1,
                            3_600_000,
                            "A reduce attempt that has waited for so long, while nothing was under"
                                + " way that could end the wait, fails and logs the shuffle's"
                                + " state; a quarter of mapreduce.task.timeout at most. With none"
                                + " it only reports no progress meanwhile.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }
}
