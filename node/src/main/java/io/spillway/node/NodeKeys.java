// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import static io.spillway.conf.Setting.Reader.NODE_MANAGER;
import static io.spillway.conf.Setting.Reader.NODE_PROCESS;

import io.spillway.conf.Location;
import io.spillway.conf.RegisteredNames;
import io.spillway.conf.Setting;
import io.spillway.conf.SettingDeclarations;
import io.spillway.conf.SettingGroup;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Settings of what a node serves, and of the node process. */
public final class NodeKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final long TIB = 1L << 40;
    private static final int MAX_PORT = 65_535;

    /** The number of map output files a node keeps open. */
    public static final Setting<Integer> NODE_OPEN_FILES =
            DECLARE.site("spillway.node.open.files", NODE_MANAGER, NODE_PROCESS)
                    .integer(512, 1, 1_000_000, "Map output files a node keeps open.");

    /** The memory a node uses for map output indices. */
    public static final Setting<Long> NODE_INDEX_BYTES =
            DECLARE.site("spillway.node.index.bytes", NODE_MANAGER, NODE_PROCESS)
                    .bytes(
                            32 * MIB,
                            64 * KIB,
                            16 * GIB,
                            "Memory a node uses for cached map output indices and block"
                                    + " checksums.");

    /** The memory a node uses to read map outputs ahead. */
    public static final Setting<Long> NODE_PREFETCH_BYTES =
            DECLARE.site("spillway.node.prefetch.bytes", NODE_MANAGER, NODE_PROCESS)
                    .bytes(
                            128 * MIB,
                            0,
                            1 * TIB,
                            "Memory outside the heap that a node uses to read map outputs on disk"
                                + " ahead of the reducers' requests, in blocks of 256k: nothing is"
                                + " read ahead with less.");

    /** Where reducers reach the node process. */
    public static final Setting<Optional<String>> NODE_HOST =
            DECLARE.site("spillway.node.host", NODE_PROCESS)
                    .wordsOrAuto(
                            "(?=.*[A-Za-z0-9])[A-Za-z0-9._:%-]{1,253}",
                            "a host name or address",
                            "Name or address at which the node process listens and reducers reach"
                                    + " it, as that of the fast network; auto is the host's name.");

    /** The transports that the node process serves. */
    public static final Setting<List<String>> NODE_TRANSPORTS =
            DECLARE.site("spillway.node.transports", NODE_PROCESS)
                    .listOrAuto(
                            RegisteredNames.SERVED_TRANSPORTS,
                            "Transports that the node process serves; auto is all that this host"
                                + " can. One with spillway.node.memory.bytes does not serve ucx.");

    /** The port of the status page. */
    public static final Setting<Optional<Integer>> NODE_HTTP_PORT =
            DECLARE.site("spillway.node.http.port", NODE_PROCESS)
                    .integerOrNone(
                            13_580,
                            1,
                            MAX_PORT,
                            "Port on loopback of the node process's status page and Prometheus"
                                    + " metrics.");

    /** How long jobs outlive the connection of their NodeManager. */
    public static final Setting<Long> NODE_GRACE =
            DECLARE.site("spillway.node.grace.ms", NODE_PROCESS)
                    .millis(
                            900_000,
                            0,
                            86_400_000,
                            "How long the node process goes on serving the jobs of a NodeManager"
                                    + " that is gone: longer than YARN waits for a NodeManager (10"
                                    + " minutes by default). One that a handler started ends itself"
                                    + " after that.");

    /** Where the node process puts outputs that its memory has no room for. */
    public static final Setting<Location> NODE_OVERFLOW_DIR =
            DECLARE.site("spillway.node.overflow.dir", NODE_PROCESS)
                    .location(
                            Location.NONE,
                            Set.of(Location.NONE),
                            "Directory, on an SSD of the host or on a shared file system, for what"
                                + " spillway.node.memory.bytes has no room for: in files without a"
                                + " name, which the system frees with the process.");

    /** How much of that directory it may take. */
    public static final Setting<Optional<Long>> NODE_OVERFLOW_BYTES =
            DECLARE.site("spillway.node.overflow.bytes", NODE_PROCESS)
                    .bytesOrAuto(
                            1,
                            1024 * TIB,
                            "Most bytes of map outputs in spillway.node.overflow.dir; auto is nine"
                                    + " tenths of what its file system has free when the node"
                                    + " process starts.");

    /** Whether this host does nothing else. */
    public static final Setting<Boolean> NODE_MEMORY_ONLY =
            DECLARE.site("spillway.node.memory.only", NODE_PROCESS)
                    .bool(
                            false,
                            "true says that this host runs no tasks: with"
                                    + " spillway.placement=dedicated map outputs go to such hosts"
                                    + " only.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }
}
