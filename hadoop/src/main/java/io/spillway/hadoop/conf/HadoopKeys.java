// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.conf;

import static io.spillway.conf.Setting.Reader.MAP_TASK;
import static io.spillway.conf.Setting.Reader.NODE_MANAGER;
import static io.spillway.conf.Setting.Reader.REDUCE_TASK;

import io.spillway.conf.Location;
import io.spillway.conf.Placement;
import io.spillway.conf.RegisteredNames;
import io.spillway.conf.Setting;
import io.spillway.conf.SettingDeclarations;
import io.spillway.conf.SettingGroup;
import io.spillway.conf.SpillMerging;
import io.spillway.conf.TierPreference;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Settings of the plug-ins of Hadoop. */
public final class HadoopKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    /** The ordered chain of tiers that spills go to. */
    public static final Setting<List<String>> SPILL_TIERS =
            DECLARE.job("spillway.spill.tiers", MAP_TASK, REDUCE_TASK)
                    .listOrAuto(
                            RegisteredNames.SPILL_TIERS,
                            "Where spills go, in this order; a tier that is full or fails overflows"
                                + " to the next. auto is the mode's: memory,disk in auto; disk in"
                                + " rdma; nvm,disk in rdma-nvm.");

    /** The ordered chain of tiers that a map output goes to. */
    public static final Setting<List<String>> OUTPUT_TIERS =
            DECLARE.job("spillway.output.tiers", MAP_TASK)
                    .listOrAuto(
                            RegisteredNames.OUTPUT_TIERS,
                            "Where a map's output goes, in this order. memory and nvm need a node"
                                + " that offers them (SpillwayShuffleHandler) to the job's user;"
                                + " lustre needs spillway.store.lustre.dir; elsewhere it goes to"
                                + " disk. auto is the mode's: memory,disk in auto, else disk.");

    /** When spills are merged. */
    public static final Setting<Optional<SpillMerging>> SPILL_MERGE =
            DECLARE.job("spillway.spill.merge", MAP_TASK, REDUCE_TASK)
                    .choiceOrAuto(
                            SpillMerging.class,
                            "always spills every record and merges all spills into one output, as"
                                + " stock does; never leaves an output's spills as they are, where"
                                + " its reducers are Spillway's, its node keeps them in memory or"
                                + " NVM and there are few enough. auto does so for up to 8 spills a"
                                + " map and 256 a reducer, if the job has no combiner; in the"
                                + " published modes it is always.");

    /** How a tier is chosen. */
    public static final Setting<Optional<TierPreference>> TIER_SELECTION =
            DECLARE.experiment("spillway.tier.selection", MAP_TASK, REDUCE_TASK)
                    .choiceOrAuto(
                            TierPreference.class,
                            "order tries the tiers in their order; speed passes over one that has"
                                + " become slow (spillway.tier.slow) where a later one takes writes"
                                + " four times as fast. auto is the mode's: speed in auto, else"
                                + " order.");

    /** A tier that takes fewer bytes a second is slow. */
    public static final Setting<Long> TIER_SLOW =
            DECLARE.experiment("spillway.tier.slow", MAP_TASK, REDUCE_TASK)
                    .bytes(
                            8 * MIB,
                            0,
                            64 * GIB,
                            "Bytes a second; a tier that takes writes slower than this is slow, and"
                                    + " a later one whose speed is not known is tried.");

    /** Whether reducers use Spillway's shuffle at all. */
    public static final Setting<Boolean> SHUFFLE_ENABLED =
            DECLARE.job("spillway.shuffle.enabled", MAP_TASK, REDUCE_TASK)
                    .bool(true, "false makes SpillwayShuffle delegate to the stock shuffle.");

    /** Whether the shuffle handler speaks Spillway's protocol beside stock HTTP. */
    public static final Setting<Boolean> HANDLER_ENABLED =
            DECLARE.site("spillway.handler.enabled", NODE_MANAGER)
                    .bool(true, "false makes SpillwayShuffleHandler serve stock HTTP only.");

    /** Whether the shuffle handler starts the node process itself. */
    public static final Setting<Boolean> NODE_LAUNCH =
            DECLARE.site("spillway.node.launch", NODE_MANAGER)
                    .bool(
                            false,
                            "true makes the NodeManager's handler start the node process, restart"
                                    + " it when it dies, and stop it with itself.");

    /** The log of a node process that the handler starts. */
    public static final Setting<Location> NODE_LOG =
            DECLARE.site("spillway.node.log", NODE_MANAGER)
                    .location(
                            Location.NONE,
                            Set.of(Location.NONE),
                            "File that a node process started by the handler logs to; with none its"
                                    + " lines go to the NodeManager's own output.");

    /** Where map outputs go. */
    public static final Setting<Placement> PLACEMENT =
            DECLARE.job("spillway.placement", MAP_TASK)
                    .choice(
                            Placement.class,
                            Placement.LOCAL,
                            "Where map outputs go: local keeps them in the tiers of the map's host;"
                                + " ramdisk does so with the tiers memory and disk, whatever"
                                + " spillway.spill.tiers and spillway.output.tiers say; every-node"
                                + " puts them into the memory of all node processes that give some,"
                                + " dedicated into that of hosts that do nothing else. auto keeps"
                                + " those for which the map's host has room in its memory tier, and"
                                + " puts the others into the memory of all node processes. Where no"
                                + " node has room they stay local.");

    /** How many nodes take each map output. */
    public static final Setting<Integer> PLACEMENT_COPIES =
            DECLARE.job("spillway.placement.copies", MAP_TASK)
                    .integer(
                            1,
                            1,
                            3,
                            "Nodes that each take the whole of a map output, where"
                                    + " spillway.placement puts it into other nodes: with 2, no map"
                                    + " runs again when a node is lost. Where fewer have room,"
                                    + " fewer take it.");

    /** Whether tasks publish their figures as job counters. */
    public static final Setting<Boolean> REPORT_COUNTERS =
            DECLARE.job("spillway.report.counters", MAP_TASK, REDUCE_TASK)
                    .bool(
                            true,
                            "Publish the shuffle report's figures as job counters"
                                    + " (SPILLWAY-… of File System Counters).");

    /** Whether map tasks sample where their time goes. */
    public static final Setting<Boolean> REPORT_STAGES =
            DECLARE.experiment("spillway.report.stages", MAP_TASK)
                    .bool(
                            true,
                            "Tell reading, map() and collecting apart in the shuffle report, by"
                                    + " looking at the task's stack 50 times a second.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }
}
