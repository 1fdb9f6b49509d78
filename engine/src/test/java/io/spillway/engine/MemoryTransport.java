// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.store.tier.Tiers;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.Transport;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Nodes in memory that answer late and out of order, and fail as a test scripts it. */
public final class MemoryTransport implements Transport {
    /** What a test puts between a request and its answer. Returns null to let it pass. */
    @FunctionalInterface
    public interface Script {
        Reason onFetch(NodeAddress node, SegmentId segment, long offset);
    }

    private static final int MOST_RUNS = 8;

    private final Map<NodeAddress, Map<String, List<TestSegment>>> nodes =
            new ConcurrentHashMap<>();
    private final Map<String, SegmentPlaces> places = new ConcurrentHashMap<>();
    private final Map<NodeAddress, Reason> closedNodes = new ConcurrentHashMap<>();
    private final Map<NodeAddress, Integer> refusals = new ConcurrentHashMap<>();
    private final Map<NodeAddress, Long> silentFrom = new ConcurrentHashMap<>();
    private final List<MemoryChannel> channels = new ArrayList<>();
    private final ScheduledThreadPoolExecutor answers;
    private final Random random;
    private volatile Damage damage = (segment, offset) -> false;
    private volatile boolean withChecksums = true;
    private volatile Script script = (node, segment, offset) -> null;
    private volatile Loss loss = (node, segment, offset) -> false;
    private volatile boolean isClosed;

    public MemoryTransport(final long seed) {
        this(seed, new ScheduledThreadPoolExecutor(2, new ThreadPoolExecutor.DiscardPolicy()));
    }

    /**
     * Creates nodes.
     *
     * @param answers gives the answers, each within a millisecond
     */
    public MemoryTransport(final long seed, final ScheduledThreadPoolExecutor answers) {
        this.random = new Random(seed);
        this.answers = answers;
    }

    public void put(final NodeAddress node, final String attempt, final TestSegment... runs) {
        nodes.computeIfAbsent(node, address -> new ConcurrentHashMap<>())
                .put(attempt, List.of(runs));
    }

    /** Makes a node name others for an output, whatever it has; none: no more. */
    public void elsewhere(
            final NodeAddress node, final String output, final NodeAddress... otherNodes) {
        for (int run = 0; run < MOST_RUNS; run++) {
            elsewhere(node, output, run, otherNodes);
        }
    }

    /** As {@link #elsewhere(NodeAddress, String, NodeAddress...)}, for one run. */
    public void elsewhere(
            final NodeAddress node,
            final String output,
            final int run,
            final NodeAddress... otherNodes) {
        final String key = placeKey(node, output, run);
        if (otherNodes.length == 0) {
            places.remove(key);
            return;
        }
        places.put(
                key,
                new SegmentPlaces(
                        Arrays.stream(otherNodes)
                                .map(other -> new SegmentPlace(other, 1))
                                .toList()));
    }

    private static String placeKey(final NodeAddress node, final String output, final int run) {
        return node + " " + output + " " + run;
    }

    /** What happens to bytes on the way. */
    @FunctionalInterface
    public interface Damage {
        /** Whether a bit of this piece is turned. */
        boolean strikes(SegmentId segment, long offset);
    }

    public void damage(final Damage newDamage) {
        damage = newDamage;
    }

    /** Serves outputs as the stock collector writes them. */
    public void withoutChecksums() {
        withChecksums = false;
    }

    public void script(final Script newScript) {
        script = newScript;
    }

    /** Makes a node refuse connections, and breaks those it has; null brings it back. */
    public void refuse(final NodeAddress node, final Reason reason) {
        if (reason == null) {
            closedNodes.remove(node);
            return;
        }
        closedNodes.put(node, reason);
        breakChannels(node);
    }

    /** How often a node has refused to be opened. */
    public int refusals(final NodeAddress node) {
        return refusals.getOrDefault(node, 0);
    }

    /** Answers that are lost: no listener hears of them, and no time-out comes. */
    @FunctionalInterface
    public interface Loss {
        boolean isLost(NodeAddress node, SegmentId segment, long offset);
    }

    public void lose(final Loss newLoss) {
        loss = newLoss;
    }

    /** Makes a node take requests and answer none; its channels stay open. */
    public void silence(final NodeAddress node) {
        silence(node, 0);
    }

    /** As {@link #silence(NodeAddress)}, for requests from an offset on. */
    public void silence(final NodeAddress node, final long fromOffset) {
        silentFrom.put(node, fromOffset);
    }

    void breakChannels(final NodeAddress node) {
        final List<MemoryChannel> broken;
        synchronized (channels) {
            broken = channels.stream().filter(channel -> channel.node.equals(node)).toList();
        }
        broken.forEach(MemoryChannel::close);
    }

    public boolean isClosed() {
        return isClosed;
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Channel open(final NodeAddress node, final JobCredentials credentials)
            throws FetchException {
        final Reason reason = closedNodes.get(node);
        if (reason != null) {
            refusals.merge(node, 1, Integer::sum);
            throw new FetchException(
                    reason,
                    "scripted for " + node,
                    reason == Reason.DISCONNECTED
                            ? new ConnectException("Connection refused")
                            : null);
        }
        final MemoryChannel channel = new MemoryChannel(node);
        synchronized (channels) {
            channels.add(channel);
        }
        return channel;
    }

    @Override
    public void close() {
        isClosed = true;
        final List<MemoryChannel> all;
        synchronized (channels) {
            all = List.copyOf(channels);
        }
        all.forEach(MemoryChannel::close);
        answers.shutdownNow();
    }

    private final class MemoryChannel implements Channel {
        private final NodeAddress node;
        private final Map<FetchListener, ByteBuffer> inFlight = new HashMap<>();
        private boolean open = true;

        MemoryChannel(final NodeAddress node) {
            this.node = node;
        }

        @Override
        public NodeAddress address() {
            return node;
        }

        @Override
        public long epoch() {
            return 1;
        }

        @Override
        public void fetch(
                final SegmentId segment,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            // Decided once: a channel that closes a moment later fails the fetch itself.
            final boolean taken;
            synchronized (this) {
                taken = open;
                if (taken) {
                    inFlight.put(listener, destination);
                }
            }
            if (!taken) {
                listener.onFailed(
                        destination, new FetchException(Reason.DISCONNECTED, "closed: " + node));
                return;
            }
            final long micros;
            synchronized (random) {
                micros = random.nextInt(300);
            }
            // After close() the answers are cancelled: the channel has failed the fetch itself.
            final var unused =
                    answers.schedule(
                            () -> answer(segment, offset, listener), micros, TimeUnit.MICROSECONDS);
        }

        private void answer(
                final SegmentId segment, final long offset, final FetchListener listener) {
            if (offset >= silentFrom.getOrDefault(node, Long.MAX_VALUE)
                    || loss.isLost(node, segment, offset)) {
                return;
            }
            final Reason reason = script.onFetch(node, segment, offset);
            if (reason == Reason.DISCONNECTED) {
                close();
                return;
            }
            final ByteBuffer destination;
            synchronized (this) {
                destination = inFlight.remove(listener);
            }
            if (destination == null) {
                return;
            }
            final SegmentPlaces others =
                    places.get(placeKey(node, segment.output(), segment.run()));
            if (reason == null && others != null) {
                listener.onElsewhere(destination, others);
                return;
            }
            final List<TestSegment> runs =
                    nodes.getOrDefault(node, Map.of()).getOrDefault(segment.output(), List.of());
            if (reason != null || segment.run() >= runs.size()) {
                listener.onFailed(
                        destination,
                        new FetchException(reason == null ? Reason.NOT_FOUND : reason, "scripted"));
                return;
            }
            final TestSegment found = runs.get(segment.run());
            final int count =
                    (int) Math.min(destination.remaining(), found.bytes().length - offset);
            final int start = destination.position();
            destination.put(found.bytes(), (int) offset, count);
            if (count > 0 && damage.strikes(segment, offset)) {
                final int turned = start + (int) (offset % count);
                destination.put(turned, (byte) (destination.get(turned) ^ 0x10));
            }
            listener.onFetched(
                    destination,
                    new FetchReply(
                            found.bytes().length,
                            found.rawLength(),
                            runs.size(),
                            count,
                            withChecksums ? found.checksum(offset, count) : FetchReply.NO_CHECKSUM,
                            Tiers.MEMORY.code(),
                            found.count()));
        }

        @Override
        public synchronized boolean isOpen() {
            return open;
        }

        @Override
        public void close() {
            final Map<FetchListener, ByteBuffer> failed;
            synchronized (this) {
                open = false;
                failed = new HashMap<>(inFlight);
                inFlight.clear();
            }
            failed.forEach(
                    (listener, destination) ->
                            listener.onFailed(
                                    destination,
                                    new FetchException(Reason.DISCONNECTED, "broken: " + node)));
        }
    }
}
