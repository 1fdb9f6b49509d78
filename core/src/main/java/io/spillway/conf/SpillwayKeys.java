package io.spillway.conf;

import static io.spillway.conf.Setting.Reader.MAP_TASK;
import static io.spillway.conf.Setting.Reader.NODE_MANAGER;
import static io.spillway.conf.Setting.Reader.NODE_PROCESS;
import static io.spillway.conf.Setting.Reader.REDUCE_TASK;

import io.spillway.conf.Setting.Audience;
import io.spillway.conf.Setting.Reader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Every setting of Spillway: name, who changes it, what reads it, type, default, range and one line
 * of documentation.
 *
 * <p>{@code docs/configuration.md} is generated from this class by {@link ConfigurationDoc}; a test
 * fails when it is stale. Immutable and thread-safe.
 */
public final class SpillwayKeys {
    private static final List<Setting<?>> REGISTRY = new ArrayList<>();

    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final long TIB = 1L << 40;

    private static final int MAX_PORT = 65_535;

    /** What the placement service can count to. */
    private static final long MOST_MEMORY_OF_CLUSTER = 1024 * TIB;

    /** 1 to 65535. */
    private static final String PORT =
            "([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]"
                    + "|6553[0-5])";

    /** Memory as files, on Linux. */
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    /** A reducer's own code keeps the rest of its heap, whatever the buffer is set to. */
    public static final double MOST_OF_HEAP = 0.8;

    /** Stands for what Spillway derives from the mode, the host or the heap. */
    public static final String AUTO = "auto";

    /** Stands for nothing of the kind. */
    public static final String NONE = "none";

    /** The design that a job runs with. */
    public static final Setting<Mode> MODE =
            job("spillway.mode", MAP_TASK, REDUCE_TASK)
                    .choice(
                            Mode.class,
                            Mode.AUTO,
                            "The design to run: auto is the best of what the nodes have; rdma,"
                                + " rdma-nvm and hadoop-a are published ones. It sets what is auto"
                                + " below.");

    // ---- map side ------------------------------------------------------------------------------

    /** Whether the sort uses key prefixes where the comparator's byte order is known. */
    public static final Setting<Boolean> SORT_PREFIX =
            experiment("spillway.sort.prefix", MAP_TASK, REDUCE_TASK)
                    .bool(
                            true,
                            "Sort by 8-byte key prefixes where the comparator's byte order is"
                                + " known; false compares whole keys with the job's comparator.");

    /** The ordered chain of tiers that spills go to. */
    public static final Setting<List<String>> SPILL_TIERS =
            job("spillway.spill.tiers", MAP_TASK, REDUCE_TASK)
                    .listOrAuto(
                            RegisteredNames.SPILL_TIERS,
                            "Where spills go, in this order; a tier that is full or fails overflows"
                                + " to the next. auto is the mode's: memory,disk in auto; disk in"
                                + " rdma; nvm,disk in rdma-nvm.");

    /** The ordered chain of tiers that a map output goes to. */
    public static final Setting<List<String>> OUTPUT_TIERS =
            job("spillway.output.tiers", MAP_TASK)
                    .listOrAuto(
                            RegisteredNames.OUTPUT_TIERS,
                            "Where a map's output goes, in this order. memory and nvm need a node"
                                + " that offers them (SpillwayShuffleHandler) to the job's user;"
                                + " elsewhere it goes to disk. auto is the mode's: memory,disk in"
                                + " auto, else disk.");

    /** When spills are merged. */
    public static final Setting<Optional<SpillMerging>> SPILL_MERGE =
            job("spillway.spill.merge", MAP_TASK, REDUCE_TASK)
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
            experiment("spillway.tier.selection", MAP_TASK, REDUCE_TASK)
                    .choiceOrAuto(
                            TierPreference.class,
                            "order tries the tiers in their order; speed passes over one that has"
                                + " become slow (spillway.tier.slow) where a later one takes writes"
                                + " four times as fast. auto is the mode's: speed in auto, else"
                                + " order.");

    /** A tier that takes fewer bytes a second is slow. */
    public static final Setting<Long> TIER_SLOW =
            experiment("spillway.tier.slow", MAP_TASK, REDUCE_TASK)
                    .bytes(
                            8 * MIB,
                            0,
                            64 * GIB,
                            "Bytes a second; a tier that takes writes slower than this is slow, and"
                                    + " a later one whose speed is not known is tried.");

    /** The most bytes of spills that one map task keeps in its heap. */
    public static final Setting<Long> SPILL_HEAP_LIMIT =
            job("spillway.spill.heap.limit", MAP_TASK)
                    .bytes(
                            64 * MIB,
                            0,
                            64 * GIB,
                            "Most bytes of spills that one map task keeps in the heap tier.");

    // ---- stores --------------------------------------------------------------------------------

    /** The directory of the memory tier. */
    public static final Setting<Location> STORE_MEMORY_DIR =
            site("spillway.store.memory.dir", NODE_MANAGER, NODE_PROCESS, MAP_TASK, REDUCE_TASK)
                    .location(
                            Location.AUTO,
                            Set.of(Location.AUTO, Location.NONE),
                            "Directory of the memory tier, on tmpfs. auto is /dev/shm, for what the"
                                    + " node offers to tasks; a task to which its node offers no"
                                    + " memory keeps spills in the directory that is set, in files"
                                    + " of its own, and with auto in none.");

    /** The most memory that a node's memory tier takes. */
    public static final Setting<Optional<Long>> STORE_MEMORY_LIMIT =
            site("spillway.store.memory.limit", NODE_MANAGER)
                    .bytesOrAuto(
                            0,
                            64 * TIB,
                            "Most bytes of a node's memory tier, leased or kept for use again. auto"
                                + " is made of the host's memory and what YARN gives to containers"
                                + " (docs/operating.md, Memory for map output).");

    /** The memory that the memory tier leaves free. */
    public static final Setting<Long> STORE_MEMORY_RESERVE =
            site("spillway.store.memory.reserve", NODE_MANAGER, MAP_TASK, REDUCE_TASK)
                    .bytes(
                            1 * GIB,
                            0,
                            64 * TIB,
                            "The memory tier is full when less than this is left, of its file"
                                    + " system or of the host's available memory.");

    /** The directory of the NVM tier. */
    public static final Setting<Location> STORE_NVM_DIR =
            site("spillway.store.nvm.dir", NODE_MANAGER, NODE_PROCESS, MAP_TASK, REDUCE_TASK)
                    .location(
                            Location.NONE,
                            Set.of(Location.NONE),
                            "Directory of the nvm tier, on a DAX mount (any other is mapped without"
                                    + " sync, and the report says so).");

    /** The most bytes that a node's NVM tier takes. */
    public static final Setting<Optional<Long>> STORE_NVM_LIMIT =
            site("spillway.store.nvm.limit", NODE_MANAGER)
                    .bytesOrAuto(
                            0,
                            64 * TIB,
                            "Most bytes of a node's nvm tier; auto is all that its mount has.");

    /** How many times its duration a write to the NVM tier is followed by waiting. */
    public static final Setting<Double> NVM_EMULATION_WRITE =
            experiment("spillway.store.nvm.emulation.write", MAP_TASK, REDUCE_TASK)
                    .number(
                            0,
                            1000,
                            "For experiments without NVM: after a write wait this many times as"
                                + " long as it took in DRAM; 10 in the published evaluation. What"
                                + " is measured so is reported as emulated.");

    /** How many times its duration a read of the NVM tier is followed by waiting. */
    public static final Setting<Double> NVM_EMULATION_READ =
            experiment("spillway.store.nvm.emulation.read", MAP_TASK, REDUCE_TASK)
                    .number(0, 1000, "The same for reads; 0 in the published evaluation.");

    /** The directory of the Lustre tier. */
    public static final Setting<Location> STORE_LUSTRE_DIR =
            site("spillway.store.lustre.dir", MAP_TASK, REDUCE_TASK)
                    .location(
                            Location.NONE,
                            Set.of(Location.NONE),
                            "Directory of the lustre tier, on the shared file system.");

    // ---- reduce side ---------------------------------------------------------------------------

    /** Whether reducers use Spillway's shuffle at all. */
    public static final Setting<Boolean> SHUFFLE_ENABLED =
            job("spillway.shuffle.enabled", MAP_TASK, REDUCE_TASK)
                    .bool(true, "false makes SpillwayShuffle delegate to the stock shuffle.");

    /** The memory that one reducer uses for map output, in bytes. */
    public static final Setting<Optional<Long>> SHUFFLE_BUFFER_BYTES =
            job("spillway.shuffle.buffer.bytes", MAP_TASK, REDUCE_TASK)
                    .bytesOrAuto(
                            1 * KIB,
                            64 * GIB,
                            "Memory that one reducer uses for map output, at most 0.8 of its heap;"
                                    + " auto takes spillway.shuffle.buffer.percent of its heap.");

    /** The fraction of the heap that a reducer uses for map output. */
    public static final Setting<Double> SHUFFLE_BUFFER_PERCENT =
            job("spillway.shuffle.buffer.percent", MAP_TASK, REDUCE_TASK)
                    .fraction(
                            0.35,
                            MOST_OF_HEAP,
                            "Fraction of a reducer's heap used for map output when"
                                    + " spillway.shuffle.buffer.bytes is auto.");

    /** The largest piece of a segment fetched in one request. */
    public static final Setting<Long> SHUFFLE_WINDOW_MAX =
            experiment("spillway.shuffle.window.max", MAP_TASK, REDUCE_TASK)
                    .bytes(
                            256 * KIB,
                            4 * KIB,
                            16 * MIB,
                            "Largest piece of a segment fetched in one request; never below"
                                    + " spillway.shuffle.window.min.");

    /** The smallest piece of a segment fetched in one request. */
    public static final Setting<Long> SHUFFLE_WINDOW_MIN =
            experiment("spillway.shuffle.window.min", MAP_TASK, REDUCE_TASK)
                    .bytes(
                            4 * KIB,
                            1 * KIB,
                            1 * MIB,
                            "Smallest window a segment is read by; many maps and a small buffer"
                                + " shrink windows down to this, then reducers are stock's. Where a"
                                + " task has less heap than configured, down to 1k.");

    /** How a reducer divides its memory among the maps while it merges. */
    public static final Setting<Optional<WindowSizing>> SHUFFLE_WINDOWS =
            experiment("spillway.shuffle.windows", REDUCE_TASK)
                    .choiceOrAuto(
                            WindowSizing.class,
                            "demand gives memory to the map whose records the merge will need next;"
                                + " static gives every map the same. auto is the mode's: static in"
                                + " hadoop-a, else demand.");

    /** Whether reducers combine map output while maps run. */
    public static final Setting<Optional<Boolean>> SHUFFLE_COMBINE =
            job("spillway.shuffle.combine", REDUCE_TASK)
                    .boolOrAuto(
                            "Whether reducers run the job's combiner over map output that has"
                                + " arrived, while maps still run. auto stops where that does not"
                                + " take a fifth off.");

    /** How many segments a reducer merges ahead into one. */
    public static final Setting<Optional<Integer>> SHUFFLE_MERGE_FACTOR =
            experiment("spillway.shuffle.merge.factor", REDUCE_TASK)
                    .integerOrNone(
                            64,
                            2,
                            100_000,
                            "While maps still run, a reducer merges whole segments in its memory as"
                                + " soon as it has this many of maps that follow each other (fewer,"
                                + " where it has as many others), so that the last merge has fewer"
                                + " runs; none merges them only to combine them.");

    /** Whether nodes read map outputs ahead for this job. */
    public static final Setting<Optional<Boolean>> SHUFFLE_PREFETCH =
            job("spillway.shuffle.prefetch", REDUCE_TASK)
                    .boolOrAuto(
                            "Whether nodes read this job's map outputs on disk into memory before"
                                + " reducers ask for them. auto is the mode's: false in hadoop-a,"
                                + " else true.");

    /** The number of requests a reducer keeps in flight to one node. */
    public static final Setting<Integer> SHUFFLE_REQUESTS_IN_FLIGHT =
            experiment("spillway.shuffle.requests.inflight", REDUCE_TASK)
                    .integer(16, 1, 1024, "Requests that one reducer keeps in flight to one node.");

    /** How often completion events are polled. */
    public static final Setting<Long> SHUFFLE_POLL_INTERVAL =
            experiment("spillway.shuffle.poll.interval.ms", REDUCE_TASK)
                    .millis(500, 50, 60_000, "How often a reducer asks for newly finished maps.");

    /** The transport that reducers fetch with. */
    public static final Setting<String> TRANSPORT =
            job("spillway.transport", MAP_TASK, REDUCE_TASK)
                    .oneOrAuto(
                            RegisteredNames.TRANSPORTS,
                            "What reducers fetch with. auto takes ucx from a node process that"
                                + " offers it where both are on one host and can share memory, or"
                                + " this host has an RDMA device whose link is up; else what is"
                                + " offered between ranks of one MPI world; else tcp. What cannot"
                                + " be used falls back to tcp, node by node.");

    /** How long another transport is not tried after it failed. */
    public static final Setting<Long> TRANSPORT_RETRY =
            experiment("spillway.transport.retry.ms", REDUCE_TASK)
                    .millis(
                            30_000,
                            100,
                            3_600_000,
                            "How long a node is fetched from over tcp after another transport to it"
                                    + " failed; twice as long after each further failure, up to 32"
                                    + " times.");

    /** The time in which a connection must be open and authenticated. */
    public static final Setting<Long> SHUFFLE_CONNECT_TIMEOUT =
            job("spillway.shuffle.connect.timeout.ms", REDUCE_TASK)
                    .millis(
                            10_000,
                            100,
                            600_000,
                            "Time in which a connection to a node must be open and authenticated.");

    /** The time after which a silent connection counts as lost. */
    public static final Setting<Long> SHUFFLE_READ_TIMEOUT =
            job("spillway.shuffle.read.timeout.ms", REDUCE_TASK, NODE_PROCESS)
                    .millis(
                            12_000,
                            500,
                            600_000,
                            "A connection with requests in flight and no answer for this long is"
                                    + " lost.");

    /** After which time without a request a reducer gives a connection back. */
    public static final Setting<Long> SHUFFLE_IDLE =
            experiment("spillway.shuffle.idle.ms", REDUCE_TASK)
                    .millis(
                            3_000,
                            50,
                            600_000,
                            "A reducer closes a connection over which it asks for nothing for this"
                                    + " long, and opens it again when it needs it: the node serves"
                                    + " others.");

    /** How long a reducer retries a source whose records it has already begun to merge. */
    public static final Setting<Long> SHUFFLE_STREAM_RETRY =
            job("spillway.shuffle.stream.retry.ms", REDUCE_TASK)
                    .millis(
                            60_000,
                            0,
                            3_600_000,
                            "How long a reducer tries to reach a source again whose records are"
                                    + " already being merged, before the attempt fails.");

    /** How long a reducer waits for a map that runs again. */
    public static final Setting<Long> SHUFFLE_RERUN_WAIT =
            job("spillway.shuffle.rerun.wait.ms", REDUCE_TASK)
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
            job("spillway.shuffle.hedge.ms", REDUCE_TASK)
                    .millisOrNone(
                            3_000,
                            1,
                            600_000,
                            "A request without an answer for this long is sent to another attempt"
                                    + " of the same map too, where there is one; with none never.");

    /** When a reducer gives up that waits while nothing can end its wait. */
    public static final Setting<Optional<Long>> SHUFFLE_WATCHDOG =
            job("spillway.shuffle.watchdog.ms", REDUCE_TASK)
                    .millisOrNone(
                            120_000,
                            1,
                            3_600_000,
                            "A reduce attempt that has waited for so long, while nothing was under"
                                + " way that could end the wait, fails and logs the shuffle's"
                                + " state; a quarter of mapreduce.task.timeout at most. With none"
                                + " it only reports no progress meanwhile.");

    // ---- NodeManager side ----------------------------------------------------------------------

    /** Whether the shuffle handler speaks Spillway's protocol beside stock HTTP. */
    public static final Setting<Boolean> HANDLER_ENABLED =
            site("spillway.handler.enabled", NODE_MANAGER)
                    .bool(true, "false makes SpillwayShuffleHandler serve stock HTTP only.");

    /** The number of connections a node serves at a time. */
    public static final Setting<Integer> NODE_MAX_CONNECTIONS =
            site("spillway.node.max.connections", NODE_MANAGER, NODE_PROCESS)
                    .integer(
                            4096,
                            1,
                            1_000_000,
                            "Spillway connections a node serves at a time; more are refused with a"
                                    + " message.");

    /** The bytes queued towards one client before its requests wait. */
    public static final Setting<Long> NODE_CONNECTION_BYTES =
            site("spillway.node.connection.bytes", NODE_MANAGER, NODE_PROCESS)
                    .bytes(
                            8 * MIB,
                            64 * KIB,
                            1 * GIB,
                            "Bytes queued towards one client before its further requests wait.");

    /** The oldest version of the wire protocol that is spoken. */
    public static final Setting<Integer> WIRE_MIN_VERSION =
            site("spillway.wire.min.version", NODE_MANAGER, NODE_PROCESS, MAP_TASK, REDUCE_TASK)
                    .integer(
                            12,
                            12,
                            13,
                            "Oldest version of the wire protocol that nodes and tasks speak. 12 is"
                                    + " the version before, for an upgrade host by host; with 13"
                                    + " nobody can make two sides use the weaker hand-shake of"
                                    + " 12.");

    /** Whether what is said after the hand-shake is sealed. */
    public static final Setting<Boolean> WIRE_SEAL =
            site("spillway.wire.seal", NODE_MANAGER, NODE_PROCESS, MAP_TASK, REDUCE_TASK)
                    .bool(
                            true,
                            "Whether all bytes after the hand-shake are encrypted and have a"
                                    + " keyed tag (AES-128-GCM) over tcp. false on both sides"
                                    + " turns it off.");

    /** The node's addresses where they are translated. */
    public static final Setting<Optional<String>> NODE_ALIASES =
            site("spillway.node.aliases", NODE_MANAGER, NODE_PROCESS)
                    .wordsOrNone(
                            "[0-9a-fA-F.:]+:[0-9]+(,[0-9a-fA-F.:]+:[0-9]+)*",
                            "addresses such as 10.0.0.7:13562, separated by commas",
                            "Addresses and ports by which clients reach this node where something"
                                    + " in between translates them. A client that has dialled"
                                    + " another address is refused.");

    /** The puts of one client that wait for an answer. */
    public static final Setting<Integer> NODE_PUT_REQUESTS =
            site("spillway.node.put.requests", NODE_PROCESS)
                    .integer(
                            256,
                            1,
                            65_536,
                            "Most puts of one client that a memory node has not answered; the"
                                    + " client's further ones wait. Each takes some 300 bytes.");

    /** The bytes of them. */
    public static final Setting<Long> NODE_PUT_BYTES =
            site("spillway.node.put.bytes", NODE_PROCESS)
                    .bytes(
                            8 * MIB,
                            1 * MIB,
                            1 * GIB,
                            "Most bytes of them; the default is what a link of 25 Gbit/s brings in"
                                    + " 2.5 ms.");

    /** The bytes of such puts of all clients. */
    public static final Setting<Long> NODE_PUT_MEMORY =
            site("spillway.node.put.memory", NODE_PROCESS)
                    .bytes(
                            128 * MIB,
                            1 * MIB,
                            64 * GIB,
                            "Most bytes of puts of all clients that a memory node has not answered,"
                                    + " never less than spillway.node.put.bytes; beyond them it"
                                    + " reads no more from a client that brings another.");

    /** The number of map output files a node keeps open. */
    public static final Setting<Integer> NODE_OPEN_FILES =
            site("spillway.node.open.files", NODE_MANAGER, NODE_PROCESS)
                    .integer(512, 1, 1_000_000, "Map output files a node keeps open.");

    /** The memory a node uses for map output indices. */
    public static final Setting<Long> NODE_INDEX_BYTES =
            site("spillway.node.index.bytes", NODE_MANAGER, NODE_PROCESS)
                    .bytes(
                            32 * MIB,
                            64 * KIB,
                            16 * GIB,
                            "Memory a node uses for cached map output indices and block"
                                    + " checksums.");

    /** The memory a node uses to read map outputs ahead. */
    public static final Setting<Long> NODE_PREFETCH_BYTES =
            site("spillway.node.prefetch.bytes", NODE_MANAGER, NODE_PROCESS)
                    .bytes(
                            128 * MIB,
                            0,
                            1 * TIB,
                            "Memory outside the heap that a node uses to read map outputs on disk"
                                + " ahead of the reducers' requests, in blocks of 256k: nothing is"
                                + " read ahead with less.");

    // ---- node process --------------------------------------------------------------------------

    /** Whether the shuffle handler starts the node process itself. */
    public static final Setting<Boolean> NODE_LAUNCH =
            site("spillway.node.launch", NODE_MANAGER)
                    .bool(
                            false,
                            "true makes the NodeManager's handler start the node process, restart"
                                    + " it when it dies, and stop it with itself.");

    /** Where the node process listens for handlers and for its own command. */
    public static final Setting<Location> NODE_SOCKET =
            site("spillway.node.socket", NODE_MANAGER, NODE_PROCESS)
                    .socket(
                            "Unix socket of the node process; its folder belongs to the user"
                                    + " alone. auto is /dev/shm/spillway-USER/node.sock, or in /tmp"
                                    + " where there is no /dev/shm.");

    /** Where reducers reach the node process. */
    public static final Setting<Optional<String>> NODE_HOST =
            site("spillway.node.host", NODE_PROCESS)
                    .wordsOrAuto(
                            "(?=.*[A-Za-z0-9])[A-Za-z0-9._:%-]{1,253}",
                            "a host name or address",
                            "Name or address at which the node process listens and reducers reach"
                                    + " it, as that of the fast network; auto is the host's name.");

    /** The transports that the node process serves. */
    public static final Setting<List<String>> NODE_TRANSPORTS =
            site("spillway.node.transports", NODE_PROCESS)
                    .listOrAuto(
                            RegisteredNames.TRANSPORTS,
                            "Transports that the node process serves; auto is all that this host"
                                + " can. One with spillway.node.memory.bytes does not serve ucx.");

    /** The port of the node process for tcp. */
    public static final Setting<Optional<Integer>> NODE_TCP_PORT =
            site("spillway.node.tcp.port", NODE_PROCESS)
                    .integerOrAuto(
                            1,
                            MAX_PORT,
                            "Port of the node process for tcp; auto takes any free one.");

    /** The port of the node process for ucx. */
    public static final Setting<Optional<Integer>> NODE_UCX_PORT =
            site("spillway.node.ucx.port", NODE_PROCESS)
                    .integerOrAuto(
                            1,
                            MAX_PORT,
                            "Port of the node process for ucx; auto takes any free one.");

    /** The port of the status page. */
    public static final Setting<Optional<Integer>> NODE_HTTP_PORT =
            site("spillway.node.http.port", NODE_PROCESS)
                    .integerOrNone(
                            13_580,
                            1,
                            MAX_PORT,
                            "Port on loopback of the node process's status page and Prometheus"
                                    + " metrics.");

    /** How long jobs outlive the connection of their NodeManager. */
    public static final Setting<Long> NODE_GRACE =
            site("spillway.node.grace.ms", NODE_PROCESS)
                    .millis(
                            900_000,
                            0,
                            86_400_000,
                            "How long the node process goes on serving the jobs of a NodeManager"
                                    + " that is gone: longer than YARN waits for a NodeManager (10"
                                    + " minutes by default). One that a handler started ends itself"
                                    + " after that.");

    /** The heap of a node process that the handler starts. */
    public static final Setting<Long> NODE_HEAP =
            site("spillway.node.heap", NODE_MANAGER)
                    .bytes(
                            256 * MIB,
                            64 * MIB,
                            64 * GIB,
                            "Heap of a node process that the handler or the command starts.");

    /** The log of a node process that the handler starts. */
    public static final Setting<Location> NODE_LOG =
            site("spillway.node.log", NODE_MANAGER)
                    .location(
                            Location.NONE,
                            Set.of(Location.NONE),
                            "File that a node process started by the handler logs to; with none its"
                                    + " lines go to the NodeManager's own output.");

    // ---- ucx -----------------------------------------------------------------------------------

    /** The transports that UCX may use. */
    public static final Setting<String> UCX_TLS =
            site("spillway.ucx.tls", NODE_PROCESS, REDUCE_TASK)
                    .words(
                            "[a-z0-9_,^]{1,200}",
                            "transports as UCX_TLS takes them",
                            "The transports that UCX may use, such as rc,ud,shm,self; auto is"
                                + " UCX_TLS where that is set, else all that UCX has but tcp: over"
                                + " sockets it is slower than Spillway's own, and strangers reach"
                                + " it. All nodes and tasks should have the same.");

    /** The network devices that UCX may use. */
    public static final Setting<String> UCX_NET_DEVICES =
            site("spillway.ucx.net-devices", NODE_PROCESS, REDUCE_TASK)
                    .words(
                            "(?=.*[A-Za-z0-9])[A-Za-z0-9_.:,^/-]{1,400}",
                            "devices as UCX_NET_DEVICES takes them",
                            "The network devices that UCX may use, such as mlx5_0:1; auto leaves"
                                    + " the choice to UCX (and to UCX_NET_DEVICES), which may"
                                    + " spread one connection over all of them.");

    /** The registered memory of one process. */
    public static final Setting<Long> UCX_BUFFER_BYTES =
            site("spillway.ucx.buffer.bytes", NODE_PROCESS, REDUCE_TASK)
                    .bytes(
                            64 * MIB,
                            16 * MIB,
                            64 * GIB,
                            "Most registered memory outside the heap that one node or task uses for"
                                + " ucx, taken 16m at a time as needed; the jobs of a node share"
                                + " it, and what has no room waits.");

    /** The segment size of UCX's tcp. */
    public static final Setting<Long> UCX_TCP_SEGMENT_BYTES =
            experiment("spillway.ucx.tcp.segment.bytes", NODE_PROCESS, REDUCE_TASK)
                    .bytes(
                            128 * KIB,
                            8 * KIB,
                            1 * MIB,
                            "UCX_TCP_TX_SEG_SIZE and UCX_TCP_RX_SEG_SIZE, for ucx over sockets.");

    /** How long a thread of ucx polls before it sleeps. */
    public static final Setting<Integer> UCX_SPIN =
            experiment("spillway.ucx.spin.us", NODE_PROCESS, REDUCE_TASK)
                    .integer(
                            20,
                            0,
                            100_000,
                            "Microseconds that the thread of ucx polls at most before it sleeps; it"
                                    + " polls less where that does not help.");

    // ---- mpi -----------------------------------------------------------------------------------

    /** The native part of the transport over MPI. */
    public static final Setting<Location> MPI_LIBRARY =
            site("spillway.mpi.library", NODE_PROCESS)
                    .location(
                            Location.AUTO,
                            Set.of(Location.AUTO),
                            "The built libspillway_mpi.so through which the node process calls MPI;"
                                + " auto compiles it at first use with spillway.mpi.compiler and"
                                + " keeps it in XDG_CACHE_HOME or ~/.cache.");

    /** The compiler of the native part of the transport over MPI. */
    public static final Setting<String> MPI_COMPILER =
            site("spillway.mpi.compiler", NODE_PROCESS)
                    .command(
                            "mpicc",
                            "The C compiler of the site's MPI library; the node process has to be"
                                    + " started by that library's mpirun, or by srun.");

    /** The world of which the node process is a rank. */
    public static final Setting<MpiStart> MPI_WORLD =
            site("spillway.mpi.world", NODE_PROCESS)
                    .choice(
                            MpiStart.class,
                            MpiStart.NONE,
                            "launched says that mpirun or srun has started this node process as a"
                                    + " rank of its world; self makes a world of this one process,"
                                    + " for tests; none loads no MPI library.");

    /** Where tasks reach their host's rank. */
    public static final Setting<Location> MPI_SOCKET =
            site("spillway.mpi.socket", NODE_PROCESS, MAP_TASK, REDUCE_TASK)
                    .socket(
                            "Unix socket by which the tasks of a host reach its rank; auto is"
                                    + " mpi.sock beside spillway.node.socket.");

    /** The memory between the rank and one task. */
    public static final Setting<Long> MPI_TASK_BYTES =
            site("spillway.mpi.task.bytes", NODE_PROCESS)
                    .bytes(
                            16 * MIB,
                            1 * MIB,
                            1 * GIB,
                            "Memory that the node process and one task share, for what comes over"
                                    + " mpi.");

    /** How many tasks a rank serves at a time. */
    public static final Setting<Integer> MPI_TASKS =
            site("spillway.mpi.tasks", NODE_PROCESS)
                    .integer(
                            128,
                            1,
                            4096,
                            "Most tasks that a rank serves at a time; others fetch over tcp.");

    // ---- memory nodes --------------------------------------------------------------------------

    /** Where map outputs go. */
    public static final Setting<Placement> PLACEMENT =
            job("spillway.placement", MAP_TASK)
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
            job("spillway.placement.copies", MAP_TASK)
                    .integer(
                            1,
                            1,
                            3,
                            "Nodes that each take the whole of a map output, where"
                                    + " spillway.placement puts it into other nodes: with 2, no map"
                                    + " runs again when a node is lost. Where fewer have room,"
                                    + " fewer take it.");

    /** The node process that knows the memory of all. */
    public static final Setting<Optional<String>> PLACEMENT_SERVICE =
            site("spillway.placement.service", NODE_PROCESS, MAP_TASK, REDUCE_TASK)
                    .wordsOrNone(
                            "[A-Za-z0-9._%-]{1,253}:" + PORT,
                            "HOST:PORT",
                            "Host and spillway.node.tcp.port of the node process that tells maps"
                                    + " where there is memory; the same on all hosts. Without it"
                                    + " all map outputs stay local.");

    /** Whether this node process is that one. */
    public static final Setting<Boolean> PLACEMENT_SERVE =
            site("spillway.placement.serve", NODE_PROCESS)
                    .bool(
                            false,
                            "true makes this node process the one that"
                                    + " spillway.placement.service names.");

    /** Whether nodes of the former release are members. */
    public static final Setting<Boolean> PLACEMENT_FORMER_NODES =
            site("spillway.placement.former.nodes", NODE_PROCESS)
                    .bool(
                            true,
                            "Whether the placement service takes reports of node processes of the"
                                + " former release. Those with memory get the shuffle secrets of"
                                + " jobs, and while there are any so do all others with memory. Set"
                                + " it to false once all hosts are upgraded. Read by the placement"
                                + " service.");

    /** By what nodes know each other. */
    public static final Setting<Location> PLACEMENT_SECRET_FILE =
            site("spillway.placement.secret.file", NODE_PROCESS)
                    .location(
                            Location.NONE,
                            Set.of(Location.NONE),
                            "File of 16 bytes or more that all node processes share and only their"
                                    + " user can read: by it they know each other.");

    /** The share of the cluster's memory that one job may take. */
    public static final Setting<Double> PLACEMENT_JOB_PERCENT =
            site("spillway.placement.job.percent", NODE_PROCESS)
                    .fraction(
                            1,
                            1,
                            "Fraction of the memory of all nodes that the outputs of one job may"
                                    + " take, copies included; what is beyond stays on the hosts of"
                                    + " its maps. Read by the placement service.");

    /** The bytes of the cluster's memory that one job may take. */
    public static final Setting<Optional<Long>> PLACEMENT_JOB_BYTES =
            site("spillway.placement.job.bytes", NODE_PROCESS)
                    .bytesOrNone(
                            0,
                            MOST_MEMORY_OF_CLUSTER,
                            "Most bytes of the memory of all nodes that the outputs of one job may"
                                    + " take, besides spillway.placement.job.percent: the smaller"
                                    + " one counts.");

    /** The share of the cluster's memory that all jobs of one user may take. */
    public static final Setting<Double> PLACEMENT_USER_PERCENT =
            site("spillway.placement.user.percent", NODE_PROCESS)
                    .fraction(
                            1,
                            1,
                            "As spillway.placement.job.percent, for all jobs of one user"
                                    + " together.");

    /** The bytes of the cluster's memory that all jobs of one user may take. */
    public static final Setting<Optional<Long>> PLACEMENT_USER_BYTES =
            site("spillway.placement.user.bytes", NODE_PROCESS)
                    .bytesOrNone(
                            0,
                            MOST_MEMORY_OF_CLUSTER,
                            "As spillway.placement.job.bytes, for all jobs of one user together.");

    /** When a job of silent hosts is given up. */
    public static final Setting<Long> PLACEMENT_JOB_EXPIRY =
            site("spillway.placement.job.expiry.ms", NODE_PROCESS)
                    .millis(
                            900_000,
                            5_000,
                            86_400_000,
                            "The placement service gives up a job that no host has reported for so"
                                + " long, nor its end; a memory node then frees what it holds of"
                                + " the job when no task of it was connected for so long. So longer"
                                + " than any cut of the network that tasks survive. A job whose end"
                                + " is reported is freed at once.");

    /** What the node process gives to outputs of other hosts. */
    public static final Setting<Long> NODE_MEMORY_BYTES =
            site("spillway.node.memory.bytes", NODE_PROCESS)
                    .bytes(
                            0,
                            0,
                            16L * 1024 * GIB,
                            "Memory outside the heap that the node process gives to map outputs of"
                                    + " all hosts; 0 gives none.");

    /** Where the node process puts outputs that its memory has no room for. */
    public static final Setting<Location> NODE_OVERFLOW_DIR =
            site("spillway.node.overflow.dir", NODE_PROCESS)
                    .location(
                            Location.NONE,
                            Set.of(Location.NONE),
                            "Directory, on an SSD of the host or on a shared file system, for what"
                                + " spillway.node.memory.bytes has no room for: in files without a"
                                + " name, which the system frees with the process.");

    /** How much of that directory it may take. */
    public static final Setting<Optional<Long>> NODE_OVERFLOW_BYTES =
            site("spillway.node.overflow.bytes", NODE_PROCESS)
                    .bytesOrAuto(
                            1,
                            1024 * TIB,
                            "Most bytes of map outputs in spillway.node.overflow.dir; auto is nine"
                                    + " tenths of what its file system has free when the node"
                                    + " process starts.");

    /** Whether this host does nothing else. */
    public static final Setting<Boolean> NODE_MEMORY_ONLY =
            site("spillway.node.memory.only", NODE_PROCESS)
                    .bool(
                            false,
                            "true says that this host runs no tasks: with"
                                    + " spillway.placement=dedicated map outputs go to such hosts"
                                    + " only.");

    // ---- report --------------------------------------------------------------------------------

    /** Whether tasks publish their figures as job counters. */
    public static final Setting<Boolean> REPORT_COUNTERS =
            job("spillway.report.counters", MAP_TASK, REDUCE_TASK)
                    .bool(
                            true,
                            "Publish the shuffle report's figures as job counters"
                                    + " (SPILLWAY-… of File System Counters).");

    /** Whether map tasks sample where their time goes. */
    public static final Setting<Boolean> REPORT_STAGES =
            experiment("spillway.report.stages", MAP_TASK)
                    .bool(
                            true,
                            "Tell reading, map() and collecting apart in the shuffle report, by"
                                    + " looking at the task's stack 50 times a second.");

    private SpillwayKeys() {}

    /** All settings, in the order of the documentation. */
    public static List<Setting<?>> all() {
        return List.copyOf(REGISTRY);
    }

    /**
     * Checks every setting.
     *
     * @throws InvalidSettingException for the first one that does not hold
     */
    public static void validate(final Function<String, String> lookup) {
        for (final Setting<?> setting : REGISTRY) {
            setting.get(lookup);
        }
    }

    /** The directory of the memory tier that a node offers, or nothing for none. */
    public static Optional<Path> memoryDirectory(final Function<String, String> lookup) {
        return STORE_MEMORY_DIR.get(lookup).orAuto(SHARED_MEMORY);
    }

    /** A setting for the operator of the nodes. */
    private static Declaration site(final String name, final Reader... readers) {
        return new Declaration(name, Audience.SITE, List.of(readers), REGISTRY);
    }

    /** A setting that may differ from job to job. */
    private static Declaration job(final String name, final Reader... readers) {
        return new Declaration(name, Audience.JOB, List.of(readers), REGISTRY);
    }

    /** A setting whose default is right but for measurements. */
    private static Declaration experiment(final String name, final Reader... readers) {
        return new Declaration(name, Audience.EXPERIMENT, List.of(readers), REGISTRY);
    }
}
