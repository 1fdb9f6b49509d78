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
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Nodes whose every answer is an event of {@link SeededThreads}: in any order, late, damaged, cut
 * short, refused or never. What the transport's contract promises, it keeps: each fetch is answered
 * once, a channel's end fails what is in flight at once. What belongs to the transport is
 * overwritten as soon as it is the transport's, so that a buffer with two owners shows.
 */
final class StressNodes implements Transport {
    /** What may happen to an answer. */
    enum Fault {
        /** None at all, as long as the channel lives. */
        SILENCE,
        /** The channel breaks. */
        BREAK,
        NOT_FOUND,
        SOURCE_FAILED,
        BUSY,
        UNKNOWN_JOB,
        /** A bit is wrong. */
        DAMAGE,
        /** Bytes are missing. */
        CUT,
        /** The lengths are those of another segment. */
        OTHER_LENGTH
    }

    /** Decides what happens to an answer; null for what is right. */
    @FunctionalInterface
    interface Faults {
        Fault next(NodeAddress node, SegmentId segment);
    }

    /** A peer's channel that has brought nothing for so long is closed. */
    private static final long READ_TIMEOUT_MILLIS = 5000;

    private static final byte POISON = (byte) 0xA5;

    private final SeededThreads threads;
    private final Map<NodeAddress, Map<String, List<TestSegment>>> outputs = new HashMap<>();
    private final Map<NodeAddress, Map<String, NodeAddress>> places = new HashMap<>();
    private final Map<NodeAddress, Reason> closedNodes = new HashMap<>();
    private final List<StressChannel> channels = new ArrayList<>();
    private final Map<Fault, Integer> injected = new EnumMap<>(Fault.class);
    private final long latencyMillis;
    private final boolean fallbacks;
    private final boolean checksums;

    /** From now on these are opened in the way that has no fallback. */
    private final Set<NodeAddress> distrusted = new HashSet<>();

    private Faults faults = (node, segment) -> null;
    private long answered;
    private boolean closed;

    /**
     * Creates nodes without outputs.
     *
     * @param latencyMillis the most that an answer takes, if nothing is in its way
     * @param fallbacks whether channels are such that another way can stand in for
     * @param checksums whether answers carry the checksums of their pieces
     */
    StressNodes(
            final SeededThreads threads,
            final long latencyMillis,
            final boolean fallbacks,
            final boolean checksums) {
        this.threads = threads;
        this.latencyMillis = latencyMillis;
        this.fallbacks = fallbacks;
        this.checksums = checksums;
    }

    void faults(final Faults newFaults) {
        faults = newFaults;
    }

    void put(final NodeAddress node, final String attempt, final List<TestSegment> runs) {
        outputs.computeIfAbsent(node, address -> new HashMap<>()).put(attempt, runs);
    }

    /** A node keeps an output at another one, and names that. */
    void putElsewhere(
            final NodeAddress node,
            final NodeAddress store,
            final String attempt,
            final List<TestSegment> runs) {
        put(store, attempt, runs);
        places.computeIfAbsent(node, address -> new HashMap<>()).put(attempt, store);
    }

    /** An output is no more, wherever the node keeps it. */
    void remove(final NodeAddress node, final String attempt) {
        final NodeAddress store = places.getOrDefault(node, Map.of()).getOrDefault(attempt, node);
        outputs.getOrDefault(store, Map.of()).remove(attempt);
    }

    /** From now on a node cannot be reached, and its channels end. */
    void down(final NodeAddress node, final Reason reason) {
        closedNodes.put(node, reason);
        breakChannels(node);
    }

    void up(final NodeAddress node) {
        closedNodes.remove(node);
    }

    boolean isDown(final NodeAddress node) {
        return closedNodes.containsKey(node);
    }

    void breakChannels(final NodeAddress node) {
        List.copyOf(channels).stream()
                .filter(channel -> channel.node.equals(node))
                .forEach(channel -> channel.end(Reason.DISCONNECTED));
    }

    /** How many answers of each kind were wrong. */
    Map<Fault, Integer> injected() {
        return injected;
    }

    /** Whether damage shows in each piece, and not in whole segments only. */
    boolean haveChecksums() {
        return checksums;
    }

    /** The fetches in flight. */
    int inFlight() {
        return channels.stream().mapToInt(channel -> channel.inFlight.size()).sum();
    }

    /** The fetches that were answered. */
    long answered() {
        return answered;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public String name() {
        return "stress";
    }

    @Override
    public Channel open(final NodeAddress node, final JobCredentials credentials)
            throws FetchException {
        SeededThreads.yieldHere(2);
        final Reason reason = closed ? Reason.DISCONNECTED : closedNodes.get(node);
        if (reason != null) {
            throw new FetchException(
                    reason,
                    "cannot reach " + node,
                    reason == Reason.DISCONNECTED ? new ConnectException("refused") : null);
        }
        final StressChannel channel = new StressChannel(node);
        channels.add(channel);
        SeededThreads.yieldHere(2);
        return channel;
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(channels).forEach(channel -> channel.end(Reason.DISCONNECTED));
    }

    /** A fetch that is not answered. */
    private record Pending(
            SegmentId segment,
            long offset,
            ByteBuffer destination,
            int position,
            int wanted,
            FetchListener listener) {
        boolean overlaps(final Pending other) {
            return destination.array() == other.destination.array()
                    && start() < other.start() + other.wanted
                    && other.start() < start() + wanted;
        }

        private int start() {
            return destination.arrayOffset() + position;
        }
    }

    private final class StressChannel implements Channel {
        private final NodeAddress node;
        private final List<Pending> inFlight = new ArrayList<>();
        private final boolean fallback;
        private boolean open = true;

        StressChannel(final NodeAddress node) {
            this.node = node;
            this.fallback = fallbacks && !distrusted.contains(node);
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
        public boolean hasFallback() {
            return fallback;
        }

        @Override
        public void fetch(
                final SegmentId segment,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            final Pending pending =
                    new Pending(
                            segment,
                            offset,
                            destination,
                            destination.position(),
                            destination.remaining(),
                            listener);
            if (!open) {
                fail(pending, Reason.DISCONNECTED);
                return;
            }
            own(pending);
            inFlight.add(pending);
            final Fault fault = faults.next(node, segment);
            if (fault != null) {
                injected.merge(fault, 1, Integer::sum);
            }
            if (fault == Fault.SILENCE) {
                threads.eventIn(READ_TIMEOUT_MILLIS, () -> timeOut(pending));
            } else {
                later(() -> answer(pending, fault));
            }
        }

        private void own(final Pending pending) {
            for (final StressChannel channel : channels) {
                for (final Pending other : channel.inFlight) {
                    if (other.overlaps(pending)) {
                        throw new AssertionError("a buffer was given to two fetches");
                    }
                }
            }
            Arrays.fill(
                    pending.destination.array(),
                    pending.start(),
                    pending.start() + pending.wanted,
                    POISON);
        }

        private void later(final Runnable action) {
            final int delay = threads.random().nextInt((int) latencyMillis + 1);
            if (delay == 0) {
                threads.event(action);
            } else {
                threads.eventIn(delay, action);
            }
        }

        private void timeOut(final Pending pending) {
            if (inFlight.contains(pending)) {
                end(Reason.TIMED_OUT);
            }
        }

        private void answer(final Pending pending, final Fault fault) {
            if (!inFlight.contains(pending)) {
                return;
            }
            if (fault == Fault.BREAK) {
                end(Reason.DISCONNECTED);
                return;
            }
            inFlight.remove(pending);
            final List<TestSegment> runs =
                    outputs.getOrDefault(node, Map.of())
                            .getOrDefault(pending.segment.output(), List.of());
            final Reason refusal = refusal(fault);
            final NodeAddress place =
                    places.getOrDefault(node, Map.of()).get(pending.segment.output());
            if (refusal != null) {
                fail(pending, refusal);
            } else if (place != null) {
                answered++;
                pending.listener.onElsewhere(
                        pending.destination, SegmentPlaces.of(new SegmentPlace(place, 1)));
            } else if (pending.segment.run() >= runs.size()) {
                fail(pending, Reason.NOT_FOUND);
            } else if (pending.offset >= runs.get(pending.segment.run()).bytes().length) {
                fail(pending, Reason.OUT_OF_RANGE);
            } else {
                bring(pending, runs, fault);
            }
        }

        private static Reason refusal(final Fault fault) {
            if (fault == null) {
                return null;
            }
            return switch (fault) {
                case NOT_FOUND -> Reason.NOT_FOUND;
                case SOURCE_FAILED -> Reason.SOURCE_FAILED;
                case BUSY -> Reason.BUSY;
                case UNKNOWN_JOB -> Reason.UNKNOWN_JOB;
                default -> null;
            };
        }

        private void bring(final Pending pending, final List<TestSegment> runs, final Fault fault) {
            final TestSegment segment = runs.get(pending.segment.run());
            final byte[] bytes = segment.bytes();
            final int there = Math.min(pending.wanted, bytes.length - (int) pending.offset);
            final int count = fault == Fault.CUT ? threads.random().nextInt(there) : there;
            pending.destination.put(bytes, (int) pending.offset, count);
            if (fault == Fault.DAMAGE) {
                final int wrong = pending.position + threads.random().nextInt(count);
                final byte bit = (byte) (1 << threads.random().nextInt(8));
                pending.destination.put(wrong, (byte) (pending.destination.get(wrong) ^ bit));
            }
            final int longer = fault == Fault.OTHER_LENGTH ? 1 + threads.random().nextInt(9) : 0;
            answered++;
            pending.listener.onFetched(
                    pending.destination,
                    new FetchReply(
                            bytes.length + longer,
                            segment.rawLength() + longer,
                            runs.size(),
                            count,
                            checksums
                                    ? checksum(bytes, (int) pending.offset, count)
                                    : FetchReply.NO_CHECKSUM,
                            Tiers.MEMORY.code(),
                            segment.count()));
        }

        private static long checksum(final byte[] bytes, final int offset, final int count) {
            final CRC32C crc = new CRC32C();
            crc.update(bytes, offset, count);
            return crc.getValue();
        }

        private void fail(final Pending pending, final Reason reason) {
            answered++;
            if (fallback) {
                distrusted.add(node);
            }
            pending.listener.onFailed(
                    pending.destination, new FetchException(reason, "scripted for " + node));
        }

        private void end(final Reason reason) {
            open = false;
            final List<Pending> failed = new ArrayList<>(inFlight);
            inFlight.clear();
            Collections.shuffle(failed, threads.random());
            failed.forEach(pending -> fail(pending, reason));
            channels.remove(this);
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() {
            end(Reason.DISCONNECTED);
        }
    }
}
