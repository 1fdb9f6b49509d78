// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import io.spillway.protocol.ProtocolKeys;
import io.spillway.report.TaskReport;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Fetches from nodes by another transport, and reads through the shared file system what lies
 * there. Nodes are opened, and prove themselves, as ever. A node that is gone has a {@linkplain
 * #placeOf place} on the shared file system, from which its outputs there are read. Thread-safe.
 */
public final class SharedTransport implements Transport {
    /** When outputs are read through the shared file system. */
    public enum Use {
        /** Where it takes less than fetching from the node. */
        WHERE_FASTER,
        /** Wherever they lie there. */
        ALWAYS,
        /** Where the node is gone. */
        WITHOUT_NODE
    }

    /** What the host's name of such a place begins with; no host has such a name. */
    private static final String PLACE = "sharedfs/";

    private static final int PLACE_PORT = 1;
    private static final long WATCH_MILLIS = 100;

    private final Transport base;
    private final OutputDirectory directory;
    private final Use use;
    private final LongAdder bytes;
    private final long timeoutNanos;
    private final LongSupplier clock = System::nanoTime;
    private final WayFigures figures = new WayFigures();
    private final WayCost shared = new WayCost(clock);
    private final Map<NodeAddress, WayChoice> choices = new ConcurrentHashMap<>();
    private final Set<SharedChannel.Fetch> underWay = ConcurrentHashMap.newKeySet();
    private final Set<SharedChannel> channels = ConcurrentHashMap.newKeySet();
    private final OutputReads reads;
    private final ScheduledExecutorService watch;
    private volatile boolean closed;

    /**
     * Creates the transport.
     *
     * @param base opens nodes; belongs to this object from here on
     * @param bytes what is read is added here
     * @param settings returns the text of a property, or null where it is not set
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public SharedTransport(
            final Transport base,
            final OutputDirectory directory,
            final Use use,
            final LongAdder bytes,
            final Function<String, String> settings) {
        this.base = base;
        this.directory = directory;
        this.use = use;
        this.bytes = bytes;
        this.timeoutNanos =
                TimeUnit.MILLISECONDS.toNanos(ProtocolKeys.SHUFFLE_READ_TIMEOUT.get(settings));
        this.reads = new OutputReads(directory, figures, settings, clock);
        this.watch =
                Executors.newSingleThreadScheduledExecutor(
                        task -> {
                            final Thread thread = new Thread(task, "spillway-sharedfs-watch");
                            thread.setDaemon(true);
                            return thread;
                        });
        final ScheduledFuture<?> unused =
                watch.scheduleWithFixedDelay(
                        () -> underWay.forEach(SharedChannel.Fetch::endIfLate),
                        WATCH_MILLIS,
                        WATCH_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public String name() {
        return use == Use.ALWAYS ? SharedFileSystem.NAME : base.name();
    }

    /**
     * The place of an output on the shared file system, where its node cannot be reached; opens the
     * file there, and checks it. Blocks.
     *
     * @param host of the map, as the framework names it
     * @return null where the output does not lie there
     * @throws IOException where that cannot be told
     */
    public SegmentPlace placeOf(final String jobId, final String host, final String output)
            throws IOException {
        figures.count(WayFigures.Figure.OPENS);
        try (OutputDirectory.OpenOutput found = directory.open(jobId, host, output)) {
            return found == null
                    ? null
                    : new SegmentPlace(new NodeAddress(PLACE + host, PLACE_PORT), 0);
        }
    }

    @Override
    public Channel open(final NodeAddress address, final JobCredentials credentials)
            throws FetchException {
        if (address.host().startsWith(PLACE)) {
            return keep(
                    new SharedChannel(
                            this,
                            address,
                            credentials.jobId(),
                            address.host().substring(PLACE.length()),
                            null));
        }
        final Channel node = base.open(address, credentials);
        return use == Use.WITHOUT_NODE || credentials.isForNode()
                ? node
                : keep(new SharedChannel(this, address, credentials.jobId(), address.host(), node));
    }

    private SharedChannel keep(final SharedChannel channel) throws FetchException {
        channels.add(channel);
        if (closed) {
            channel.close();
            throw new FetchException(
                    FetchException.Reason.DISCONNECTED,
                    channel.address() + ": the transport is closed");
        }
        return channel;
    }

    void forget(final SharedChannel channel) {
        channels.remove(channel);
    }

    // ---- what its channels use -----------------------------------------------------------------

    WayChoice choiceFor(final NodeAddress node) {
        return choices.computeIfAbsent(
                node, key -> new WayChoice(shared, new WayCost(clock), clock, figures));
    }

    OutputReads reads() {
        return reads;
    }

    WayFigures figures() {
        return figures;
    }

    Use use() {
        return use;
    }

    int tier() {
        return directory.tier();
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    void began(final SharedChannel.Fetch fetch) {
        underWay.add(fetch);
    }

    void ended(final SharedChannel.Fetch fetch) {
        underWay.remove(fetch);
    }

    void came(final WayChoice.Leg leg, final int length) {
        figures.came(leg.way(), length, leg.ageNanos());
        if (leg.way() == WayChoice.Way.SHARED) {
            bytes.add(length);
        }
    }

    void failAll(final SharedChannel channel) {
        underWay.forEach(fetch -> fetch.endIfOf(channel));
    }

    // --------------------------------------------------------------------------------------------

    @Override
    public void noteIn(final TaskReport report) {
        base.noteIn(report);
        figures.noteIn(report);
    }

    @Override
    public void close() {
        closed = true;
        watch.shutdownNow();
        base.close();
        channels.forEach(SharedChannel::close);
        reads.close();
    }
}
