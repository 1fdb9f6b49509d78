// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import static io.spillway.conf.Setting.Reader.NODE_PROCESS;
import static io.spillway.conf.Setting.Reader.REDUCE_TASK;

import io.spillway.conf.Setting;
import io.spillway.conf.SettingDeclarations;
import io.spillway.conf.SettingGroup;
import java.util.List;
import java.util.Optional;

/** Settings of the transport over UCX. */
public final class UcxKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final int MAX_PORT = 65_535;

    /** The port of the node process for ucx. */
    public static final Setting<Optional<Integer>> NODE_UCX_PORT =
            DECLARE.site("spillway.node.ucx.port", NODE_PROCESS)
                    .integerOrAuto(
                            1,
                            MAX_PORT,
                            "Port of the node process for ucx; auto takes any free one.");

    /** The transports that UCX may use. */
    public static final Setting<String> UCX_TLS =
            DECLARE.site("spillway.ucx.tls", NODE_PROCESS, REDUCE_TASK)
                    .words(
                            "[a-z0-9_,^]{1,200}",
                            "transports as UCX_TLS takes them",
                            "The transports that UCX may use, such as rc,ud,shm,self; auto is"
                                + " UCX_TLS where that is set, else all that UCX has but tcp: over"
                                + " sockets it is slower than Spillway's own, and strangers reach"
                                + " it. All nodes and tasks should have the same.");

    /** The network devices that UCX may use. */
    public static final Setting<String> UCX_NET_DEVICES =
            DECLARE.site("spillway.ucx.net-devices", NODE_PROCESS, REDUCE_TASK)
                    .words(
                            "(?=.*[A-Za-z0-9])[A-Za-z0-9_.:,^/-]{1,400}",
                            "devices as UCX_NET_DEVICES takes them",
                            "The network devices that UCX may use, such as mlx5_0:1; auto leaves"
                                    + " the choice to UCX (and to UCX_NET_DEVICES), which may"
                                    + " spread one connection over all of them.");

    /** The registered memory of one process. */
    public static final Setting<Long> UCX_BUFFER_BYTES =
            DECLARE.site("spillway.ucx.buffer.bytes", NODE_PROCESS, REDUCE_TASK)
                    .bytes(
                            64 * MIB,
                            16 * MIB,
                            64 * GIB,
                            "Most registered memory outside the heap that one node or task uses for"
                                + " ucx, taken 16m at a time as needed; the jobs of a node share"
                                + " it, and what has no room waits.");

    /** The segment size of UCX's tcp. */
    public static final Setting<Long> UCX_TCP_SEGMENT_BYTES =
            DECLARE.experiment("spillway.ucx.tcp.segment.bytes", NODE_PROCESS, REDUCE_TASK)
                    .bytes(
                            128 * KIB,
                            8 * KIB,
                            1 * MIB,
                            "UCX_TCP_TX_SEG_SIZE and UCX_TCP_RX_SEG_SIZE, for ucx over sockets.");

    /** How long a thread of ucx polls before it sleeps. */
    public static final Setting<Integer> UCX_SPIN =
            DECLARE.experiment("spillway.ucx.spin.us", NODE_PROCESS, REDUCE_TASK)
                    .integer(
                            20,
                            0,
                            100_000,
                            "Microseconds that the thread of ucx polls at most before it sleeps; it"
                                    + " polls less where that does not help.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }
}
