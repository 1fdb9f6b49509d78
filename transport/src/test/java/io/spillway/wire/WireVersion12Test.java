// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import static io.spillway.seal.Protection.AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameLayout;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Example;

/**
 * Version 12 as the build before ranges of versions wrote it, byte for byte: that build is still
 * spoken to. The bytes come from its code; they never change.
 */
final class WireVersion12Test {
    private static final int V12 = FrameType.V12;
    private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);
    private static final String JOB = "job_1_0001";
    private static final String OUTPUT = "attempt_1_0001_m_000003_0";
    private static final long EPOCH = 0x0102030405060708L;
    private static final Nonce CLIENT_NONCE = Nonce.random(new Counting(0x01));
    private static final Nonce NODE_NONCE = Nonce.random(new Counting(0x81));
    private static final FetchFrame FETCH = new FetchFrame(5, 7, 1, 4096, 65_536, OUTPUT);
    private static final WelcomeFrame WELCOME =
            WelcomeFrame.unproved(1 << 24, 256, 64, 8 << 20, "tcp,ucx=h1:7");
    private static final Transcript TRANSCRIPT =
            new Transcript(
                    new HelloFrame(
                            CLIENT_NONCE,
                            true,
                            false,
                            VersionRange.only(V12),
                            HelloFrame.NOT_DIALLED,
                            JOB),
                    new ChallengeFrame(EPOCH, NODE_NONCE, AUTHENTICATION, VersionRange.only(V12)),
                    V12);

    /** Not random at all. */
    private static final class Counting extends SecureRandom {
        private static final long serialVersionUID = 1L;

        private final int first;

        Counting(final int first) {
            this.first = first;
        }

        @Override
        public void nextBytes(final byte[] bytes) {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (first + i);
            }
        }
    }

    /** Reads a body. */
    @FunctionalInterface
    private interface Decoder {
        Object decode(ByteBuffer body) throws MalformedFrameException;
    }

    private static void check(
            final Object frame,
            final FrameLayout layout,
            final Decoder decoder,
            final String recorded)
            throws MalformedFrameException {
        final ByteBuffer bytes = ByteBuffer.allocate(FrameType.MAX_FRAME_LENGTH);
        layout.encode(bytes, V12);
        assertThat(HexFormat.of().formatHex(bytes.array(), 0, bytes.position()))
                .isEqualTo(recorded);
        bytes.flip();
        if (frame instanceof HelloFrame) {
            assertThat(bytes.getInt()).isEqualTo(HelloFrame.MAGIC);
        }
        final FrameHeader<FrameType> header = FrameType.header(bytes, VersionRange.only(V12));
        assertThat(header.bodyLength()).isEqualTo(bytes.remaining());
        assertThat(decoder.decode(bytes)).isEqualTo(frame);
    }

    @Example
    void hello() throws MalformedFrameException {
        final var frame =
                new HelloFrame(
                        CLIENT_NONCE,
                        true,
                        false,
                        VersionRange.only(V12),
                        HelloFrame.NOT_DIALLED,
                        JOB);
        check(
                frame,
                frame::encode,
                body -> HelloFrame.decode(body, V12),
                "53505759010c000000240102030405060708090a0b0c0d0e0f1000000001000a6a6f625f"
                        + "315f303030310d0a0d0a");
    }

    @Example
    void challenge() throws MalformedFrameException {
        final var frame =
                new ChallengeFrame(EPOCH, NODE_NONCE, AUTHENTICATION, VersionRange.only(V12));
        check(
                frame,
                frame::encode,
                body -> ChallengeFrame.decode(body, V12),
                "020c0000001801020304050607088182838485868788898a8b8c8d8e8f90");
    }

    @Example
    void auth() throws MalformedFrameException {
        final var frame = TRANSCRIPT.auth(SECRET);
        check(
                frame,
                frame::encode,
                body -> AuthFrame.decode(body, V12),
                "030c00000020a95fb6136c647bb31ecc2936975ebcb8a58ad09743e2edf76d8a7741e22b"
                        + "19d8");
    }

    @Example
    void welcome() throws MalformedFrameException {
        final var frame = WELCOME.withProof(TRANSCRIPT.ofNode(SECRET, WELCOME));
        check(
                frame,
                frame::encode,
                body -> WelcomeFrame.decode(body),
                "040c0000003e927736d111c9ba974913f65c9535fa3188217df1182bde9d55330993a466"
                        + "e0c801000000000001000000004000800000000c7463702c7563783d68313a37");
    }

    @Example
    void refused() throws MalformedFrameException {
        final var frame = new RefusedFrame(RefusedFrame.Code.VERSION, "version=13, expected 12");
        check(
                frame,
                frame::encode,
                body -> RefusedFrame.decode(body),
                "050c0000001d00000001001776657273696f6e3d31332c206578706563746564203132");
    }

    @Example
    void fetch() throws MalformedFrameException {
        final var frame = FETCH;
        check(
                frame,
                frame::encode,
                body -> FetchFrame.decode(body),
                "060c00000037000000000000000500000007000000010000000000001000000100000019"
                        + "617474656d70745f315f303030315f6d5f3030303030335f30");
    }

    @Example
    void data() throws MalformedFrameException {
        final var frame =
                DataFrame.answering(
                        FETCH, 1_000_000, 2_000_000, 2, 65_536, 0x89ABCDEFL, 3, -1, V12);
        check(
                frame,
                frame::encode,
                body -> DataFrame.decode(body, V12),
                "070c00000030000000000000000500000000000f424000000000001e8480000000020001"
                        + "00000000000089abcdef000000038dc7221c");
    }

    @Example
    void failed() throws MalformedFrameException {
        final var frame = new FailedFrame(5, FailedFrame.Code.NOT_FOUND, "no such output");
        check(
                frame,
                frame::encode,
                body -> FailedFrame.decode(body),
                "080c0000001c000000000000000500000001000e6e6f2073756368206f7574707574");
    }

    @Example
    void endpoint() throws MalformedFrameException {
        final var frame = new EndpointFrame(9, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        check(
                frame,
                frame::encode,
                body -> EndpointFrame.decode(body),
                "0b0c0000000f000000000000000900000003010203");
    }

    @Example
    void elsewhere() throws MalformedFrameException {
        final var frame =
                new ElsewhereFrame(
                        5,
                        new SegmentPlaces(
                                List.of(new SegmentPlace(new NodeAddress("h2", 13_562), 77))));
        check(
                frame,
                frame::encode,
                body -> ElsewhereFrame.decode(body),
                "0c0c0000001c000000000000000500000001000000000000004d000034fa00026832");
    }

    @Example
    void put() throws MalformedFrameException {
        final var frame = new PutFrame(6, new SegmentId(OUTPUT, 7, 1), 4096, 100, 0x12345678);
        check(
                frame,
                frame::encode,
                body -> PutFrame.decode(body),
                "0d0c0000003f000000000000000600000007000000010000000000001000000000641234"
                        + "56780019617474656d70745f315f303030315f6d5f3030303030335f3062016801");
    }

    @Example
    void commit() throws MalformedFrameException {
        final var frame =
                CommitFrame.of(
                        6,
                        new OutputSummary(
                                OUTPUT, List.of(new OutputSummary.Segment(7, 1, 1000, 2000, 0))),
                        0x12345678,
                        V12);
        check(
                frame,
                frame::encode,
                body -> CommitFrame.decode(body, V12),
                "0e0c0000002f000000000000000600000001123456780019617474656d70745f315f3030"
                        + "30315f6d5f3030303030335f30185ef527");
    }

    @Example
    void aTableIsWhole() {
        final var part = new OutputSummary(OUTPUT, 1, 2, List.of());
        assertThatThrownBy(() -> CommitFrame.of(6, part, 0, V12))
                .hasMessage("segments=0 of 2, expected all in version 12");
        assertThat(SegmentTable.most(V12, 8 << 20)).isEqualTo((8 << 20) / 28);
        assertThat(SegmentTable.mostOfPart(V12, 64 << 20)).isEqualTo(SegmentTable.MAX_SEGMENTS);
    }

    @Example
    void abort() throws MalformedFrameException {
        final var frame = new AbortFrame(6, OUTPUT);
        check(
                frame,
                frame::encode,
                body -> AbortFrame.decode(body),
                "0f0c0000002700000000000000060019617474656d70745f315f303030315f6d5f303030"
                        + "3030335f307fc0b878");
    }

    @Example
    void ack() throws MalformedFrameException {
        final var frame = new AckFrame(6, 0x11223344);
        check(
                frame,
                frame::encode,
                body -> AckFrame.decode(body),
                "100c0000000c000000000000000611223344");
    }

    @Example
    void call() throws MalformedFrameException {
        final var frame = new CallFrame(6, 3, 0x12345678);
        check(
                frame,
                frame::encode,
                body -> CallFrame.decode(body),
                "110c0000001400000000000000060000000312345678327ae801");
    }

    @Example
    void answer() throws MalformedFrameException {
        final var frame = new AnswerFrame(6, 0x11223344, 3, 0x12345678);
        check(
                frame,
                frame::encode,
                body -> AnswerFrame.decode(body),
                "120c00000018000000000000000611223344000000031234567821224f2e");
    }

    @Example
    void heartbeats() {
        final ByteBuffer bytes = ByteBuffer.allocate(2 * FrameHeader.LENGTH);
        FrameHeader.encode(bytes, FrameType.PING, V12, 0);
        FrameHeader.encode(bytes, FrameType.PONG, V12, 0);
        assertThat(HexFormat.of().formatHex(bytes.array()))
                .isEqualTo("090c00000000" + "0a0c00000000");
    }

    @Example
    void tableOfSegments() throws MalformedFrameException {
        final List<OutputSummary.Segment> segments =
                List.of(new OutputSummary.Segment(7, 1, 1000, 2000, 0x12345678));
        final ByteBuffer table = SegmentTable.encode(segments, V12);
        final byte[] bytes = new byte[table.remaining()];
        table.duplicate().get(bytes);
        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo("000000070000000100000000000003e800000000000007d012345678");
        assertThat(SegmentTable.decode(table, V12)).isEqualTo(segments);
    }

    @Example
    void aNewerNodeMarksItsNonce() {
        assertThat(Nonce.ofNewerNode(new SecureRandom()).isOfNewerNode()).isTrue();
        assertThat(NODE_NONCE.isOfNewerNode()).isFalse();
    }
}
