// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import static io.spillway.conf.Setting.Reader.MAP_TASK;
import static io.spillway.conf.Setting.Reader.NODE_MANAGER;
import static io.spillway.conf.Setting.Reader.NODE_PROCESS;
import static io.spillway.conf.Setting.Reader.REDUCE_TASK;

import java.util.List;

/** Settings that several modules read. */
public final class CommonKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    /** The design that a job runs with. */
    public static final Setting<Mode> MODE =
            DECLARE.job("spillway.mode", MAP_TASK, REDUCE_TASK)
                    .choice(
                            Mode.class,
                            Mode.AUTO,
                            "The design to run: auto is the best of what the nodes have; rdma,"
                                + " rdma-nvm and hadoop-a are published ones. It sets what is auto"
                                + " below.");

    /** Where the node process listens for handlers and for its own command. */
    public static final Setting<Location> NODE_SOCKET =
            DECLARE.site("spillway.node.socket", NODE_MANAGER, NODE_PROCESS)
                    .socket(
                            "Unix socket of the node process; its folder belongs to the user"
                                    + " alone. auto is /dev/shm/spillway-USER/node.sock, or in /tmp"
                                    + " where there is no /dev/shm.");

    /** The heap of a node process that the handler starts. */
    public static final Setting<Long> NODE_HEAP =
            DECLARE.site("spillway.node.heap", NODE_MANAGER)
                    .bytes(
                            256 * MIB,
                            64 * MIB,
                            64 * GIB,
                            "Heap of a node process that the handler or the command starts.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }
}
