// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameConformance;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameLayout;
import io.spillway.frame.MalformedFrameException;
import io.spillway.seal.Protection;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;

/**
 * The layouts of version 13; {@link WireVersion12Test} has those of version 12, and {@link
 * WireVersion14Test} has those that differ in version 14.
 */
class WireConformanceTest extends FrameConformance {
    private static final int V = FrameType.V13;
    private static final VersionRange RANGE = new VersionRange(FrameType.V12, V);
    private static final String RECORDED_NONCE = "07".repeat(Nonce.LENGTH);
    private static final Nonce NONCE = Nonce.random(new Sevens());
    private static final HelloFrame HELLO =
            new HelloFrame(NONCE, true, false, RANGE, "10.0.0.7:1", "job_1_1");
    private static final ChallengeFrame CHALLENGE =
            new ChallengeFrame(5, NONCE, Protection.PRIVACY, RANGE);
    private static final Transcript TRANSCRIPT = new Transcript(HELLO, CHALLENGE, V);
    private static final byte[] SECRET = {1};

    private static final class Sevens extends SecureRandom {
        private static final long serialVersionUID = 1L;

        @Override
        public void nextBytes(final byte[] bytes) {
            Arrays.fill(bytes, (byte) 7);
        }
    }

    private static Object decode(final ByteBuffer bytes) throws MalformedFrameException {
        final FrameHeader<FrameType> header = FrameType.header(bytes, VersionRange.only(V));
        return switch (header.type()) {
            case HELLO -> HelloFrame.decode(bytes, V);
            case CHALLENGE -> ChallengeFrame.decode(bytes, V);
            case AUTH -> AuthFrame.decode(bytes, V);
            case WELCOME -> WelcomeFrame.decode(bytes);
            case REFUSED -> RefusedFrame.decode(bytes);
            case FETCH -> FetchFrame.decode(bytes);
            case DATA -> DataFrame.decode(bytes, V);
            case FAILED -> FailedFrame.decode(bytes);
            case PING, PONG -> header.type();
            case ENDPOINT -> EndpointFrame.decode(bytes);
            case ELSEWHERE -> ElsewhereFrame.decode(bytes);
            case PUT -> PutFrame.decode(bytes);
            case COMMIT -> CommitFrame.decode(bytes, V);
            case ABORT -> AbortFrame.decode(bytes);
            case ACK -> AckFrame.decode(bytes);
            case CALL -> CallFrame.decode(bytes);
            case ANSWER -> AnswerFrame.decode(bytes);
        };
    }

    private static Sample sample(
            final Object frame, final FrameLayout layout, final String recorded) {
        final ByteBuffer bytes = ByteBuffer.allocate(2 * FrameType.MAX_FRAME_LENGTH);
        layout.encode(bytes, V);
        bytes.flip();
        if (frame instanceof HelloFrame) {
            bytes.position(HelloFrame.MAGIC_LENGTH);
        }
        return new Sample(frame, bytes, recorded, WireConformanceTest::decode);
    }

    private static Sample empty(final FrameType type, final String recorded) {
        return sample(type, (out, version) -> FrameHeader.encode(out, type, version, 0), recorded);
    }

    @Override
    protected List<Sample> samples() {
        final AuthFrame auth = TRANSCRIPT.auth(SECRET);
        final WelcomeFrame unproved = WelcomeFrame.unproved(1, 2, 3, 4, "tcp");
        final WelcomeFrame welcome = unproved.withProof(TRANSCRIPT.ofNode(SECRET, unproved));
        final RefusedFrame refused = new RefusedFrame(RefusedFrame.Code.BUSY, "no");
        final FetchFrame fetch = new FetchFrame(1, 2, 3, 4, 5, "out");
        final DataFrame data = DataFrame.answering(fetch, 50, 60, 7, 5, 0xABCDEF12L, 2, 12, V);
        final FailedFrame failed = new FailedFrame(1, FailedFrame.Code.NO_SERVICE, "no");
        final EndpointFrame endpoint = new EndpointFrame(9, ByteBuffer.wrap(new byte[] {1, 2}));
        final ElsewhereFrame elsewhere =
                new ElsewhereFrame(
                        1,
                        new SegmentPlaces(
                                List.of(
                                        new SegmentPlace(new NodeAddress("h", 7), 9),
                                        new SegmentPlace(new NodeAddress("hh", 8), 9))));
        final PutFrame put = new PutFrame(1, new SegmentId("out", 2, 3), 4, 5, 6);
        final CommitFrame commit =
                new CommitFrame(1, 2, 3, 6, 2 * SegmentTable.entryLength(V), 7, "out");
        final AbortFrame abort = new AbortFrame(1, "out");
        final AckFrame ack = new AckFrame(1, 2);
        final CallFrame call = new CallFrame(1, 2, 3);
        final AnswerFrame answer = new AnswerFrame(1, 2, 3, 4);
        return List.of(
                sample(
                        HELLO,
                        HELLO::encode,
                        "010d00000039"
                                + RECORDED_NONCE
                                + "000000010000000c0000000d0000000000076a6f625f315f31"
                                + "000a31302e302e302e373a310d0a0d0a"),
                sample(
                        CHALLENGE,
                        CHALLENGE::encode,
                        "020d000000240000000000000005"
                                + RECORDED_NONCE
                                + "0000000c0000000d00000001"),
                sample(
                        auth,
                        auth::encode,
                        "030d00000020fa852796616bf82e39ead689e54220c4494a4967520cd0cc2b5aea4f"
                                + "6277fb6e"),
                sample(
                        welcome,
                        welcome::encode,
                        "040d000000359bf88d94343864c0828ea09b4c602023b8e4e987ecfce891bd03d511"
                                + "2c503064000000010000000200000003000000040003746370"),
                sample(refused, refused::encode, "050d000000080000000400026e6f"),
                sample(
                        fetch,
                        fetch::encode,
                        "060d00000021000000000000000100000002000000030000000000000004"
                                + "0000000500036f7574"),
                sample(
                        data,
                        data::encode,
                        "070d0000003800000000000000010000000000000032000000000000003c00000007"
                                + "0000000500000000abcdef1200000002000000000000000ce85a1403"),
                sample(failed, failed::encode, "080d0000001000000000000000010000000c00026e6f"),
                empty(FrameType.PING, "090d00000000"),
                empty(FrameType.PONG, "0a0d00000000"),
                sample(endpoint, endpoint::encode, "0b0d0000000e0000000000000009000000020102"),
                sample(
                        elsewhere,
                        elsewhere::encode,
                        "0c0d0000002b00000000000000010000000200000000000000090000000700016800"
                                + "000000000000090000000800026868"),
                sample(
                        put,
                        put::encode,
                        "0d0d00000029000000000000000100000002000000030000000000000004"
                                + "000000050000000600036f757442d562f9"),
                sample(
                        commit,
                        commit::encode,
                        "0e0d0000002100000000000000010000000200000007000000030000000600036f7574"
                                + "cd7fcf35"),
                sample(abort, abort::encode, "0f0d00000011000000000000000100036f75740fba889b"),
                sample(ack, ack::encode, "100d0000000c000000000000000100000002"),
                sample(call, call::encode, "110d0000001400000000000000010000000200000003d53c600e"),
                sample(
                        answer,
                        answer::encode,
                        "120d000000180000000000000001000000020000000300000004ee2f93d1"));
    }
}
