package io.spillway.conf;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
                    List.of("disk"),
                    List.of("memory", "disk"),
                    "Where spills go, in this order; a full tier overflows to the next.");

    /** The most bytes of spills that one map task keeps in its heap. */
    public static final Setting<Long> SPILL_MEMORY_LIMIT =
            bytes(
                    "spillway.spill.memory.limit",
                    64 * MIB,
                    0,
                    64 * GIB,
                    "Most bytes of spills that one map task keeps in the memory tier (its heap).");

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
                    "Memory that one reducer uses for map output; 0 takes"
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
                    "Largest piece of a segment fetched in one request.");

    /** The smallest piece of a segment fetched in one request. */
    public static final Setting<Long> SHUFFLE_WINDOW_MIN =
            bytes(
                    "spillway.shuffle.window.min",
                    4 * KIB,
                    1 * KIB,
                    1 * MIB,
                    "Smallest window a segment is read by; many maps and a small buffer shrink"
                            + " windows down to this.");

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
                    15_000,
                    500,
                    600_000,
                    "A connection with requests in flight and no answer for this long is lost.");

    /** How long a reducer retries a source whose records it has already begun to merge. */
    public static final Setting<Long> SHUFFLE_STREAM_RETRY =
            millis(
                    "spillway.shuffle.stream.retry.ms",
                    60_000,
                    0,
                    3_600_000,
                    "How long a reducer tries to reach a source again whose records are already"
                            + " being merged, before the attempt fails.");

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
                    "Memory a node uses for cached map output indices.");

    // ---- report --------------------------------------------------------------------------------

    /** Whether tasks publish their figures as job counters. */
    public static final Setting<Boolean> REPORT_COUNTERS =
            bool(
                    "spillway.report.counters",
                    true,
                    "Publish the shuffle report's figures as job counters (group Spillway).");

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
        if (!allowed.containsAll(values) || values.stream().distinct().count() < values.size()) {
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
