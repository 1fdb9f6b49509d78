package io.spillway.conf;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * Every setting of Spillway: name, type, default, range and one line of documentation.
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

    private static final int MAX_SOCKET_LENGTH = 107;

    /** Stands for no directory. */
    private static final String NONE = "-";

    /** Stands for what the mode says. */
    public static final String AUTO = "auto";

    /** The design that a job runs with. */
    public static final Setting<Mode> MODE =
            register(
                    new Setting<>(
                            "spillway.mode",
                            Setting.Type.CHOICE,
                            Mode.AUTO,
                            "one of auto, rdma, rdma-nvm, hadoop-a",
                            "The design to run: auto is the best of what the nodes have; rdma,"
                                + " rdma-nvm and hadoop-a are published ones. It sets what is auto"
                                + " below.",
                            Mode::parse));

    // ---- map side ------------------------------------------------------------------------------

    /** Whether the sort uses key prefixes where the comparator's byte order is known. */
    public static final Setting<Boolean> SORT_PREFIX =
            bool(
                    "spillway.sort.prefix",
                    true,
                    "Sort by 8-byte key prefixes where the comparator's byte order is known;"
                            + " false compares whole keys with the job's comparator.");

    /** The ordered chain of tiers that spills go to. */
    public static final Setting<List<String>> SPILL_TIERS =
            list(
                    "spillway.spill.tiers",
                    List.of(AUTO),
                    List.of(AUTO, "heap", "memory", "nvm", "disk", "lustre"),
                    "Where spills go, in this order; a tier that is full or fails overflows to the"
                            + " next. auto is the mode's: memory,disk in auto; disk in rdma;"
                            + " nvm,disk in rdma-nvm.");

    /** The ordered chain of tiers that a map output goes to. */
    public static final Setting<List<String>> OUTPUT_TIERS =
            list(
                    "spillway.output.tiers",
                    List.of(AUTO),
                    List.of(AUTO, "memory", "nvm", "disk"),
                    "Where a map's output goes, in this order. memory and nvm need a node that"
                        + " offers them (SpillwayShuffleHandler) to the job's user; elsewhere it"
                        + " goes to disk. auto is the mode's: memory,disk in auto, else disk.");

    /** When spills are merged. */
    public static final Setting<String> SPILL_MERGE =
            choice(
                    "spillway.spill.merge",
                    AUTO,
                    List.of(AUTO, "always", "never"),
                    "always spills every record and merges all spills into one output, as stock"
                        + " does; never leaves an output's spills as they are, where its reducers"
                        + " are Spillway's, its node keeps them in memory or NVM and there are few"
                        + " enough. auto does so for up to 8 spills a map and 256 a reducer, if the"
                        + " job has no combiner; in the published modes it is always.");

    /** How a tier is chosen. */
    public static final Setting<String> TIER_SELECTION =
            choice(
                    "spillway.tier.selection",
                    AUTO,
                    List.of(AUTO, "order", "speed"),
                    "order tries the tiers in their order; speed passes over one that has become"
                        + " slow (spillway.tier.slow) where a later one takes writes four times as"
                        + " fast. auto is the mode's: speed in auto, else order.");

    /** A tier that takes fewer bytes a second is slow. */
    public static final Setting<Long> TIER_SLOW =
            bytes(
                    "spillway.tier.slow",
                    8 * MIB,
                    0,
                    64 * GIB,
                    "Bytes a second; a tier that takes writes slower than this is slow, and a later"
                            + " one whose speed is not known is tried.");

    /** The most bytes of spills that one map task keeps in its heap. */
    public static final Setting<Long> SPILL_HEAP_LIMIT =
            bytes(
                    "spillway.spill.heap.limit",
                    64 * MIB,
                    0,
                    64 * GIB,
                    "Most bytes of spills that one map task keeps in the heap tier.");

    // ---- stores --------------------------------------------------------------------------------

    /** The directory of the memory tier. */
    public static final Setting<String> STORE_MEMORY_DIR =
            text(
                    "spillway.store.memory.dir",
                    "/dev/shm",
                    "Directory of the memory tier, on tmpfs; - for no memory tier. Set it for the"
                            + " NodeManager; a task uses its own setting only where the node offers"
                            + " none.");

    /** The most memory that a node's memory tier takes. */
    public static final Setting<Long> STORE_MEMORY_LIMIT =
            bytes(
                    "spillway.store.memory.limit",
                    0L,
                    0,
                    64 * TIB,
                    "Most bytes of a node's memory tier, leased or kept for use again; 0 is a"
                            + " quarter of the host's memory. Take it off what YARN gives to"
                            + " containers.");

    /** The memory that the memory tier leaves free. */
    public static final Setting<Long> STORE_MEMORY_RESERVE =
            bytes(
                    "spillway.store.memory.reserve",
                    1 * GIB,
                    0,
                    64 * TIB,
                    "The memory tier is full when less than this is left, of its file system or of"
                            + " the host's available memory.");

    /** The directory of the NVM tier. */
    public static final Setting<String> STORE_NVM_DIR =
            text(
                    "spillway.store.nvm.dir",
                    NONE,
                    "Directory of the nvm tier, on a DAX mount (any other is mapped without sync,"
                            + " and the report says so); - for none.");

    /** The most bytes that a node's NVM tier takes. */
    public static final Setting<Long> STORE_NVM_LIMIT =
            bytes(
                    "spillway.store.nvm.limit",
                    0L,
                    0,
                    64 * TIB,
                    "Most bytes of a node's nvm tier; 0 is all that its mount has.");

    /** How many times its duration a write to the NVM tier is followed by waiting. */
    public static final Setting<Double> NVM_EMULATION_WRITE =
            number(
                    "spillway.store.nvm.emulation.write",
                    0,
                    1000,
                    "For experiments without NVM: after a write wait this many times as long as it"
                        + " took in DRAM; 10 in the published evaluation. What is measured so is"
                        + " reported as emulated.");

    /** How many times its duration a read of the NVM tier is followed by waiting. */
    public static final Setting<Double> NVM_EMULATION_READ =
            number(
                    "spillway.store.nvm.emulation.read",
                    0,
                    1000,
                    "The same for reads; 0 in the published evaluation.");

    /** The directory of the Lustre tier. */
    public static final Setting<String> STORE_LUSTRE_DIR =
            text(
                    "spillway.store.lustre.dir",
                    NONE,
                    "Directory of the lustre tier, on the shared file system; - for none.");

    // ---- reduce side ---------------------------------------------------------------------------

    /** Whether reducers use Spillway's shuffle at all. */
    public static final Setting<Boolean> SHUFFLE_ENABLED =
            bool(
                    "spillway.shuffle.enabled",
                    true,
                    "false makes SpillwayShuffle delegate to the stock shuffle.");

    /** The memory that one reducer uses for map output, in bytes; 0 derives it from the heap. */
    public static final Setting<Long> SHUFFLE_BUFFER_BYTES =
            bytes(
                    "spillway.shuffle.buffer.bytes",
                    0L,
                    0,
                    64 * GIB,
                    "Memory that one reducer uses for map output, at most 0.8 of its heap; 0 takes"
                            + " spillway.shuffle.buffer.percent of its heap.");

    /** The fraction of the heap that a reducer uses for map output. */
    public static final Setting<Double> SHUFFLE_BUFFER_PERCENT =
            fraction(
                    "spillway.shuffle.buffer.percent",
                    0.35,
                    "Fraction of a reducer's heap used for map output when"
                            + " spillway.shuffle.buffer.bytes is 0.");

    /** The largest piece of a segment fetched in one request. */
    public static final Setting<Long> SHUFFLE_WINDOW_MAX =
            bytes(
                    "spillway.shuffle.window.max",
                    256 * KIB,
                    4 * KIB,
                    16 * MIB,
                    "Largest piece of a segment fetched in one request; never below"
                            + " spillway.shuffle.window.min.");

    /** The smallest piece of a segment fetched in one request. */
    public static final Setting<Long> SHUFFLE_WINDOW_MIN =
            bytes(
                    "spillway.shuffle.window.min",
                    4 * KIB,
                    1 * KIB,
                    1 * MIB,
                    "Smallest window a segment is read by; many maps and a small buffer shrink"
                            + " windows down to this, then reducers are stock's; but of maps that"
                            + " leave runs (spillway.spill.merge) down to 1k.");

    /** How a reducer divides its memory among the maps while it merges. */
    public static final Setting<String> SHUFFLE_WINDOWS =
            choice(
                    "spillway.shuffle.windows",
                    AUTO,
                    List.of(AUTO, "demand", "static"),
                    "demand gives memory to the map whose records the merge will need next;"
                            + " static gives every map the same. auto is the mode's: static in"
                            + " hadoop-a, else demand.");

    /** Whether reducers combine map output while maps run. */
    public static final Setting<String> SHUFFLE_COMBINE =
            choice(
                    "spillway.shuffle.combine",
                    AUTO,
                    List.of(AUTO, "on", "off"),
                    "Whether reducers run the job's combiner over map output that has arrived,"
                            + " while maps still run. auto stops where that does not take a fifth"
                            + " off.");

    /** How many segments a reducer merges ahead into one. */
    public static final Setting<Integer> SHUFFLE_MERGE_FACTOR =
            integer(
                    "spillway.shuffle.merge.factor",
                    64,
                    0,
                    100_000,
                    "While maps still run, a reducer merges whole segments in its memory as soon as"
                            + " it has this many of maps that follow each other (fewer, where it"
                            + " has as many others), so that the last merge has fewer runs; 0 or 1"
                            + " for never (but to combine them).");

    /** Whether nodes read map outputs ahead for this job. */
    public static final Setting<String> SHUFFLE_PREFETCH =
            choice(
                    "spillway.shuffle.prefetch",
                    AUTO,
                    List.of(AUTO, "on", "off"),
                    "Whether nodes read this job's map outputs on disk into memory before reducers"
                            + " ask for them. auto is the mode's: off in hadoop-a, else on.");

    /** The number of requests a reducer keeps in flight to one node. */
    public static final Setting<Integer> SHUFFLE_REQUESTS_IN_FLIGHT =
            integer(
                    "spillway.shuffle.requests.inflight",
                    16,
                    1,
                    1024,
                    "Requests that one reducer keeps in flight to one node.");

    /** How often completion events are polled. */
    public static final Setting<Long> SHUFFLE_POLL_INTERVAL =
            millis(
                    "spillway.shuffle.poll.interval.ms",
                    500,
                    50,
                    60_000,
                    "How often a reducer asks for newly finished maps.");

    /** The transport that reducers fetch with. */
    public static final Setting<String> TRANSPORT =
            choice(
                    "spillway.transport",
                    AUTO,
                    List.of(AUTO, "tcp", "ucx"),
                    "What reducers fetch with. auto takes ucx from a node process that offers it"
                        + " where both are on one host and can share memory, or this host has an"
                        + " RDMA device whose link is up, else tcp. What cannot be used falls back"
                        + " to tcp, node by node.");

    /** How long another transport is not tried after it failed. */
    public static final Setting<Long> TRANSPORT_RETRY =
            millis(
                    "spillway.transport.retry.ms",
                    30_000,
                    100,
                    3_600_000,
                    "How long a node is fetched from over tcp after another transport to it failed;"
                            + " twice as long after each further failure, up to 32 times.");

    /** The time in which a connection must be open and authenticated. */
    public static final Setting<Long> SHUFFLE_CONNECT_TIMEOUT =
            millis(
                    "spillway.shuffle.connect.timeout.ms",
                    10_000,
                    100,
                    600_000,
                    "Time in which a connection to a node must be open and authenticated.");

    /** The time after which a silent connection counts as lost. */
    public static final Setting<Long> SHUFFLE_READ_TIMEOUT =
            millis(
                    "spillway.shuffle.read.timeout.ms",
                    12_000,
                    500,
                    600_000,
                    "A connection with requests in flight and no answer for this long is lost.");

    /** After which time without a request a reducer gives a connection back. */
    public static final Setting<Long> SHUFFLE_IDLE =
            millis(
                    "spillway.shuffle.idle.ms",
                    3_000,
                    50,
                    600_000,
                    "A reducer closes a connection over which it asks for nothing for this long,"
                            + " and opens it again when it needs it: the node serves others.");

    /** How long a reducer retries a source whose records it has already begun to merge. */
    public static final Setting<Long> SHUFFLE_STREAM_RETRY =
            millis(
                    "spillway.shuffle.stream.retry.ms",
                    60_000,
                    0,
                    3_600_000,
                    "How long a reducer tries to reach a source again whose records are already"
                            + " being merged, before the attempt fails.");

    /** How long a reducer waits for a map that runs again. */
    public static final Setting<Long> SHUFFLE_RERUN_WAIT =
            millis(
                    "spillway.shuffle.rerun.wait.ms",
                    600_000,
                    0,
                    86_400_000,
                    "How long a reducer waits for a lost map to run again whose records are already"
                            + " being merged, to go on with the new output if it is the same.");

    /** After which silence another copy of a map output is asked. */
    public static final Setting<Long> SHUFFLE_HEDGE =
            millis(
                    "spillway.shuffle.hedge.ms",
                    3_000,
                    0,
                    600_000,
                    "A request without an answer for this long is sent to another attempt of the"
                            + " same map too, where there is one; 0 for never.");

    /** When a reducer gives up that waits while nothing can end its wait. */
    public static final Setting<Long> SHUFFLE_WATCHDOG =
            millis(
                    "spillway.shuffle.watchdog.ms",
                    120_000,
                    0,
                    3_600_000,
                    "A reduce attempt that has waited for so long, while nothing was under way that"
                            + " could end the wait, fails and logs the shuffle's state; a quarter"
                            + " of mapreduce.task.timeout at most. 0 for never: then it only"
                            + " reports no progress meanwhile.");

    // ---- NodeManager side ----------------------------------------------------------------------

    /** Whether the shuffle handler speaks Spillway's protocol beside stock HTTP. */
    public static final Setting<Boolean> HANDLER_ENABLED =
            bool(
                    "spillway.handler.enabled",
                    true,
                    "false makes SpillwayShuffleHandler serve stock HTTP only.");

    /** The number of connections a node serves at a time. */
    public static final Setting<Integer> NODE_MAX_CONNECTIONS =
            integer(
                    "spillway.node.max.connections",
                    4096,
                    1,
                    1_000_000,
                    "Spillway connections a node serves at a time; more are refused with a"
                            + " message.");

    /** The bytes queued towards one client before its requests wait. */
    public static final Setting<Long> NODE_CONNECTION_BYTES =
            bytes(
                    "spillway.node.connection.bytes",
                    8 * MIB,
                    64 * KIB,
                    1 * GIB,
                    "Bytes queued towards one client before its further requests wait.");

    /** The number of map output files a node keeps open. */
    public static final Setting<Integer> NODE_OPEN_FILES =
            integer(
                    "spillway.node.open.files",
                    512,
                    1,
                    1_000_000,
                    "Map output files a node keeps open.");

    /** The memory a node uses for map output indices. */
    public static final Setting<Long> NODE_INDEX_BYTES =
            bytes(
                    "spillway.node.index.bytes",
                    32 * MIB,
                    64 * KIB,
                    16 * GIB,
                    "Memory a node uses for cached map output indices and block checksums.");

    /** The memory a node uses to read map outputs ahead. */
    public static final Setting<Long> NODE_PREFETCH_BYTES =
            bytes(
                    "spillway.node.prefetch.bytes",
                    128 * MIB,
                    0,
                    1 * TIB,
                    "Memory outside the heap that a node uses to read map outputs on disk ahead of"
                            + " the reducers' requests; less than 256k for none.");

    // ---- node process --------------------------------------------------------------------------

    /** Whether the shuffle handler starts the node process itself. */
    public static final Setting<Boolean> NODE_LAUNCH =
            bool(
                    "spillway.node.launch",
                    false,
                    "true makes the NodeManager's handler start the node process, restart it when"
                            + " it dies, and stop it with itself.");

    /** Where the node process listens for handlers and for its own command. */
    public static final Setting<String> NODE_SOCKET =
            register(
                    new Setting<>(
                            "spillway.node.socket",
                            Setting.Type.TEXT,
                            NONE,
                            "an absolute path of at most 107 bytes, or -",
                            "Unix socket of the node process; its folder belongs to the user"
                                    + " alone. - is /dev/shm/spillway-USER/node.sock, or in /tmp"
                                    + " where there is no /dev/shm.",
                            SpillwayKeys::parseSocket));

    /** Where reducers reach the node process. */
    public static final Setting<String> NODE_HOST =
            register(
                    new Setting<>(
                            "spillway.node.host",
                            Setting.Type.TEXT,
                            NONE,
                            "a host name or address, or -",
                            "Name or address at which the node process listens and reducers reach"
                                    + " it, as that of the fast network; - is the host's name.",
                            SpillwayKeys::parseHost));

    /** The transports that the node process serves. */
    public static final Setting<List<String>> NODE_TRANSPORTS =
            list(
                    "spillway.node.transports",
                    List.of(AUTO),
                    List.of(AUTO, "tcp", "ucx"),
                    "Transports that the node process serves; auto is all that this host can.");

    /** The port of the node process for tcp. */
    public static final Setting<Integer> NODE_TCP_PORT =
            integer(
                    "spillway.node.tcp.port",
                    0,
                    0,
                    MAX_PORT,
                    "Port of the node process for tcp; 0 takes any free one.");

    /** The port of the node process for ucx. */
    public static final Setting<Integer> NODE_UCX_PORT =
            integer(
                    "spillway.node.ucx.port",
                    0,
                    0,
                    MAX_PORT,
                    "Port of the node process for ucx; 0 takes any free one.");

    /** The port of the status page. */
    public static final Setting<Integer> NODE_HTTP_PORT =
            integer(
                    "spillway.node.http.port",
                    13_580,
                    0,
                    MAX_PORT,
                    "Port on loopback of the node process's status page and Prometheus metrics; 0"
                            + " for none.");

    /** How long jobs outlive the connection of their NodeManager. */
    public static final Setting<Long> NODE_GRACE =
            millis(
                    "spillway.node.grace.ms",
                    300_000,
                    0,
                    86_400_000,
                    "How long the node process goes on serving the jobs of a NodeManager that is"
                            + " gone; one that a handler started ends itself after that.");

    /** The heap of a node process that the handler starts. */
    public static final Setting<Long> NODE_HEAP =
            bytes(
                    "spillway.node.heap",
                    256 * MIB,
                    64 * MIB,
                    64 * GIB,
                    "Heap of a node process that the handler or the command starts.");

    /** The log of a node process that the handler starts. */
    public static final Setting<String> NODE_LOG =
            text(
                    "spillway.node.log",
                    NONE,
                    "File that a node process started by the handler logs to; - is the"
                            + " NodeManager's own output.");

    // ---- ucx -----------------------------------------------------------------------------------

    /** The transports that UCX may use. */
    public static final Setting<String> UCX_TLS =
            words(
                    "spillway.ucx.tls",
                    "[a-z0-9_,^]{1,200}",
                    "transports as UCX_TLS takes them",
                    "The transports that UCX may use, such as rc,ud,shm,self; auto is UCX_TLS where"
                            + " that is set, else all that UCX has but tcp: over sockets it is"
                            + " slower than Spillway's own, and strangers reach it. All nodes and"
                            + " tasks should have the same.");

    /** The network devices that UCX may use. */
    public static final Setting<String> UCX_NET_DEVICES =
            words(
                    "spillway.ucx.net-devices",
                    "[A-Za-z0-9_.:,^/-]{1,400}",
                    "devices as UCX_NET_DEVICES takes them",
                    "The network devices that UCX may use, such as mlx5_0:1; auto leaves"
                            + " the choice to UCX (and to UCX_NET_DEVICES), which may spread one"
                            + " connection over all of them.");

    /** The registered memory of one process. */
    public static final Setting<Long> UCX_BUFFER_BYTES =
            bytes(
                    "spillway.ucx.buffer.bytes",
                    64 * MIB,
                    16 * MIB,
                    64 * GIB,
                    "Most registered memory outside the heap that one node or task uses for ucx,"
                            + " taken 16m at a time as needed; what has no room waits.");

    /** The segment size of UCX's tcp. */
    public static final Setting<Long> UCX_TCP_SEGMENT_BYTES =
            bytes(
                    "spillway.ucx.tcp.segment.bytes",
                    128 * KIB,
                    8 * KIB,
                    1 * MIB,
                    "UCX_TCP_TX_SEG_SIZE and UCX_TCP_RX_SEG_SIZE, for ucx over sockets.");

    /** How long a thread of ucx polls before it sleeps. */
    public static final Setting<Integer> UCX_SPIN =
            integer(
                    "spillway.ucx.spin.us",
                    20,
                    0,
                    100_000,
                    "Microseconds that the thread of ucx polls at most before it sleeps; it polls"
                            + " less where that does not help.");

    // ---- report --------------------------------------------------------------------------------

    /** Whether tasks publish their figures as job counters. */
    public static final Setting<Boolean> REPORT_COUNTERS =
            bool(
                    "spillway.report.counters",
                    true,
                    "Publish the shuffle report's figures as job counters (group Spillway).");

    /** Whether map tasks sample where their time goes. */
    public static final Setting<Boolean> REPORT_STAGES =
            bool(
                    "spillway.report.stages",
                    true,
                    "Tell reading, map() and collecting apart in the shuffle report, by looking at"
                            + " the task's stack 50 times a second.");

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

    private static <T> Setting<T> register(final Setting<T> setting) {
        REGISTRY.add(setting);
        return setting;
    }

    private static Setting<Boolean> bool(final String name, final boolean def, final String doc) {
        return register(
                new Setting<>(
                        name,
                        Setting.Type.BOOLEAN,
                        def,
                        "true or false",
                        doc,
                        SpillwayKeys::parseBoolean));
    }

    private static boolean parseBoolean(final String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(text);
        };
    }

    private static Setting<Integer> integer(
            final String name, final int def, final int min, final int max, final String doc) {
        return register(
                new Setting<>(
                        name,
                        Setting.Type.INTEGER,
                        def,
                        min + " to " + max,
                        doc,
                        text -> (int) inRange(Long.parseLong(text), min, max)));
    }

    private static Setting<Long> millis(
            final String name, final long def, final long min, final long max, final String doc) {
        return register(
                new Setting<>(
                        name,
                        Setting.Type.MILLIS,
                        def,
                        min + " to " + max,
                        doc,
                        text -> inRange(Long.parseLong(text), min, max)));
    }

    private static Setting<Long> bytes(
            final String name, final long def, final long min, final long max, final String doc) {
        return register(
                new Setting<>(
                        name,
                        Setting.Type.BYTES,
                        def,
                        Sizes.format(min) + " to " + Sizes.format(max),
                        doc,
                        text -> inRange(Sizes.parse(text), min, max)));
    }

    private static Setting<Double> fraction(final String name, final double def, final String doc) {
        return register(
                new Setting<>(
                        name,
                        Setting.Type.FRACTION,
                        def,
                        "above 0, at most 1",
                        doc,
                        SpillwayKeys::parseFraction));
    }

    private static double parseFraction(final String text) {
        final double value = Double.parseDouble(text);
        if (!(value > 0 && value <= 1)) {
            throw new IllegalArgumentException(text);
        }
        return value;
    }

    private static Setting<Double> number(
            final String name, final double def, final double max, final String doc) {
        return register(
                new Setting<>(
                        name,
                        Setting.Type.NUMBER,
                        def,
                        String.format(Locale.ROOT, "0 to %.0f", max),
                        doc,
                        text -> parseNumber(text, max)));
    }

    private static double parseNumber(final String text, final double max) {
        final double value = Double.parseDouble(text);
        if (!(value >= 0 && value <= max)) {
            throw new IllegalArgumentException(text);
        }
        return value;
    }

    private static Setting<String> text(final String name, final String def, final String doc) {
        return register(
                new Setting<>(
                        name,
                        Setting.Type.TEXT,
                        def,
                        "an absolute path, or -",
                        doc,
                        SpillwayKeys::parsePath));
    }

    private static String parsePath(final String text) {
        if (!text.equals(NONE) && !text.startsWith("/")) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }

    /** What the kernel's {@code sun_path} takes. */
    private static String parseSocket(final String text) {
        final boolean isFolder = text.endsWith("/");
        if (isFolder || text.getBytes(StandardCharsets.UTF_8).length > MAX_SOCKET_LENGTH) {
            throw new IllegalArgumentException(text);
        }
        return parsePath(text);
    }

    private static String parseHost(final String text) {
        if (!text.matches("[A-Za-z0-9._:%-]{1,253}")) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }

    /** The host that {@link #NODE_HOST} names, or nothing for {@code -}. */
    public static Optional<String> nodeHost(final Function<String, String> lookup) {
        final String text = NODE_HOST.get(lookup);
        return text.equals(NONE) ? Optional.empty() : Optional.of(text);
    }

    /** The directory or file that a path setting names, or nothing for {@code -}. */
    public static Optional<Path> directory(
            final Setting<String> setting, final Function<String, String> lookup) {
        final String text = setting.get(lookup);
        return text.equals(NONE) ? Optional.empty() : Optional.of(Path.of(text));
    }

    /** Text of a library that Spillway passes on, or auto. */
    private static Setting<String> words(
            final String name, final String pattern, final String range, final String doc) {
        return register(
                new Setting<>(
                        name,
                        Setting.Type.TEXT,
                        AUTO,
                        "auto, or " + range,
                        doc,
                        text -> parseWords(text, pattern)));
    }

    private static String parseWords(final String text, final String pattern) {
        if (!text.matches(pattern)) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }

    private static Setting<String> choice(
            final String name, final String def, final List<String> allowed, final String doc) {
        return register(
                new Setting<>(
                        name,
                        Setting.Type.CHOICE,
                        def,
                        "one of " + String.join(", ", allowed),
                        doc,
                        text -> parseChoice(text, allowed)));
    }

    private static String parseChoice(final String text, final List<String> allowed) {
        final String value = text.toLowerCase(Locale.ROOT);
        if (!allowed.contains(value)) {
            throw new IllegalArgumentException(text);
        }
        return value;
    }

    private static Setting<List<String>> list(
            final String name,
            final List<String> def,
            final List<String> allowed,
            final String doc) {
        return register(
                new Setting<>(
                        name,
                        Setting.Type.LIST,
                        def,
                        "any of " + String.join(", ", allowed),
                        doc,
                        text -> parseList(text, allowed)));
    }

    private static List<String> parseList(final String text, final List<String> allowed) {
        final List<String> values = List.of(text.toLowerCase(Locale.ROOT).split("\\s*,\\s*", -1));
        final boolean mixesAuto = values.contains(AUTO) && values.size() > 1;
        if (mixesAuto
                || !allowed.containsAll(values)
                || values.stream().distinct().count() < values.size()) {
            throw new IllegalArgumentException(text);
        }
        return values;
    }

    private static long inRange(final long value, final long min, final long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(Long.toString(value));
        }
        return value;
    }
}
