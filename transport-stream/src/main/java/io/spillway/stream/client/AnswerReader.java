// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.netty.buffer.ByteBuf;
import io.spillway.frame.MalformedFrameException;
import io.spillway.protocol.PendingFetch;
import io.spillway.protocol.PendingWrite;
import io.spillway.protocol.UnackedWrites;
import io.spillway.stream.frame.FrameAssembler;
import io.spillway.transport.NodeAddress;
import io.spillway.version.VersionRange;
import io.spillway.wire.AckFrame;
import io.spillway.wire.AnswerFrame;
import io.spillway.wire.DataFrame;
import io.spillway.wire.ElsewhereFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.FrameType;
import java.nio.ByteBuffer;

/**
 * Reads a node's answers, and copies their bytes straight into their destinations. Used by the
 * channel's event loop.
 */
final class AnswerReader {
    /** Takes the frames that answer no request. */
    @FunctionalInterface
    interface OtherFrames {
        void onFrame(FrameType type, ByteBuffer body) throws MalformedFrameException;
    }

    private final NodeAddress address;
    private final UnansweredFetches fetches;
    private final UnackedWrites writes;
    private final AnswerClock clock;
    private final OtherFrames others;
    private final int version;
    private final FrameAssembler assembler;

    /** The call whose answer arrives; null between answers. */
    private PendingWrite call;

    private long callId;

    AnswerReader(
            final NodeAddress address,
            final int version,
            final UnansweredFetches fetches,
            final UnackedWrites writes,
            final AnswerClock clock,
            final OtherFrames others) {
        this.address = address;
        this.version = version;
        this.assembler = new FrameAssembler(VersionRange.only(version));
        this.fetches = fetches;
        this.writes = writes;
        this.clock = clock;
        this.others = others;
    }

    /** Takes bytes: up to the end of a frame, or as many as a destination does. */
    void read(final ByteBuf in) throws MalformedFrameException {
        if (fetches.receiving() != null) {
            receive(in);
        } else if (call != null) {
            receiveAnswer(in);
        } else if (assembler.read(in)) {
            onFrame(assembler.type(), assembler.body());
        }
    }

    private void receive(final ByteBuf in) {
        clock.answered();
        if (fill(fetches.receiving().target(), in)) {
            fetches.receiving().complete();
            fetches.received();
        }
    }

    private void receiveAnswer(final ByteBuf in) {
        clock.answered();
        if (fill(call.target(), in)) {
            call = null;
            writes.received(callId);
        }
    }

    /** Takes what has come; returns whether that was all. */
    private static boolean fill(final ByteBuffer target, final ByteBuf in) {
        final int end = target.limit();
        final int count = Math.min(target.remaining(), in.readableBytes());
        if (count > 0) {
            in.readBytes(target.limit(target.position() + count));
            target.limit(end);
        }
        return !target.hasRemaining();
    }

    private void onFrame(final FrameType type, final ByteBuffer body)
            throws MalformedFrameException {
        switch (type) {
            case DATA -> onData(DataFrame.decode(body, version));
            case ELSEWHERE -> onElsewhere(ElsewhereFrame.decode(body));
            case ACK -> onAck(AckFrame.decode(body));
            case ANSWER -> onAnswer(AnswerFrame.decode(body));
            case FAILED -> onFailed(FailedFrame.decode(body));
            default -> others.onFrame(type, body);
        }
    }

    private void onData(final DataFrame data) throws MalformedFrameException {
        final PendingFetch fetch = find(FrameType.DATA, data.requestId());
        fetch.answered(data, version);
        clock.answered();
        if (data.length() == 0) {
            fetch.complete();
            fetches.answered(data.requestId());
        } else {
            fetches.startReceiving(data.requestId(), fetch);
        }
    }

    private void onElsewhere(final ElsewhereFrame elsewhere) throws MalformedFrameException {
        final PendingFetch fetch = find(FrameType.ELSEWHERE, elsewhere.requestId());
        clock.answered();
        fetch.elsewhere(elsewhere.places());
        fetches.answered(elsewhere.requestId());
    }

    private void onAck(final AckFrame frame) throws MalformedFrameException {
        clock.answered();
        writes.acknowledged(frame);
    }

    private void onAnswer(final AnswerFrame frame) throws MalformedFrameException {
        clock.answered();
        final PendingWrite answered = writes.answering(frame);
        if (frame.length() == 0) {
            writes.received(frame.requestId());
        } else {
            call = answered;
            callId = frame.requestId();
        }
    }

    private void onFailed(final FailedFrame failed) throws MalformedFrameException {
        if (writes.isInFlight(failed.requestId())) {
            clock.answered();
            writes.refused(failed);
            return;
        }
        final PendingFetch fetch = find(FrameType.FAILED, failed.requestId());
        clock.answered();
        fetch.failed(address, failed);
        fetches.answered(failed.requestId());
    }

    private PendingFetch find(final FrameType type, final long requestId)
            throws MalformedFrameException {
        final PendingFetch fetch = fetches.find(requestId);
        if (fetch == null) {
            throw new MalformedFrameException(
                    type + " frame: requestId=" + requestId + ", expected one in flight");
        }
        return fetch;
    }
}
