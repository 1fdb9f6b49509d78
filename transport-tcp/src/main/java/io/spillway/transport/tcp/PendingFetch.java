package io.spillway.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.SegmentId;
import io.spillway.wire.DataFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.MalformedFrameException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One fetch, from the call to its end. Owns the destination in between. Used by one thread. */
final class PendingFetch {
    private static final Logger LOG = LoggerFactory.getLogger(PendingFetch.class);

    private final SegmentId segment;
    private final long offset;
    private final ByteBuffer destination;
    private final FetchListener listener;
    private final int length;
    private DataFrame answer;
    private ByteBuffer target;
    private int missing;

    PendingFetch(
            final SegmentId segment,
            final long offset,
            final ByteBuffer destination,
            final FetchListener listener) {
        this.segment = segment;
        this.offset = offset;
        this.destination = destination;
        this.listener = listener;
        this.length = destination.remaining();
    }

    int length() {
        return length;
    }

    FetchFrame frame(final long requestId) {
        return new FetchFrame(
                requestId, segment.partition(), segment.run(), offset, length, segment.attempt());
    }

    /** The node begins to answer; its bytes follow. */
    void answered(final DataFrame data) throws MalformedFrameException {
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
        missing = data.length();
        target = destination.duplicate();
    }

    /** Takes bytes; returns whether all have come. */
    boolean receive(final ByteBuf in) {
        final int count = Math.min(missing, in.readableBytes());
        if (count > 0) {
            target.limit(target.position() + count);
            in.readBytes(target);
            missing -= count;
        }
        return missing == 0;
    }

    /** Every byte lies in the destination. */
    void complete() {
        destination.position(destination.position() + answer.length());
        try {
            listener.onFetched(
                    destination,
                    new FetchReply(
                            answer.partLength(),
                            answer.rawLength(),
                            answer.runs(),
                            answer.length()));
        } catch (final RuntimeException e) {
            LOG.error("The listener of {} failed", this, e);
        }
    }

    void fail(final FetchException cause) {
        try {
            listener.onFailed(destination, cause);
        } catch (final RuntimeException e) {
            LOG.error("The listener of {} failed", this, e);
        }
    }

    @Override
    public String toString() {
        return segment.attempt()
                + " partition "
                + segment.partition()
                + " offset "
                + offset
                + " length "
                + length;
    }
}
