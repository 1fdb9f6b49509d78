// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import io.spillway.conf.TierName;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.PutListener;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.sharedfs.WayChoice.Way;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel to a node, each of whose pieces is fetched from it or read through the shared file
 * system. What cannot be read there, or is late, is fetched from the node after all. All that is
 * not a fetch goes to the node. Without a node, what cannot be read is a failure.
 */
final class SharedChannel implements Channel {
    private static final Logger LOG = LoggerFactory.getLogger(SharedChannel.class);

    /** From then on, and from so many times what the node would take, a read is late. */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int LATE_TIMES = 4;

    /** The node answers that it does not have the output, or cannot read it. */
    private static final Set<FetchException.Reason> NOT_GIVEN =
            EnumSet.of(FetchException.Reason.NOT_FOUND, FetchException.Reason.SOURCE_FAILED);

    private final SharedTransport transport;
    private final NodeAddress address;
    private final String jobId;
    private final String host;

    /** Null where it is gone. */
    private final Channel node;

    private final WayChoice choice;
    private volatile boolean closed;

    /**
     * Wraps a channel.
     *
     * @param host of the outputs, as the framework names it
     * @param node the channel to the node; null where that is gone
     */
    SharedChannel(
            final SharedTransport transport,
            final NodeAddress address,
            final String jobId,
            final String host,
            final Channel node) {
        this.transport = transport;
        this.address = address;
        this.jobId = jobId;
        this.host = host;
        this.node = node;
        this.choice = transport.choiceFor(address);
    }

    @Override
    public void fetch(
            final SegmentId segment,
            final long offset,
            final ByteBuffer destination,
            final FetchListener listener) {
        new Fetch(segment, offset, destination, listener).begin();
    }

    /** One fetch; {@link ReadPiece} while it is read, a listener while it is with the node. */
    final class Fetch extends ReadPiece implements FetchListener {
        private final ByteBuffer destination;
        private final FetchListener listener;
        private final OutputReads.Place place;
        private volatile WayChoice.Leg leg;

        Fetch(
                final SegmentId segment,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            super(segment, offset, destination.remaining());
            this.destination = destination;
            this.listener = listener;
            this.place = new OutputReads.Place(jobId, host, segment.output());
        }

        void begin() {
            if (!isOpen()) {
                listener.onFailed(destination, disconnected());
                return;
            }
            leg = firstLeg();
            if (leg.way() == Way.NODE) {
                node.fetch(segment(), offset(), destination, this);
            } else {
                read();
            }
        }

        private void read() {
            transport.began(this);
            transport.reads().read(place, this);
            endIfOf(closed ? SharedChannel.this : null);
        }

        private WayChoice.Leg firstLeg() {
            if (node == null) {
                return choice.take(Way.SHARED, length());
            }
            if (!transport.reads().mayHave(place)) {
                return choice.take(Way.NODE, length());
            }
            if (transport.use() == SharedTransport.Use.ALWAYS) {
                return choice.take(Way.SHARED, length());
            }
            return transport.reads().isNear(place)
                    ? choice.choose(length())
                    : choice.take(Way.NODE, length());
        }

        private void toNode() {
            leg = choice.take(Way.NODE, length());
            node.fetch(segment(), offset(), destination, this);
        }

        // ---- read ------------------------------------------------------------------------------

        @Override
        void arrived(final ByteBuffer bytes, final FetchReply reply) {
            transport.ended(this);
            transport.came(leg, reply.length());
            leg.ended();
            destination.put(bytes);
            listener.onFetched(destination, reply);
        }

        @Override
        void notThere() {
            endedInVain(
                    new FetchException(
                            FetchException.Reason.NOT_FOUND,
                            segment().output()
                                    + " is not on the shared file system, and "
                                    + host
                                    + " cannot be reached"));
        }

        @Override
        void refused(final FetchException cause) {
            endedInVain(cause);
        }

        @Override
        void failed(final IOException cause) {
            endedInVain(
                    new FetchException(
                            FetchException.Reason.SOURCE_FAILED,
                            segment().output() + ": " + cause.getMessage(),
                            cause));
        }

        private void endedInVain(final FetchException cause) {
            transport.ended(this);
            leg.ignored();
            if (node == null) {
                listener.onFailed(destination, cause);
            } else {
                toNode();
            }
        }

        /** The node is asked, or the fetch fails, where the read takes too long. Watch's thread. */
        void endIfLate() {
            if (leg.ageNanos() < patienceNanos() || !take()) {
                return;
            }
            transport.ended(this);
            transport.figures().count(WayFigures.Figure.LATE);
            final long waited = TimeUnit.NANOSECONDS.toMillis(leg.ageNanos());
            leg.ended();
            if (node != null) {
                toNode();
                return;
            }
            tellFailed(
                    new FetchException(
                            FetchException.Reason.TIMED_OUT,
                            segment().output()
                                    + " was not read from the shared file system within "
                                    + waited
                                    + " ms"));
        }

        /** The caller has others to tell, whatever one listener throws. */
        private void tellFailed(final FetchException cause) {
            try {
                listener.onFailed(destination, cause);
            } catch (final RuntimeException | Error e) {
                LOG.error("The listener of a fetch of {} has thrown", segment(), e);
            }
        }

        private double patienceNanos() {
            if (node == null) {
                return (double) transport.timeoutNanos();
            }
            return transport.use() == SharedTransport.Use.ALWAYS
                    ? transport.timeoutNanos() / 2.0
                    : Math.max((double) LATE_NANOS, LATE_TIMES * choice.nodeNanos(length()));
        }

        /** Fails it where it is of a channel that is closed. */
        void endIfOf(final SharedChannel channel) {
            if (channel == SharedChannel.this && take()) {
                transport.ended(this);
                leg.ignored();
                tellFailed(disconnected());
            }
        }

        // ---- from the node ---------------------------------------------------------------------

        @Override
        public void onFetched(final ByteBuffer buffer, final FetchReply reply) {
            transport.came(leg, reply.length());
            leg.ended();
            if (reply.tier() != transport.tier() && reply.tier() != TierName.NOT_SERVED) {
                transport.reads().elsewhere(place);
            }
            listener.onFetched(buffer, reply);
        }

        @Override
        public void onElsewhere(final ByteBuffer buffer, final SegmentPlaces places) {
            leg.ignored();
            transport.reads().elsewhere(place);
            listener.onElsewhere(buffer, places);
        }

        /** Reads the output once where the node cannot read it, for example without its mount. */
        @Override
        public void onFailed(final ByteBuffer buffer, final FetchException cause) {
            leg.ignored();
            if (NOT_GIVEN.contains(cause.reason())
                    && !isTaken()
                    && transport.reads().mayHave(place)) {
                leg = choice.take(Way.SHARED, length());
                read();
            } else {
                listener.onFailed(buffer, cause);
            }
        }
    }

    private FetchException disconnected() {
        return new FetchException(
                FetchException.Reason.DISCONNECTED, address + ": the channel is closed");
    }

    // ---- the node's ----------------------------------------------------------------------------

    @Override
    public NodeAddress address() {
        return address;
    }

    @Override
    public long epoch() {
        return node == null ? 0 : node.epoch();
    }

    @Override
    public List<TransportOffer> offers() {
        return node == null ? List.of() : node.offers();
    }

    @Override
    public int maxSegments() {
        return node == null ? 0 : node.maxSegments();
    }

    @Override
    public boolean hasFallback() {
        return node != null && node.hasFallback();
    }

    @Override
    public void put(
            final SegmentId segment,
            final long offset,
            final ByteBuffer source,
            final int checksum,
            final PutListener listener) {
        if (node == null) {
            Channel.super.put(segment, offset, source, checksum, listener);
        } else {
            node.put(segment, offset, source, checksum, listener);
        }
    }

    @Override
    public CompletableFuture<Void> commit(final OutputSummary output) {
        return node == null ? Channel.super.commit(output) : node.commit(output);
    }

    @Override
    public CompletableFuture<Void> abort(final String output) {
        return node == null ? Channel.super.abort(output) : node.abort(output);
    }

    @Override
    public CompletableFuture<ByteBuffer> call(final ByteBuffer request) {
        return node == null ? Channel.super.call(request) : node.call(request);
    }

    @Override
    public boolean isOpen() {
        return !closed && (node == null || node.isOpen());
    }

    @Override
    public void close() {
        closed = true;
        if (node != null) {
            node.close();
        }
        transport.failAll(this);
        transport.forget(this);
    }
}
