// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import io.spillway.wire.DataFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.FetchFrame;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One fetch of a client, from the call to its end. Owns the destination in between, and tells its
 * listener once, however often it is ended. Used by one thread.
 */
public final class PendingFetch implements PendingRequest {
    private static final Logger LOG = LoggerFactory.getLogger(PendingFetch.class);

    private final SegmentId segment;
    private final long offset;
    private final ByteBuffer destination;
    private final FetchListener listener;
    private final int length;
    private DataFrame answer;
    private ByteBuffer target;
    private boolean ended;

    /**
     * Takes over a destination.
     *
     * @param segment what to fetch
     * @param offset in the segment, at least 0
     * @param destination its remaining bytes are asked for
     * @param listener learns the end
     */
    public PendingFetch(
            final SegmentId segment,
            final long offset,
            final ByteBuffer destination,
            final FetchListener listener) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset=" + offset + ", expected >= 0");
        }
        this.segment = segment;
        this.offset = offset;
        this.destination = destination;
        this.listener = listener;
        this.length = destination.remaining();
    }

    @Override
    public void addTo(final FetchConnection connection) {
        connection.add(this);
    }

    /** The bytes asked for. */
    public int length() {
        return length;
    }

    /** The request. */
    public FetchFrame frame(final long requestId) {
        return new FetchFrame(
                requestId, segment.partition(), segment.run(), offset, length, segment.output());
    }

    /** Checks what can be told before asking; null where nothing is wrong. */
    public FetchException obstacle(final NodeAddress address, final int maxRequestLength) {
        if (length <= maxRequestLength) {
            return null;
        }
        return new FetchException(
                Reason.OUT_OF_RANGE,
                address + ": length=" + length + ", expected 0 to " + maxRequestLength);
    }

    /**
     * The node begins to answer; its bytes belong into {@link #target}.
     *
     * @param version of the session
     * @throws MalformedFrameException when it is not as many bytes as it has to be, or the node has
     *     understood something else than was asked for
     */
    public void answered(final DataFrame data, final int version) throws MalformedFrameException {
        if (!data.answers(frame(data.requestId()), version)) {
            throw new MalformedFrameException(
                    "DATA frame: damaged, or the answer to another fetch than " + this);
        }
        final long expected = Math.min(length, data.partLength() - offset);
        if (data.length() != expected) {
            throw new MalformedFrameException(
                    "DATA frame: length="
                            + data.length()
                            + ", expected "
                            + expected
                            + " of "
                            + this);
        }
        answer = data;
        target = destination.duplicate().limit(destination.position() + data.length());
    }

    /** Where the bytes of the answer go, from its position to its limit. */
    public ByteBuffer target() {
        return target;
    }

    /**
     * Every byte lies in the destination. Where this throws before the listener was called, the
     * fetch has not ended.
     */
    public void complete() {
        if (ended) {
            return;
        }
        final FetchReply reply =
                new FetchReply(
                        answer.partLength(),
                        answer.rawLength(),
                        answer.runs(),
                        answer.length(),
                        answer.checksum(),
                        answer.tier(),
                        answer.records());
        ended = true;
        destination.position(destination.position() + answer.length());
        try {
            listener.onFetched(destination, reply);
        } catch (final RuntimeException | Error e) {
            LOG.error("The listener of {} failed", this, e);
        }
    }

    /** Other nodes have the segment. Does nothing where the fetch has ended. */
    public void elsewhere(final SegmentPlaces places) {
        if (ended) {
            return;
        }
        ended = true;
        try {
            listener.onElsewhere(destination, places);
        } catch (final RuntimeException | Error e) {
            LOG.error("The listener of {} failed", this, e);
        }
    }

    /** Nothing usable lies in the destination. Does nothing where the fetch has ended. */
    @Override
    public void fail(final FetchException cause) {
        if (ended) {
            return;
        }
        ended = true;
        try {
            listener.onFailed(destination, cause);
        } catch (final RuntimeException | Error e) {
            LOG.error("The listener of {} failed", this, e);
        }
    }

    /** The node says why it sends nothing. */
    public void failed(final NodeAddress address, final FailedFrame failure) {
        fail(
                new FetchException(
                        FailureCodes.reasonOf(failure.code()),
                        address + ": " + this + ": " + failure.message()));
    }

    @Override
    public String toString() {
        return segment.output()
                + " partition "
                + segment.partition()
                + " offset "
                + offset
                + " length "
                + length;
    }
}
