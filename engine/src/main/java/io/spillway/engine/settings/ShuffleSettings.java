// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.settings;

import io.spillway.conf.CommonKeys;
import io.spillway.conf.WindowSizing;
import io.spillway.engine.spi.FailureRules;
import io.spillway.engine.spi.SegmentForm;
import io.spillway.engine.spi.TaskSettings;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.sort.KeyOrder;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * All that one reducer's shuffle is set to: what the framework says of the task, and Spillway's
 * settings. Immutable.
 *
 * <p>The size of a chunk is the largest power of two between the smallest and the largest window of
 * which the budget holds two for every run of every map.
 */
public final class ShuffleSettings {
    /** The watchdog strikes within this part of the framework's own time-out. */
    private static final int WATCHDOG_PART = 4;

    /** This part of the budget is for heads that cross chunks. */
    private static final int HEAD_PARTS = 16;

    /** The part of the heap that a reducer's own code keeps, whatever the shuffle takes. */
    private static final double HEAP_FOR_OTHERS = 0.1;

    /** A segment of this part of the heap may hold a record that fills the rest of it. */
    private static final int LARGE_PARTS = 5;

    /** The attempt's name. */
    public final String task;

    public final int partition;
    public final int numMaps;

    /** The most runs that a map leaves its output in. */
    public final int runsPerMap;

    public final boolean compressed;

    /** The form of stored map outputs. */
    public final SegmentForm form;

    /** Whether memory goes to the streams that the merge will use up first. */
    public final boolean windowsByDemand;

    /** What keys are foreseen by; null where they cannot be. */
    public final KeyOrder forecastOrder;

    public final long budgetBytes;
    public final int chunkSize;
    public final int chunks;

    private final long largeBytes;

    /** What the heads and the current record of merges may take beside the chunks. */
    public final long headBytes;

    /** What the decoders of compressed segments may take beside the budget. */
    public final long decoderBytes;

    public final int requestsInFlight;
    public final long streamRetryMillis;
    public final long rerunWaitMillis;
    public final long hedgeMillis;

    /** A wait that nothing can end fails the attempt after this; 0 for never. */
    public final long watchdogMillis;

    /** After this the transport has ended a connection that does not answer. */
    public final long readTimeoutMillis;

    /** In this time the transport opens a connection, or fails to. */
    public final long connectTimeoutMillis;

    public final long idleMillis;

    /** Whether to combine while copying; empty: as long as that shrinks the data. */
    public final Optional<Boolean> combine;

    /** So many segments that wait are merged while copying, where they need not be combined. */
    public final int mergeFactor;

    public final int parallelCopies;

    /** When failed fetches are tried again and reported. */
    public final FailureRules failures;

    /**
     * Reads the settings.
     *
     * @param lookup returns the text of a property, or null where it is not set
     * @param orders the order of keys, each time with a comparator of its own
     * @param heapBytes the task's heap
     * @throws io.spillway.conf.InvalidSettingException when one of Spillway's does not hold
     */
    public ShuffleSettings(
            final TaskSettings of,
            final Function<String, String> lookup,
            final Supplier<KeyOrder> orders,
            final long heapBytes) {
        task = of.name();
        partition = of.partition();
        numMaps = of.maps().count();
        runsPerMap = of.maps().runs();
        form = of.maps().form();
        compressed = form.compressed();

        windowsByDemand =
                EngineKeys.SHUFFLE_WINDOWS
                                .get(lookup)
                                .orElse(CommonKeys.MODE.get(lookup).windowSizing())
                        == WindowSizing.DEMAND;
        forecastOrder =
                windowsByDemand && !compressed && EngineKeys.SORT_PREFIX.get(lookup)
                        ? withoutComparator(orders.get())
                        : null;

        budgetBytes = WindowLength.budget(lookup, heapBytes, numMaps, runsPerMap);
        chunkSize = WindowLength.of(lookup, budgetBytes, numMaps, runsPerMap);
        chunks = chunks();
        largeBytes = Math.max(1, heapBytes / LARGE_PARTS);
        headBytes = Math.max(budgetBytes / HEAD_PARTS, budgetBytes - (long) chunks * chunkSize);

        decoderBytes = Math.max(0, (long) (heapBytes * (1 - HEAP_FOR_OTHERS)) - budgetBytes);

        requestsInFlight = ProtocolKeys.SHUFFLE_REQUESTS_IN_FLIGHT.get(lookup);
        streamRetryMillis = EngineKeys.SHUFFLE_STREAM_RETRY.get(lookup);
        rerunWaitMillis = EngineKeys.SHUFFLE_RERUN_WAIT.get(lookup);
        hedgeMillis = EngineKeys.SHUFFLE_HEDGE.get(lookup).orElse(0L);
        watchdogMillis =
                watchdogMillis(
                        of.timeoutMillis(), EngineKeys.SHUFFLE_WATCHDOG.get(lookup).orElse(0L));
        readTimeoutMillis = ProtocolKeys.SHUFFLE_READ_TIMEOUT.get(lookup);
        connectTimeoutMillis = ProtocolKeys.SHUFFLE_CONNECT_TIMEOUT.get(lookup);
        idleMillis = EngineKeys.SHUFFLE_IDLE.get(lookup);

        combine = EngineKeys.SHUFFLE_COMBINE.get(lookup);
        mergeFactor = EngineKeys.SHUFFLE_MERGE_FACTOR.get(lookup).orElse(Integer.MAX_VALUE);
        parallelCopies = of.parallelCopies();
        failures = of.failures();
    }

    /** The attempt is to say why it fails before the framework kills it for its silence. */
    private static long watchdogMillis(final long timeout, final long wanted) {
        return timeout <= 0 || wanted == 0
                ? wanted
                : Math.max(1, Math.min(wanted, timeout / WATCHDOG_PART));
    }

    /** Only orders that never ask the job's comparator: that one is the task thread's. */
    private static KeyOrder withoutComparator(final KeyOrder order) {
        return order.strength() == KeyOrder.Strength.NONE ? null : order;
    }

    /** All that is not for heads; two for each stream in any case. */
    private int chunks() {
        final long bytes = budgetBytes - budgetBytes / HEAD_PARTS;
        final long least = (long) WindowLength.WINDOWS * streams();
        return (int) Math.min(Integer.MAX_VALUE, Math.max(least, bytes / chunkSize));
    }

    /**
     * The chunks that leave room for the records of a segment. Stock's merge reads a record into an
     * array of twice its size. With one such array of the record's own size, and chunks of no more
     * than that, as large a record has room beside the reducer's object.
     *
     * @param rawLength of the segment, in bytes
     */
    public int chunksBeside(final long rawLength) {
        if (rawLength < largeBytes) {
            return chunks;
        }
        final long least = (long) WindowLength.WINDOWS * streams();
        return (int) Math.min(chunks, Math.max(least, largeBytes / chunkSize));
    }

    /** The most streams that are merged at a time. */
    public int streams() {
        return numMaps * runsPerMap;
    }

    /** The number of chunks that {@code bytes} take. */
    public int chunksFor(final long bytes) {
        return (int) Math.min(Integer.MAX_VALUE - 1, (bytes + chunkSize - 1) / chunkSize);
    }
}
