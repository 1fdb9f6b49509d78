// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import static io.spillway.conf.Setting.Reader.MAP_TASK;
import static io.spillway.conf.Setting.Reader.REDUCE_TASK;

import io.spillway.conf.RegisteredNames;
import io.spillway.conf.Setting;
import io.spillway.conf.SettingDeclarations;
import io.spillway.conf.SettingGroup;
import java.util.List;

/** Settings of the choice among transports. */
public final class TransportKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    /** The transport that reducers fetch with. */
    public static final Setting<String> TRANSPORT =
            DECLARE.job("spillway.transport", MAP_TASK, REDUCE_TASK)
                    .oneOrAuto(
                            RegisteredNames.TRANSPORTS,
                            "What reducers fetch with. auto takes ucx from a node process that"
                                + " offers it where both are on one host and can share memory, or"
                                + " this host has an RDMA device whose link is up; else what is"
                                + " offered between ranks of one MPI world; else tcp. What cannot"
                                + " be used falls back to tcp, node by node. Outputs of the lustre"
                                + " tier are read through the shared file system where that takes"
                                + " less with auto, always with sharedfs, and from a node that is"
                                + " gone with each value.");

    /** How long another transport is not tried after it failed. */
    public static final Setting<Long> TRANSPORT_RETRY =
            DECLARE.experiment("spillway.transport.retry.ms", REDUCE_TASK)
                    .millis(
                            30_000,
                            100,
                            3_600_000,
                            "How long a node is fetched from over tcp after another transport to it"
                                    + " failed; twice as long after each further failure, up to 32"
                                    + " times.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }
}
