// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.conf;

import static io.spillway.conf.Setting.Reader.MAP_TASK;
import static io.spillway.conf.Setting.Reader.NODE_PROCESS;
import static io.spillway.conf.Setting.Reader.REDUCE_TASK;

import io.spillway.conf.Location;
import io.spillway.conf.Setting;
import io.spillway.conf.SettingDeclarations;
import io.spillway.conf.SettingGroup;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Settings of the placement service and of its members. */
public final class PlacementKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    private static final long TIB = 1L << 40;

    /** 1 to 65535. */
    private static final String PORT =
            "([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]"
                    + "|6553[0-5])";

    /** What the placement service can count to. */
    private static final long MOST_MEMORY_OF_CLUSTER = 1024 * TIB;

    /** The node process that knows the memory of all. */
    public static final Setting<Optional<String>> PLACEMENT_SERVICE =
            DECLARE.site("spillway.placement.service", NODE_PROCESS, MAP_TASK, REDUCE_TASK)
                    .wordsOrNone(
                            "[A-Za-z0-9._%-]{1,253}:" + PORT,
                            "HOST:PORT",
                            "Host and spillway.node.tcp.port of the node process that tells maps"
                                    + " where there is memory; the same on all hosts. Without it"
                                    + " all map outputs stay local.");

    /** Whether this node process is that one. */
    public static final Setting<Boolean> PLACEMENT_SERVE =
            DECLARE.site("spillway.placement.serve", NODE_PROCESS)
                    .bool(
                            false,
                            "true makes this node process the one that"
                                    + " spillway.placement.service names.");

    /** Whether nodes of the former release are members. */
    public static final Setting<Boolean> PLACEMENT_FORMER_NODES =
            DECLARE.site("spillway.placement.former.nodes", NODE_PROCESS)
                    .bool(
                            true,
                            "Whether the placement service takes reports of node processes of the"
                                + " former release. Those with memory get the shuffle secrets of"
                                + " jobs, and while there are any so do all others with memory. Set"
                                + " it to false once all hosts are upgraded. Read by the placement"
                                + " service.");

    /** By what nodes know each other. */
    public static final Setting<Location> PLACEMENT_SECRET_FILE =
            DECLARE.site("spillway.placement.secret.file", NODE_PROCESS)
                    .location(
                            Location.NONE,
                            Set.of(Location.NONE),
                            "File of 16 bytes or more that all node processes share and only their"
                                    + " user can read: by it they know each other.");

    /** The share of the cluster's memory that one job may take. */
    public static final Setting<Double> PLACEMENT_JOB_PERCENT =
            DECLARE.site("spillway.placement.job.percent", NODE_PROCESS)
                    .fraction(
                            1,
                            1,
                            "Fraction of the memory of all nodes that the outputs of one job may"
                                    + " take, copies included; what is beyond stays on the hosts of"
                                    + " its maps. Read by the placement service.");

    /** The bytes of the cluster's memory that one job may take. */
    public static final Setting<Optional<Long>> PLACEMENT_JOB_BYTES =
            DECLARE.site("spillway.placement.job.bytes", NODE_PROCESS)
                    .bytesOrNone(
                            0,
                            MOST_MEMORY_OF_CLUSTER,
                            "Most bytes of the memory of all nodes that the outputs of one job may"
                                    + " take, besides spillway.placement.job.percent: the smaller"
                                    + " one counts.");

    /** The share of the cluster's memory that all jobs of one user may take. */
    public static final Setting<Double> PLACEMENT_USER_PERCENT =
            DECLARE.site("spillway.placement.user.percent", NODE_PROCESS)
                    .fraction(
                            1,
                            1,
                            "As spillway.placement.job.percent, for all jobs of one user"
                                    + " together.");

    /** The bytes of the cluster's memory that all jobs of one user may take. */
    public static final Setting<Optional<Long>> PLACEMENT_USER_BYTES =
            DECLARE.site("spillway.placement.user.bytes", NODE_PROCESS)
                    .bytesOrNone(
                            0,
                            MOST_MEMORY_OF_CLUSTER,
                            "As spillway.placement.job.bytes, for all jobs of one user together.");

    /** When a job of silent hosts is given up. */
    public static final Setting<Long> PLACEMENT_JOB_EXPIRY =
            DECLARE.site("spillway.placement.job.expiry.ms", NODE_PROCESS)
                    .millis(
                            900_000,
                            5_000,
                            86_400_000,
                            "The placement service gives up a job that no host has reported for so"
                                + " long, nor its end; a memory node then frees what it holds of"
                                + " the job when no task of it was connected for so long. So longer"
                                + " than any cut of the network that tasks survive. A job whose end"
                                + " is reported is freed at once.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }
}
