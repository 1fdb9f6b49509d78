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
 * The frames, with the code that stands for each on the wire and the bounds of its body, which the
 * frame's descriptor.
 */
public enum FrameType implements FrameKind {
    /** Client to node: who asks. */
    HELLO(1, HelloFrame.BODY),
    /** Node to client: prove it. */
    CHALLENGE(2, ChallengeFrame.BODY),
    /** Client to node: the proof. */
    AUTH(3, AuthFrame.BODY),
    /** Node to client: its own proof, and its limits. */
    WELCOME(4, WelcomeFrame.BODY),
    /** Node to client: no connection, and why; the node closes after it. */
    REFUSED(5, RefusedFrame.BODY),
    /** Client to node: a piece of a segment, please. */
    FETCH(6, FetchFrame.BODY),
    /** Node to client: the piece; its bytes follow the frame. */
    DATA(7, DataFrame.BODY),
    /** Node to client: one request failed, and why. */
    FAILED(8, FailedFrame.BODY),
    /** Either way: are you there? */
    PING(9, BodyBounds.EMPTY),
    /** Either way: I am. */
    PONG(10, BodyBounds.EMPTY),
    /** Client to node, then node to client: where another path between the two ends. */
    ENDPOINT(11, EndpointFrame.BODY),
    /** Node to client: other nodes have the segment. */
    ELSEWHERE(12, ElsewhereFrame.BODY),
    /** Client to node: a piece of a segment; its bytes follow the frame. */
    PUT(13, PutFrame.BODY),
    /** Client to node: an output is whole; the table of its segments follows the frame. */
    COMMIT(14, CommitFrame.BODY),
    /** Client to node: forget an output that is not whole. */
    ABORT(15, AbortFrame.BODY),
    /** Node to client: a put, commit or abort is done. */
    ACK(16, AckFrame.BODY),
    /** Client to node: a question; its bytes follow the frame. */
    CALL(17, CallFrame.BODY),
    /** Node to client: the answer to a call; its bytes follow the frame. */
    ANSWER(18, AnswerFrame.BODY);

    /** The version before ranges: its HELLO names no other version. */
    public static final int V12 = 12;

    /** The first version whose HELLO names the range of versions that the client speaks. */
    public static final int V13 = 13;

    /** The first version whose sessions have a {@link io.spillway.seal.Protection}. */
    public static final int V14 = 14;

    /** The versions that this build speaks. */
    public static final VersionRange VERSIONS = new VersionRange(V12, V14);

    /** The longest body of all frames, in bytes. */
    public static final int MAX_BODY_LENGTH = EndpointFrame.BODY.most();

    /** The longest frame, header included, magic and the bytes after a frame not. */
    public static final int MAX_FRAME_LENGTH = FrameHeader.LENGTH + MAX_BODY_LENGTH;

    private static final FrameSet<FrameType> FRAMES =
            new FrameSet<>("unknown", FrameForm.SHORT_TEXTS, values());

    private final byte code;

    @SuppressWarnings("ImmutableEnumChecker") // a record of two numbers
    private final BodyBounds body;

    FrameType(final int code, final BodyBounds body) {
        this.code = (byte) code;
        this.body = body;
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
