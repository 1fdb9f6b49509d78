// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OpaqueId;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.PutListener;
import io.spillway.transport.SegmentId;
import io.spillway.wire.AbortFrame;
import io.spillway.wire.AckFrame;
import io.spillway.wire.AnswerFrame;
import io.spillway.wire.CallFrame;
import io.spillway.wire.CommitFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.PutFrame;
import io.spillway.wire.SegmentTable;
import io.spillway.wire.WriteFrame;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One put, commit, abort or call of a client, from the call to its end. Owns the bytes in between,
 * and tells its listener once, however often it is ended; but never while the bytes are being sent,
 * for they are the caller's again from then on. Used by one thread once it is made.
 */
public final class PendingWrite implements PendingRequest {
    private static final Logger LOG = LoggerFactory.getLogger(PendingWrite.class);

    /** Makes the frame of a request. */
    private interface Framer {
        WriteFrame frame(long requestId);
    }

    /** Says what it is; few are ever asked. */
    private final Supplier<String> what;

    private final Framer framer;
    private final ByteBuffer payload;
    private final PutListener listener;
    private final ByteBuffer owned;
    private WriteFrame sent;
    private AnswerFrame answer;
    private ByteBuffer target;
    private boolean sending;
    private boolean ended;
    private boolean told;
    private FetchException failure;

    private PendingWrite(
            final Supplier<String> what,
            final Framer framer,
            final ByteBuffer payload,
            final ByteBuffer owned,
            final PutListener listener) {
        this.what = what;
        this.framer = framer;
        this.payload = payload;
        this.owned = owned;
        this.listener = listener;
    }

    /** Takes over the remaining bytes of {@code source}, whose CRC32C is {@code checksum}. */
    public static PendingWrite put(
            final SegmentId segment,
            final long offset,
            final ByteBuffer source,
            final int checksum,
            final PutListener listener) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset=" + offset + ", expected >= 0");
        }
        final ByteBuffer payload = source.slice();
        final int length = payload.remaining();
        return new PendingWrite(
                () -> segment + " offset " + offset + " length " + length,
                requestId -> new PutFrame(requestId, segment, offset, length, checksum),
                payload,
                source,
                listener);
    }

    /**
     * A commit, or a part of one; {@code result} is completed with its end.
     *
     * @param version of the session that it is for
     */
    public static PendingWrite commit(
            final OutputSummary output, final int version, final CompletableFuture<Void> result) {
        final ByteBuffer table = SegmentTable.encode(output.segments(), version);
        final int checksum = crcOf(table);
        return new PendingWrite(
                () -> "commit of " + output.output(),
                requestId -> CommitFrame.of(requestId, output, checksum, version),
                table,
                table,
                new Result(result));
    }

    /** An abort; {@code result} is completed with its end. */
    public static PendingWrite abort(final String output, final CompletableFuture<Void> result) {
        OpaqueId.require("output", output);
        final ByteBuffer nothing = ByteBuffer.allocate(0);
        return new PendingWrite(
                () -> "abort of " + output,
                requestId -> new AbortFrame(requestId, output),
                nothing,
                nothing,
                new Result(result));
    }

    /** A call; {@code result} is completed with the answer. */
    public static PendingWrite call(
            final ByteBuffer request, final CompletableFuture<ByteBuffer> result) {
        final ByteBuffer payload = request.slice();
        final int length = payload.remaining();
        final int checksum = crcOf(payload);
        return new PendingWrite(
                () -> "call of " + length + " bytes",
                requestId -> new CallFrame(requestId, length, checksum),
                payload,
                request,
                new Answer(result));
    }

    private static int crcOf(final ByteBuffer bytes) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    /** The listener of what has no buffer of the caller's. */
    private record Result(CompletableFuture<Void> result) implements PutListener {
        @Override
        public void onAcknowledged(final ByteBuffer source) {
            result.complete(null);
        }

        @Override
        public void onFailed(final ByteBuffer source, final FetchException cause) {
            result.completeExceptionally(cause);
        }
    }

    /** The listener of a call. */
    private record Answer(CompletableFuture<ByteBuffer> result) implements PutListener {
        @Override
        public void onAcknowledged(final ByteBuffer answer) {
            result.complete(answer);
        }

        @Override
        public void onFailed(final ByteBuffer source, final FetchException cause) {
            result.completeExceptionally(cause);
        }
    }

    /** Whether it asks for an answer that has bytes. */
    public boolean isCall() {
        return listener instanceof Answer;
    }

    @Override
    public void addTo(final FetchConnection connection) {
        connection.add(this);
    }

    /** The bytes that follow the frame. */
    public int length() {
        return payload.remaining();
    }

    /** The bytes that follow the frame, from position to limit; a view of its own each time. */
    public ByteBuffer payload() {
        return payload.duplicate();
    }

    /** Checks what can be told before asking; null where nothing is wrong. */
    public FetchException obstacle(final NodeAddress address, final int maxLength) {
        if (length() <= maxLength) {
            return null;
        }
        return new FetchException(
                Reason.OUT_OF_RANGE,
                address + ": " + this + ": length=" + length() + ", expected 0 to " + maxLength);
    }

    /** The request. */
    public WriteFrame frame(final long requestId) {
        sent = framer.frame(requestId);
        return sent;
    }

    /** Its bytes are read from now on. */
    public void startSending() {
        sending = true;
    }

    /** Its bytes are not read any more, whether they were sent or will not be. */
    public void stopSending() {
        sending = false;
        tell();
    }

    /**
     * The node has done it.
     *
     * @param version of the session
     * @throws MalformedFrameException when the node has understood something else
     */
    public void acknowledged(final AckFrame frame, final int version)
            throws MalformedFrameException {
        if (isCall() || frame.guard() != sent.guard(version)) {
            throw new MalformedFrameException(
                    "ACK frame: damaged, or the answer to another request than " + this);
        }
        ended = true;
        tell();
    }

    /**
     * The node begins to answer a call; its bytes belong into {@link #target}.
     *
     * @param version of the session
     * @throws MalformedFrameException when the node has understood something else
     */
    public void answered(final AnswerFrame frame, final int version)
            throws MalformedFrameException {
        if (!isCall() || frame.callGuard() != sent.guard(version)) {
            throw new MalformedFrameException(
                    "ANSWER frame: damaged, or the answer to another request than " + this);
        }
        answer = frame;
        target = ByteBuffer.allocate(frame.length());
    }

    /** Where the bytes of the answer go, from its position to its limit. */
    public ByteBuffer target() {
        return target;
    }

    /** Every byte of the answer lies in the {@link #target}. */
    public void complete(final NodeAddress address) {
        target.flip();
        if (!answer.fits(target)) {
            fail(
                    new FetchException(
                            Reason.DAMAGED,
                            address + ": " + this + ": the answer was damaged on the way"));
            return;
        }
        ended = true;
        tell();
    }

    /** The node says why it has not. */
    public void refused(final NodeAddress address, final FailedFrame frame) {
        fail(
                new FetchException(
                        FailureCodes.reasonOf(frame.code()),
                        address + ": " + this + ": " + frame.message()));
    }

    @Override
    public void fail(final FetchException cause) {
        if (!ended) {
            ended = true;
            failure = cause;
        }
        tell();
    }

    private void tell() {
        if (!ended || sending || told) {
            return;
        }
        told = true;
        try {
            if (failure == null) {
                listener.onAcknowledged(isCall() ? target : owned);
            } else {
                listener.onFailed(owned, failure);
            }
        } catch (final RuntimeException | Error e) {
            LOG.error("The listener of {} failed", this, e);
        }
    }

    @Override
    public String toString() {
        return what.get();
    }
}
