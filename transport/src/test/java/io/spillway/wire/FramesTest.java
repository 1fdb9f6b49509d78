// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameLayout;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import io.spillway.seal.Protection;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OpaqueId;
import io.spillway.transport.OutputSummary.Segment;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

/** Every frame reads back as it was written, and nothing else is read as a frame. */
final class FramesTest {
    /** The version whose layouts are tested; {@link WireVersion12Test} has the former one's. */
    private static final int V = FrameType.VERSIONS.newest();

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String ADDRESS = "10.0.0.7:13562";
    private static final Nonce ONE = Nonce.random(RANDOM);
    private static final Nonce TWO = Nonce.random(RANDOM);
    private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);
    private static final String JOB = "job_1700000000000_0001";
    private static final int CAPACITY = 2 * FrameType.MAX_FRAME_LENGTH;

    /** Reads the body of a frame. */
    @FunctionalInterface
    private interface Decoder {
        Object decode(ByteBuffer body) throws MalformedFrameException;
    }

    private static void check(
            final Object frame,
            final FrameType type,
            final FrameLayout encoder,
            final Decoder decoder)
            throws MalformedFrameException {
        final ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
        encoder.encode(bytes, V);
        bytes.flip();
        if (type == FrameType.HELLO) {
            assertThat(bytes.getInt()).isEqualTo(HelloFrame.MAGIC);
        }
        final FrameHeader<FrameType> header = FrameType.header(bytes, FrameType.VERSIONS);
        assertThat(header).isEqualTo(new FrameHeader<>(type, V, bytes.remaining()));
        assertThat(decoder.decode(bytes.slice())).isEqualTo(frame);
        for (int length = 0; length < bytes.remaining(); length++) {
            final ByteBuffer cut = bytes.slice(bytes.position(), length);
            assertThatThrownBy(() -> decoder.decode(cut))
                    .isInstanceOf(MalformedFrameException.class)
                    .hasMessageContaining(type.name())
                    .hasMessageContaining("expected");
        }
        final ByteBuffer longer = ByteBuffer.allocate(bytes.remaining() + 1).put(bytes.slice());
        assertThatThrownBy(() -> decoder.decode(longer.rewind()))
                .isInstanceOf(MalformedFrameException.class);
    }

    private static Proof proof() {
        return transcript(FrameType.VERSIONS, FrameType.VERSIONS, 5, JOB).ofClient(SECRET);
    }

    private static Transcript transcript(
            final VersionRange ofClient,
            final VersionRange ofNode,
            final long epoch,
            final String jobId) {
        return new Transcript(
                new HelloFrame(ONE, ofClient, ADDRESS, jobId),
                new ChallengeFrame(epoch, TWO, Protection.INTEGRITY, ofNode),
                V);
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings().withCharRange('!', '~').ofMinLength(1).ofMaxLength(64);
    }

    @Provide
    Arbitrary<String> ids() {
        return Arbitraries.strings()
                .withCharRange('a', 'z')
                .withCharRange('A', 'Z')
                .withCharRange('0', '9')
                .withChars("_-.")
                .ofMinLength(1)
                .ofMaxLength(OpaqueId.MAX_LENGTH)
                .filter(OpaqueId::isValid);
    }

    @Property(tries = 100)
    void hello(@ForAll final boolean prefetch, @ForAll("ids") final String jobId)
            throws MalformedFrameException {
        final HelloFrame frame =
                new HelloFrame(
                        Nonce.random(RANDOM),
                        prefetch,
                        !prefetch,
                        new VersionRange(12, 15),
                        "10.0.0.7:1",
                        jobId);
        check(frame, FrameType.HELLO, frame::encode, body -> HelloFrame.decode(body, V));
    }

    @Property(tries = 50)
    void challenge(@ForAll final long epoch) throws MalformedFrameException {
        final ChallengeFrame frame =
                new ChallengeFrame(
                        epoch,
                        Nonce.random(RANDOM),
                        Protection.INTEGRITY,
                        new VersionRange(12, 14));
        check(frame, FrameType.CHALLENGE, frame::encode, body -> ChallengeFrame.decode(body, V));
    }

    @Example
    void auth() throws MalformedFrameException {
        for (final Protection protection : Protection.values()) {
            final AuthFrame frame = new AuthFrame(proof(), protection);
            check(frame, FrameType.AUTH, frame::encode, body -> AuthFrame.decode(body, V));
        }
    }

    @Property(tries = 50)
    void welcome(
            @ForAll @IntRange(min = 1, max = Integer.MAX_VALUE) final int maxRequestLength,
            @ForAll @IntRange(min = 1, max = WelcomeFrame.MAX_CREDITS) final int credits,
            @ForAll @IntRange(min = 0, max = WelcomeFrame.MAX_CREDITS) final int putCredits,
            @ForAll @IntRange(min = 0, max = Integer.MAX_VALUE) final int putBytes,
            @ForAll("names") final String transports)
            throws MalformedFrameException {
        final WelcomeFrame frame =
                new WelcomeFrame(
                        proof(), maxRequestLength, credits, putCredits, putBytes, transports);
        check(frame, FrameType.WELCOME, frame::encode, WelcomeFrame::decode);
    }

    @Provide
    Arbitrary<FetchFrame> fetches() {
        return Combinators.combine(
                        Arbitraries.longs(),
                        Arbitraries.integers().greaterOrEqual(0),
                        Arbitraries.integers().greaterOrEqual(0),
                        Arbitraries.longs().greaterOrEqual(0),
                        Arbitraries.integers().greaterOrEqual(0),
                        ids())
                .as(FetchFrame::new);
    }

    @Property(tries = 100)
    void fetch(@ForAll("fetches") final FetchFrame frame) throws MalformedFrameException {
        check(frame, FrameType.FETCH, frame::encode, FetchFrame::decode);
    }

    @Property(tries = 100)
    void data(
            @ForAll final long requestId,
            @ForAll @LongRange(min = Integer.MAX_VALUE) final long partLength,
            @ForAll @LongRange(min = 0) final long rawLength,
            @ForAll @IntRange(min = 1, max = Integer.MAX_VALUE) final int runs,
            @ForAll @IntRange(min = 0, max = Integer.MAX_VALUE) final int length,
            @ForAll @LongRange(min = -1, max = 0xFFFF_FFFFL) final long checksum,
            @ForAll @IntRange(min = 0, max = 9) final int tier,
            @ForAll @LongRange(min = -1) final long records,
            @ForAll final int guard)
            throws MalformedFrameException {
        final DataFrame frame =
                new DataFrame(
                        requestId,
                        partLength,
                        rawLength,
                        runs,
                        length,
                        checksum,
                        tier,
                        records,
                        guard);
        check(frame, FrameType.DATA, frame::encode, body -> DataFrame.decode(body, V));
    }

    @Property(tries = 50)
    void everyTurnedBitOfAnAnswerOrItsFetchIsNoticed(@ForAll("fetches") final FetchFrame fetch) {
        final DataFrame answer =
                DataFrame.answering(fetch, 5_000, 9_000, 3, 700, 0xABCDEF12L, 2, 12, V);
        assertThat(answer.answers(fetch, V)).isTrue();
        assertThat(
                        answer.answers(
                                new FetchFrame(
                                        fetch.requestId(),
                                        fetch.partition(),
                                        fetch.run(),
                                        fetch.offset() ^ 64,
                                        fetch.length(),
                                        fetch.output()),
                                V))
                .isFalse();

        final ByteBuffer encoded = ByteBuffer.allocate(DataFrame.MAX_LENGTH);
        answer.encode(encoded, V);
        for (int bit = FrameHeader.LENGTH * Byte.SIZE; bit < encoded.position() * 8; bit++) {
            final byte[] damaged = encoded.array().clone();
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertThat(isAccepted(damaged, fetch)).as("bit %s", bit).isFalse();
        }
    }

    private static boolean isAccepted(final byte[] frame, final FetchFrame fetch) {
        try {
            return DataFrame.decode(ByteBuffer.wrap(frame).position(FrameHeader.LENGTH), V)
                    .answers(fetch, V);
        } catch (final MalformedFrameException e) {
            return false;
        }
    }

    @Property(tries = 50)
    void refused(
            @ForAll final RefusedFrame.Code code,
            @ForAll @StringLength(max = 100) final String text)
            throws MalformedFrameException {
        final RefusedFrame frame = new RefusedFrame(code, readable(text));
        check(frame, FrameType.REFUSED, frame::encode, RefusedFrame::decode);
    }

    @Property(tries = 50)
    void failed(
            @ForAll final long requestId,
            @ForAll final FailedFrame.Code code,
            @ForAll @StringLength(max = 100) final String text)
            throws MalformedFrameException {
        final FailedFrame frame = new FailedFrame(requestId, code, readable(text));
        check(frame, FrameType.FAILED, frame::encode, FailedFrame::decode);
    }

    @Property(tries = 50)
    void elsewhere(
            @ForAll final long requestId,
            @ForAll final long epoch,
            @ForAll @IntRange(min = 1, max = 65_535) final int port,
            @ForAll @Size(min = 1, max = SegmentPlaces.MAX_COUNT)
                    final List<@From("names") String> hosts)
            throws MalformedFrameException {
        final ElsewhereFrame frame =
                new ElsewhereFrame(
                        requestId,
                        new SegmentPlaces(
                                hosts.stream()
                                        .map(host -> new NodeAddress(host, port))
                                        .map(node -> new SegmentPlace(node, epoch))
                                        .toList()));
        check(frame, FrameType.ELSEWHERE, frame::encode, ElsewhereFrame::decode);
    }

    @Example
    void refusesPlacesThatAreNone() {
        for (final String host : List.of("", "a b", "a\n", "\u00e4", "a".repeat(256))) {
            assertThatThrownBy(() -> new SegmentPlace(new NodeAddress(host, 1), 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("host=" + host);
        }
        assertThatThrownBy(() -> new SegmentPlace(new NodeAddress("a", 0), 1))
                .hasMessage("port=0, expected 1 to 65535");
        final SegmentPlaces place =
                SegmentPlaces.of(new SegmentPlace(new NodeAddress("host", 7), 1));
        for (final int port : new int[] {-1, 0, 65_536}) {
            final ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
            new ElsewhereFrame(1, place).encode(bytes, V);
            bytes.putInt(FrameHeader.LENGTH + 2 * Long.BYTES + Integer.BYTES, port);
            bytes.flip().position(FrameHeader.LENGTH);
            assertThatThrownBy(() -> ElsewhereFrame.decode(bytes))
                    .isInstanceOf(MalformedFrameException.class)
                    .hasMessageContaining("ELSEWHERE frame: port=" + port);
        }
        for (final int count : new int[] {-1, 0, SegmentPlaces.MAX_COUNT + 1}) {
            final ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
            new ElsewhereFrame(1, place).encode(bytes, V);
            bytes.putInt(FrameHeader.LENGTH + Long.BYTES, count);
            bytes.flip().position(FrameHeader.LENGTH);
            assertThatThrownBy(() -> ElsewhereFrame.decode(bytes))
                    .isInstanceOf(MalformedFrameException.class)
                    .hasMessageContaining("ELSEWHERE frame: places=" + count);
        }
        assertThatThrownBy(() -> new SegmentPlaces(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("places=0, expected 1 to 3");
    }

    @Property(tries = 50)
    void join(
            @ForAll final long id,
            @ForAll @Size(min = 1, max = EndpointFrame.MAX_ADDRESS_LENGTH) final byte[] address)
            throws MalformedFrameException {
        final EndpointFrame frame = new EndpointFrame(id, ByteBuffer.wrap(address));
        assertThat(frame.address()).isEqualTo(ByteBuffer.wrap(address));
        check(frame, FrameType.ENDPOINT, frame::encode, EndpointFrame::decode);
    }

    @Provide
    Arbitrary<PutFrame> puts() {
        return Combinators.combine(
                        Arbitraries.longs(),
                        Combinators.combine(
                                        ids(),
                                        Arbitraries.integers().greaterOrEqual(0),
                                        Arbitraries.integers().greaterOrEqual(0))
                                .as(SegmentId::new),
                        Arbitraries.longs().between(0, Long.MAX_VALUE - Integer.MAX_VALUE),
                        Arbitraries.integers().greaterOrEqual(0),
                        Arbitraries.integers())
                .as(PutFrame::new);
    }

    @Property(tries = 100)
    void put(@ForAll("puts") final PutFrame frame) throws MalformedFrameException {
        check(frame, FrameType.PUT, frame::encode, PutFrame::decode);
    }

    @Property(tries = 50)
    void commit(
            @ForAll final long requestId,
            @ForAll @IntRange(min = 0, max = SegmentTable.MAX_SEGMENTS) final int segments,
            @ForAll @IntRange(max = SegmentTable.MAX_TOTAL / 2) final int first,
            @ForAll @IntRange(max = SegmentTable.MAX_TOTAL / 4) final int more,
            @ForAll final int checksum,
            @ForAll("ids") final String output)
            throws MalformedFrameException {
        final CommitFrame frame =
                frame(requestId, segments, first, first + segments + more, checksum, output);
        check(frame, FrameType.COMMIT, frame::encode, body -> CommitFrame.decode(body, V));
    }

    private static CommitFrame frame(
            final long requestId,
            final int segments,
            final int first,
            final int total,
            final int checksum,
            final String output) {
        final int length = segments * SegmentTable.entryLength(V);
        return new CommitFrame(requestId, segments, first, total, length, checksum, output);
    }

    @Property(tries = 50)
    void abort(@ForAll final long requestId, @ForAll("ids") final String output)
            throws MalformedFrameException {
        final AbortFrame frame = new AbortFrame(requestId, output);
        check(frame, FrameType.ABORT, frame::encode, AbortFrame::decode);
    }

    @Property(tries = 50)
    void ack(@ForAll final long requestId, @ForAll final int guard) throws MalformedFrameException {
        final AckFrame frame = new AckFrame(requestId, guard);
        check(frame, FrameType.ACK, frame::encode, AckFrame::decode);
    }

    @Property(tries = 50)
    void call(
            @ForAll final long requestId,
            @ForAll @IntRange(min = 0, max = CallFrame.MAX_LENGTH_OF_CALL) final int length,
            @ForAll final int checksum)
            throws MalformedFrameException {
        final CallFrame frame = new CallFrame(requestId, length, checksum);
        check(frame, FrameType.CALL, frame::encode, CallFrame::decode);
    }

    @Property(tries = 50)
    void answer(
            @ForAll final long requestId,
            @ForAll final int callGuard,
            @ForAll @IntRange(min = 0, max = CallFrame.MAX_LENGTH_OF_CALL) final int length,
            @ForAll final int checksum)
            throws MalformedFrameException {
        final AnswerFrame frame = new AnswerFrame(requestId, callGuard, length, checksum);
        check(frame, FrameType.ANSWER, frame::encode, AnswerFrame::decode);
    }

    @Property(tries = 50)
    void anAnswerFitsItsOwnBytesAndCallOnly(@ForAll @Size(max = 60) final byte[] bytes) {
        final CallFrame call = new CallFrame(7, 3, 12_345);
        final AnswerFrame answer = AnswerFrame.of(call, V, ByteBuffer.wrap(bytes));
        assertThat(answer.fits(ByteBuffer.wrap(bytes))).isTrue();
        assertThat(answer.callGuard()).isEqualTo(call.guard(V));
        assertThat(new CallFrame(7, 3, 12_344).guard(V)).isNotEqualTo(call.guard(V));
        assertThat(answer.fits(ByteBuffer.wrap(Arrays.copyOf(bytes, bytes.length + 1)))).isFalse();
        for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
            final byte[] damaged = bytes.clone();
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertThat(answer.fits(ByteBuffer.wrap(damaged))).isFalse();
        }
    }

    @Property(tries = 50)
    void everyTurnedBitOfAPutIsNoticed(@ForAll("puts") final PutFrame put) {
        final ByteBuffer encoded = ByteBuffer.allocate(PutFrame.MAX_LENGTH);
        put.encode(encoded, V);
        assertThat(put.guard(V)).isEqualTo(encoded.getInt(encoded.position() - Integer.BYTES));
        for (int bit = FrameHeader.LENGTH * Byte.SIZE; bit < encoded.position() * 8; bit++) {
            final byte[] damaged = Arrays.copyOf(encoded.array(), encoded.position());
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertThatThrownBy(
                            () ->
                                    PutFrame.decode(
                                            ByteBuffer.wrap(damaged).position(FrameHeader.LENGTH)))
                    .as("bit %s", bit)
                    .isInstanceOf(MalformedFrameException.class);
        }
    }

    @Property(tries = 50)
    void segmentTable(@ForAll @Size(max = 50) final List<@From("entries") Segment> segments)
            throws MalformedFrameException {
        final ByteBuffer table = SegmentTable.encode(segments, V);
        assertThat(table.remaining()).isEqualTo(segments.size() * SegmentTable.entryLength(V));
        assertThat(SegmentTable.decode(table.duplicate(), V)).isEqualTo(segments);
        if (!segments.isEmpty()) {
            table.putInt(0, -1);
            assertThatThrownBy(() -> SegmentTable.decode(table.duplicate(), V))
                    .isInstanceOf(MalformedFrameException.class)
                    .hasMessageContaining("partition=-1");
            final ByteBuffer cut = table.duplicate().position(1);
            cut.putInt(1, 0);
            assertThatThrownBy(() -> SegmentTable.decode(cut, V))
                    .isInstanceOf(MalformedFrameException.class);
        }
    }

    @Provide
    Arbitrary<Segment> entries() {
        return Combinators.combine(
                        Arbitraries.integers().greaterOrEqual(0),
                        Arbitraries.integers().greaterOrEqual(0),
                        Arbitraries.longs().greaterOrEqual(0),
                        Arbitraries.longs().greaterOrEqual(0),
                        Arbitraries.integers(),
                        Arbitraries.longs().between(-1, 0xFFFF_FFFEL))
                .as(Segment::new);
    }

    @Example
    void refusesPutsOutOfRange() {
        final SegmentId segment = new SegmentId("output", 0);
        for (final PutFrame wrong :
                List.of(
                        new PutFrame(1, segment, -1, 1, 0),
                        new PutFrame(1, segment, 0, -1, 0),
                        new PutFrame(1, segment, Long.MAX_VALUE, 1, 0))) {
            final ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
            wrong.encode(bytes, V);
            final ByteBuffer body = bytes.flip().position(FrameHeader.LENGTH);
            assertThatThrownBy(() -> PutFrame.decode(body))
                    .isInstanceOf(MalformedFrameException.class)
                    .hasMessageContaining("expected");
        }
        final int tooMany = SegmentTable.MAX_SEGMENTS + 1;
        final int most = SegmentTable.MAX_TOTAL;
        assertRefused(frame(1, tooMany, 0, tooMany, 0, "output"), "segments=524289");
        assertRefused(frame(1, 2, most - 1, most, 0, "output"), "first=16777215");
        assertRefused(frame(1, 2, 1, 2, 0, "output"), "total=2, expected 3 to");
        assertRefused(frame(1, 2, 0, most + 1, 0, "output"), "total=16777217");
    }

    private static void assertRefused(final CommitFrame wrong, final String message) {
        final ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
        wrong.encode(bytes, V);
        final ByteBuffer body = bytes.flip().position(FrameHeader.LENGTH);
        assertThatThrownBy(() -> CommitFrame.decode(body, V)).hasMessageContaining(message);
    }

    @Example
    void joinsWithAnAddressOnly() {
        for (final int length : new int[] {0, EndpointFrame.MAX_ADDRESS_LENGTH + 1}) {
            assertThatThrownBy(() -> new EndpointFrame(1, ByteBuffer.allocate(length)))
                    .hasMessage("address length=" + length + ", expected 1 to 2048");
        }
    }

    /** As it comes out: no control characters, no half pairs, not too long. */
    private static String readable(final String text) {
        final byte[] bytes = Texts.message(text, FailedFrame.MAX_MESSAGE_LENGTH);
        return Texts.printable(new String(bytes, StandardCharsets.UTF_8));
    }

    @Property(tries = 200)
    void cutsLongMessagesBetweenCharacters(@ForAll @StringLength(max = 700) final String text)
            throws MalformedFrameException {
        final ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
        new FailedFrame(1, FailedFrame.Code.NOT_FOUND, text).encode(bytes, V);
        final ByteBuffer body = bytes.flip().position(FrameHeader.LENGTH);
        final String read = FailedFrame.decode(body).message();
        assertThat(read).isEqualTo(readable(text));
        assertThat(read.chars()).noneMatch(Character::isISOControl);
    }

    @Property(tries = 2000)
    void readsNoGarbageAsAnythingElseThanAFrameOrAnError(
            @ForAll final FrameType type, @ForAll @Size(max = 200) final byte[] garbage) {
        final ByteBuffer body = ByteBuffer.wrap(garbage);
        final Throwable thrown =
                catchThrowable(
                        () -> {
                            switch (type) {
                                case HELLO -> HelloFrame.decode(body, V);
                                case CHALLENGE -> ChallengeFrame.decode(body, V);
                                case AUTH -> AuthFrame.decode(body, V);
                                case WELCOME -> WelcomeFrame.decode(body);
                                case REFUSED -> RefusedFrame.decode(body);
                                case FETCH -> FetchFrame.decode(body);
                                case DATA -> DataFrame.decode(body, V);
                                case FAILED -> FailedFrame.decode(body);
                                case PING, PONG -> FrameType.header(body, FrameType.VERSIONS);
                                case ENDPOINT -> EndpointFrame.decode(body);
                                case ELSEWHERE -> ElsewhereFrame.decode(body);
                                case PUT -> PutFrame.decode(body);
                                case COMMIT -> CommitFrame.decode(body, V);
                                case ABORT -> AbortFrame.decode(body);
                                case ACK -> AckFrame.decode(body);
                                case CALL -> CallFrame.decode(body);
                                case ANSWER -> AnswerFrame.decode(body);
                            }
                        });
        assertThat(thrown == null || thrown instanceof MalformedFrameException)
                .as("%s", thrown)
                .isTrue();
    }

    @Property(tries = 2000)
    void readsHeadersWithinTheirBoundsOnly(
            @ForAll final byte type, @ForAll final byte version, @ForAll final int length) {
        final ByteBuffer bytes = ByteBuffer.allocate(FrameHeader.LENGTH);
        bytes.put(type).put(version).putInt(length).flip();
        try {
            final FrameHeader<FrameType> header = FrameType.header(bytes, FrameType.VERSIONS);
            assertThat(FrameType.VERSIONS.contains(version)).isTrue();
            assertThat(header.bodyLength()).isBetween(0, FrameType.MAX_BODY_LENGTH);
        } catch (final MalformedFrameException e) {
            assertThat(e).hasMessageContaining("expected");
        }
    }

    @Example
    void everyBodyFitsTheLongestFrame() {
        for (final FrameType type : FrameType.values()) {
            assertThat(type.body().least()).isBetween(0, type.body().most());
            assertThat(type.body().most()).isLessThanOrEqualTo(FrameType.MAX_BODY_LENGTH);
            assertThat(FrameType.values()[type.code() - 1]).isSameAs(type);
        }
    }

    @Example
    void refusesFieldsOutOfRange() {
        assertMalformed(new FetchFrame(1, -1, 0, 0, 1, "a")::encode, "partition=-1");
        assertMalformed(new FetchFrame(1, 0, -1, 0, 1, "a")::encode, "run=-1");
        assertMalformed(new DataFrame(1, 5, 5, 0, 5, -1, 0, 0, 0)::encode, "runs=0");
        assertMalformed(new FetchFrame(1, 0, 0, -1, 1, "a")::encode, "offset=-1");
        assertMalformed(new FetchFrame(1, 0, 0, 0, -1, "a")::encode, "length=-1");
        assertMalformed(new DataFrame(1, 5, 5, 1, 6, -1, 0, 0, 0)::encode, "length=6");
        assertMalformed(new DataFrame(1, -5, 5, 1, 0, -1, 0, 0, 0)::encode, "partLength=-5");
        assertMalformed(new DataFrame(1, 5, 5, 1, 5, -2, 0, 0, 0)::encode, "checksum=-2");
        assertMalformed(new DataFrame(1, 5, 5, 1, 5, 1L << 32, 0, 0, 0)::encode, "checksum=429");
        assertMalformed(new DataFrame(1, 5, 5, 1, 5, 0, -1, 0, 0)::encode, "tier=-1");
        assertMalformed(new DataFrame(1, 5, 5, 1, 5, 0, 0, -2, 0)::encode, "records=-2");
        assertMalformed(new CallFrame(1, 1_048_577, 0)::encode, "length=1048577");
        assertMalformed(new AnswerFrame(1, 0, -1, 0)::encode, "length=-1");
    }

    @Property(tries = 500)
    void readsNoNameThatIsNoOpaqueId(@ForAll("bytes") final byte[] name) {
        final String text = new String(name, StandardCharsets.ISO_8859_1);
        final ByteBuffer fetch = ByteBuffer.allocate(CAPACITY);
        new FetchFrame(1, 0, 0, 0, 1, "x").encode(fetch, V);
        fetch.position(FrameHeader.LENGTH + 2 * Long.BYTES + 3 * Integer.BYTES);
        fetch.putShort((short) name.length).put(name).flip().position(FrameHeader.LENGTH);
        final ByteBuffer hello = ByteBuffer.allocate(CAPACITY);
        Nonce.random(RANDOM).encode(hello);
        hello.putInt(0)
                .putInt(12)
                .putInt(13)
                .putInt(1)
                .putShort((short) name.length)
                .put(name)
                .putShort((short) 1)
                .put((byte) '-')
                .putInt(HelloFrame.EMPTY_LINE);
        hello.flip();
        if (OpaqueId.isValid(text)) {
            assertThatCode(() -> assertThat(FetchFrame.decode(fetch).output()).isEqualTo(text))
                    .doesNotThrowAnyException();
            assertThatCode(() -> assertThat(HelloFrame.decode(hello, V).jobId()).isEqualTo(text))
                    .doesNotThrowAnyException();
            return;
        }
        assertThatThrownBy(() -> FetchFrame.decode(fetch))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("FETCH frame: output");
        assertThatThrownBy(() -> HelloFrame.decode(hello, V))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("HELLO frame: jobId");
    }

    @Provide
    Arbitrary<byte[]> bytes() {
        return Arbitraries.strings()
                .withChars("aZ09_-./ \n\0\u00ff")
                .ofMaxLength(8)
                .map(text -> text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Example
    void refusesAWishThatIsNeitherYesNorNo() {
        final ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
        new HelloFrame(Nonce.random(RANDOM), FrameType.VERSIONS, "-", JOB).encode(bytes, V);
        final int body = HelloFrame.MAGIC_LENGTH + FrameHeader.LENGTH;
        bytes.putInt(body + Nonce.LENGTH, 2).flip().position(body);
        assertThatThrownBy(() -> HelloFrame.decode(bytes, V))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("prefetch=2, expected 0 to 1");
    }

    private static void assertMalformed(final FrameLayout frame, final String field) {
        final ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
        frame.encode(bytes, V);
        bytes.flip();
        assertThatThrownBy(
                        () -> {
                            switch (FrameType.header(bytes, FrameType.VERSIONS).type()) {
                                case FETCH -> FetchFrame.decode(bytes);
                                case DATA -> DataFrame.decode(bytes, V);
                                case CALL -> CallFrame.decode(bytes);
                                case ANSWER -> AnswerFrame.decode(bytes);
                                default -> throw new AssertionError("no decoder in this test");
                            }
                        })
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining(field);
    }

    @Example
    void refusesToWriteNamesThatDoNotFit() {
        final FetchFrame tooLong =
                new FetchFrame(1, 0, 0, 0, 1, "a".repeat(OpaqueId.MAX_LENGTH + 1));
        assertThatThrownBy(() -> tooLong.encode(ByteBuffer.allocate(CAPACITY), V))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("output=");
        final HelloFrame empty = new HelloFrame(Nonce.random(RANDOM), FrameType.VERSIONS, "-", "");
        assertThatThrownBy(() -> empty.encode(ByteBuffer.allocate(CAPACITY), V))
                .isInstanceOf(IllegalArgumentException.class);
    }

    // ---- proofs --------------------------------------------------------------------------------

    @Example
    void aProofDependsOnAllThatItCovers() {
        final VersionRange all = FrameType.VERSIONS;
        final VersionRange newest = VersionRange.only(V);
        final WelcomeFrame welcome = WelcomeFrame.unproved(100, 2, 3, 4, "tcp,ucx=h:1");
        final Transcript transcript = transcript(all, all, 5, JOB);
        final Proof ofClient = transcript.ofClient(SECRET);
        final Proof ofNode = transcript.ofNode(SECRET, welcome);
        assertThat(transcript(all, all, 5, JOB).ofClient(SECRET)).isEqualTo(ofClient);
        assertThat(transcript(all, all, 5, JOB).ofNode(SECRET, welcome.withProof(ofNode)))
                .isEqualTo(ofNode);
        assertThat(ofNode).isNotEqualTo(ofClient);
        assertThat(transcript.ofClient("another".getBytes(StandardCharsets.US_ASCII)))
                .isNotEqualTo(ofClient);
        assertThat(
                        List.of(
                                transcript(newest, all, 5, JOB),
                                transcript(all, newest, 5, JOB),
                                transcript(all, all, 6, JOB),
                                transcript(all, all, 5, JOB + "1"),
                                new Transcript(
                                        new HelloFrame(ONE, all, "10.0.0.8:13562", JOB),
                                        new ChallengeFrame(5, TWO, Protection.INTEGRITY, all),
                                        V),
                                new Transcript(
                                        new HelloFrame(TWO, all, ADDRESS, JOB),
                                        new ChallengeFrame(5, TWO, Protection.INTEGRITY, all),
                                        V),
                                new Transcript(
                                        new HelloFrame(ONE, all, ADDRESS, JOB),
                                        new ChallengeFrame(5, ONE, Protection.INTEGRITY, all),
                                        V),
                                new Transcript(
                                        new HelloFrame(ONE, true, false, all, ADDRESS, JOB),
                                        new ChallengeFrame(5, TWO, Protection.INTEGRITY, all),
                                        V),
                                new Transcript(
                                        new HelloFrame(ONE, all, ADDRESS, JOB),
                                        new ChallengeFrame(5, TWO, Protection.AUTHENTICATION, all),
                                        V),
                                new Transcript(
                                        new HelloFrame(ONE, false, true, all, ADDRESS, JOB),
                                        new ChallengeFrame(5, TWO, Protection.INTEGRITY, all),
                                        V)))
                .noneMatch(other -> other.ofClient(SECRET).matches(ofClient))
                .noneMatch(other -> other.ofNode(SECRET, welcome).matches(ofNode));
        assertThat(transcript.ofNode(SECRET, WelcomeFrame.unproved(100, 2, 3, 4, "tcp,ucx=x:1")))
                .isNotEqualTo(ofNode);
    }

    @Example
    void noncesDiffer() {
        assertThat(Nonce.random(RANDOM)).isNotEqualTo(Nonce.random(RANDOM));
    }
}
