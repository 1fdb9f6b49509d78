// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import static io.spillway.conf.Setting.Reader.MAP_TASK;
import static io.spillway.conf.Setting.Reader.NODE_MANAGER;
import static io.spillway.conf.Setting.Reader.NODE_PROCESS;
import static io.spillway.conf.Setting.Reader.REDUCE_TASK;

import io.spillway.conf.Setting;
import io.spillway.conf.SettingDeclarations;
import io.spillway.conf.SettingGroup;
import io.spillway.seal.Protection;
import java.util.List;
import java.util.Optional;

/** Settings of what all transports do alike, at both ends. */
public final class ProtocolKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    /** Whether nodes read map outputs ahead for this job. */
    public static final Setting<Optional<Boolean>> SHUFFLE_PREFETCH =
            DECLARE.job("spillway.shuffle.prefetch", REDUCE_TASK)
                    .boolOrAuto(
                            "Whether nodes read this job's map outputs on disk into memory before"
                                + " reducers ask for them. auto is the mode's: false in hadoop-a,"
                                + " else true.");

    /** The number of requests a reducer keeps in flight to one node. */
    public static final Setting<Integer> SHUFFLE_REQUESTS_IN_FLIGHT =
            DECLARE.experiment("spillway.shuffle.requests.inflight", REDUCE_TASK)
                    .integer(16, 1, 1024, "Requests that one reducer keeps in flight to one node.");

    /** The time in which a connection must be open and authenticated. */
    public static final Setting<Long> SHUFFLE_CONNECT_TIMEOUT =
            DECLARE.job("spillway.shuffle.connect.timeout.ms", REDUCE_TASK)
                    .millis(
                            10_000,
                            100,
                            600_000,
                            "Time in which a connection to a node must be open and authenticated.");

    /** The time after which a silent connection counts as lost. */
    public static final Setting<Long> SHUFFLE_READ_TIMEOUT =
            DECLARE.job("spillway.shuffle.read.timeout.ms", REDUCE_TASK, NODE_PROCESS)
                    .millis(
                            12_000,
                            500,
                            600_000,
                            "A connection with requests in flight and no answer for this long is"
                                    + " lost.");

    /** The number of connections a node serves at a time. */
    public static final Setting<Integer> NODE_MAX_CONNECTIONS =
            DECLARE.site("spillway.node.max.connections", NODE_MANAGER, NODE_PROCESS)
                    .integer(
                            4096,
                            1,
                            1_000_000,
                            "Spillway connections a node serves at a time; more are refused with a"
                                    + " message.");

    /** The bytes queued towards one client before its requests wait. */
    public static final Setting<Long> NODE_CONNECTION_BYTES =
            DECLARE.site("spillway.node.connection.bytes", NODE_MANAGER, NODE_PROCESS)
                    .bytes(
                            8 * MIB,
                            64 * KIB,
                            1 * GIB,
                            "Bytes queued towards one client before its further requests wait.");

    /** The oldest version of the wire protocol that is spoken. */
    public static final Setting<Integer> WIRE_MIN_VERSION =
            DECLARE.site(
                            "spillway.wire.min.version",
                            NODE_MANAGER,
                            NODE_PROCESS,
                            MAP_TASK,
                            REDUCE_TASK)
                    .integer(
                            12,
                            12,
                            14,
                            "Oldest version of the wire protocol that nodes and tasks accept."
                                + " Version 12 allows an upgrade host by host. Its hand-shake is"
                                + " weaker: an attacker on the network can relay it. 13 refuses"
                                + " version 12, 14 also version 13.");

    /** The protection of the bytes after the hand-shake. */
    public static final Setting<Protection> PROTECTION =
            DECLARE.site("spillway.protection", NODE_MANAGER, NODE_PROCESS, MAP_TASK, REDUCE_TASK)
                    .choice(
                            Protection.class,
                            Protection.PRIVACY,
                            "Protection of all bytes after the hand-shake between tasks and nodes,"
                                + " with the names of hadoop.rpc.protection: authentication is the"
                                + " hand-shake alone, integrity adds keyed tags, privacy adds"
                                + " encryption (AES-128-GCM). A session has the stronger value of"
                                + " the task and the node.");

    /** The node's addresses where they are translated. */
    public static final Setting<Optional<String>> NODE_ALIASES =
            DECLARE.site("spillway.node.aliases", NODE_MANAGER, NODE_PROCESS)
                    .wordsOrNone(
                            "[0-9a-fA-F.:]+:[0-9]+(,[0-9a-fA-F.:]+:[0-9]+)*",
                            "addresses such as 10.0.0.7:13562, separated by commas",
                            "Addresses and ports by which clients reach this node where something"
                                    + " in between translates them. A client that has dialled"
                                    + " another address is refused.");

    /** The puts of one client that wait for an answer. */
    public static final Setting<Integer> NODE_PUT_REQUESTS =
            DECLARE.site("spillway.node.put.requests", NODE_PROCESS)
                    .integer(
                            256,
                            1,
                            65_536,
                            "Most puts of one client that a memory node has not answered; the"
                                    + " client's further ones wait. Each takes some 300 bytes.");

    /** The bytes of them. */
    public static final Setting<Long> NODE_PUT_BYTES =
            DECLARE.site("spillway.node.put.bytes", NODE_PROCESS)
                    .bytes(
                            8 * MIB,
                            1 * MIB,
                            1 * GIB,
                            "Most bytes of them; the default is what a link of 25 Gbit/s brings in"
                                    + " 2.5 ms.");

    /** The bytes of such puts of all clients. */
    public static final Setting<Long> NODE_PUT_MEMORY =
            DECLARE.site("spillway.node.put.memory", NODE_PROCESS)
                    .bytes(
                            128 * MIB,
                            1 * MIB,
                            64 * GIB,
                            "Most bytes of puts of all clients that a memory node has not answered,"
                                    + " never less than spillway.node.put.bytes; beyond them it"
                                    + " reads no more from a client that brings another.");

    /** What the node process gives to outputs of other hosts. */
    public static final Setting<Long> NODE_MEMORY_BYTES =
            DECLARE.site("spillway.node.memory.bytes", NODE_PROCESS)
                    .bytes(
                            0,
                            0,
                            16L * 1024 * GIB,
                            "Memory outside the heap that the node process gives to map outputs of"
                                    + " all hosts; 0 gives none.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }
}
