// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameForm;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameKind;
import io.spillway.frame.FrameSet;
import io.spillway.frame.MalformedFrameException;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;

/**
 * The frames, with the code that stands for each on the wire and the bounds of its body, which are
 * constants of the frame's descriptor.
 */
public enum FrameType implements FrameKind {
    /** Client to node: who asks. */
    HELLO(1, HelloFrame.MIN_BODY_LENGTH, HelloFrame.MAX_BODY_LENGTH),
    /** Node to client: prove it. */
    CHALLENGE(2, ChallengeFrame.BODY_LENGTH_V12, ChallengeFrame.BODY_LENGTH),
    /** Client to node: the proof. */
    AUTH(3, Proof.LENGTH, Proof.LENGTH),
    /** Node to client: its own proof, and its limits. */
    WELCOME(4, WelcomeFrame.MIN_BODY_LENGTH, WelcomeFrame.MAX_BODY_LENGTH),
    /** Node to client: no connection, and why; the node closes after it. */
    REFUSED(5, RefusedFrame.MIN_BODY_LENGTH, RefusedFrame.MAX_BODY_LENGTH),
    /** Client to node: a piece of a segment, please. */
    FETCH(6, FetchFrame.MIN_BODY_LENGTH, FetchFrame.MAX_BODY_LENGTH),
    /** Node to client: the piece; its bytes follow the frame. */
    DATA(7, DataFrame.MIN_BODY_LENGTH, DataFrame.MAX_BODY_LENGTH),
    /** Node to client: one request failed, and why. */
    FAILED(8, FailedFrame.MIN_BODY_LENGTH, FailedFrame.MAX_BODY_LENGTH),
    /** Either way: are you there? */
    PING(9, 0, 0),
    /** Either way: I am. */
    PONG(10, 0, 0),
    /** Client to node, then node to client: where another path between the two ends. */
    ENDPOINT(11, EndpointFrame.MIN_BODY_LENGTH, EndpointFrame.MAX_BODY_LENGTH),
    /** Node to client: other nodes have the segment. */
    ELSEWHERE(12, ElsewhereFrame.MIN_BODY_LENGTH, ElsewhereFrame.MAX_BODY_LENGTH),
    /** Client to node: a piece of a segment; its bytes follow the frame. */
    PUT(13, PutFrame.MIN_BODY_LENGTH, PutFrame.MAX_BODY_LENGTH),
    /** Client to node: an output is whole; the table of its segments follows the frame. */
    COMMIT(14, CommitFrame.MIN_BODY_LENGTH, CommitFrame.MAX_BODY_LENGTH),
    /** Client to node: forget an output that is not whole. */
    ABORT(15, AbortFrame.MIN_BODY_LENGTH, AbortFrame.MAX_BODY_LENGTH),
    /** Node to client: a put, commit or abort is done. */
    ACK(16, AckFrame.BODY_LENGTH, AckFrame.BODY_LENGTH),
    /** Client to node: a question; its bytes follow the frame. */
    CALL(17, CallFrame.BODY_LENGTH, CallFrame.BODY_LENGTH),
    /** Node to client: the answer to a call; its bytes follow the frame. */
    ANSWER(18, AnswerFrame.BODY_LENGTH, AnswerFrame.BODY_LENGTH);

    /** The version before ranges: its HELLO names no other version. */
    public static final int V12 = 12;

    /** The first version whose HELLO names the range of versions that the client speaks. */
    public static final int V13 = 13;

    /** The versions that this build speaks: its own, and the one before. */
    public static final VersionRange VERSIONS = new VersionRange(V12, V13);

    /** The longest body of all frames, in bytes. */
    public static final int MAX_BODY_LENGTH = EndpointFrame.MAX_BODY_LENGTH;

    /** The longest frame, header included, magic and the bytes after a frame not. */
    public static final int MAX_FRAME_LENGTH = FrameHeader.LENGTH + MAX_BODY_LENGTH;

    private static final FrameSet<FrameType> FRAMES =
            new FrameSet<>("unknown", FrameForm.SHORT_TEXTS, values());

    private final byte code;

    @SuppressWarnings("ImmutableEnumChecker") // a record of two numbers
    private final BodyBounds body;

    FrameType(final int code, final int minBodyLength, final int maxBodyLength) {
        this.code = (byte) code;
        this.body = new BodyBounds(minBodyLength, maxBodyLength);
    }

    @Override
    public byte code() {
        return code;
    }

    @Override
    public BodyBounds body() {
        return body;
    }

    /** Reads a header, as {@link FrameSet#header} says. */
    public static FrameHeader<FrameType> header(final ByteBuffer in, final VersionRange accepted)
            throws MalformedFrameException {
        return FRAMES.header(in, accepted);
    }
}
