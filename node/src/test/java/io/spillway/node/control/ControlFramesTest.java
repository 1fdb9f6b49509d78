// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.serve.ServedJob;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

class ControlFramesTest {
    private static final String JOB = "job_1700000000000_0001";

    private interface Decoder {
        Object decode(ControlFrame frame) throws MalformedFrameException;
    }

    /** The header says what the frame is, and the body reads as it was written, to its end. */
    private static void check(
            final Object expected,
            final ControlFrameType type,
            final ByteBuffer bytes,
            final Decoder decoder)
            throws MalformedFrameException {
        final FrameHeader<ControlFrameType> header =
                ControlFrameType.FRAMES.header(bytes, ControlFrameType.VERSIONS);
        assertThat(header.type()).isEqualTo(type);
        assertThat(header.bodyLength()).isEqualTo(bytes.remaining());
        final int length = bytes.remaining();
        final ControlFrame whole = new ControlFrame(type, bytes.duplicate());
        assertThat(decoder.decode(whole)).isEqualTo(expected);
        for (final int cut : new int[] {1, length / 2, length}) {
            if (cut > 0 && cut <= length) {
                final ByteBuffer part = bytes.duplicate();
                part.limit(part.limit() - cut);
                assertThatThrownBy(() -> decoder.decode(new ControlFrame(type, part)))
                        .isInstanceOf(MalformedFrameException.class)
                        .hasMessageContaining("expected");
            }
        }
        final ByteBuffer longer = ByteBuffer.allocate(length + 1).put(bytes.duplicate());
        assertThatThrownBy(() -> decoder.decode(new ControlFrame(type, longer.rewind())))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("bytes after the last field=1");
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings().withCharRange('!', '~').ofMinLength(1).ofMaxLength(64);
    }

    @Provide
    Arbitrary<Path> paths() {
        return Arbitraries.strings()
                .alpha()
                .numeric()
                .withChars(' ', '_', '-')
                .ofMinLength(1)
                .ofMaxLength(40)
                .list()
                .ofMinSize(1)
                .ofMaxSize(5)
                .map(parts -> Path.of("/" + String.join("/", parts)));
    }

    @Provide
    Arbitrary<ManagerHello> hellos() {
        final Arbitrary<NodeAddress> addresses =
                Combinators.combine(names(), Arbitraries.integers().between(0, 65_535))
                        .as(NodeAddress::new);
        final Arbitrary<ManagerHello.Store> stores =
                Combinators.combine(
                                Arbitraries.of("memory", "nvm"),
                                paths(),
                                Arbitraries.longs().greaterOrEqual(0))
                        .as(ManagerHello.Store::new);
        return Combinators.combine(
                        names(),
                        addresses,
                        paths().list().ofMaxSize(10),
                        stores.list().ofMaxSize(4))
                .as(ManagerHello::new);
    }

    @Property(tries = 200)
    void hello(@ForAll("hellos") final ManagerHello frame) throws MalformedFrameException {
        check(
                frame,
                ControlFrameType.HELLO,
                frame.encode(),
                read -> ManagerHello.decode(read.body()));
    }

    @Property(tries = 100)
    void welcome(
            @ForAll final long epoch,
            @ForAll @LongRange(min = 0) final long pid,
            @ForAll("names") final String host,
            @ForAll @IntRange(min = 0, max = 65_535) final int port,
            @ForAll @IntRange(min = 0, max = NodeWelcome.MAX_OFFERS) final int offers)
            throws MalformedFrameException {
        final NodeWelcome frame =
                new NodeWelcome(
                        epoch,
                        pid,
                        Collections.nCopies(
                                offers, new TransportOffer("ucx", new NodeAddress(host, port))));
        check(
                frame,
                ControlFrameType.WELCOME,
                frame.encode(),
                read -> NodeWelcome.decode(read.body()));
    }

    @Property(tries = 100)
    void job(
            @ForAll @LongRange(min = 0) final long time,
            @ForAll @IntRange(min = 0) final int number,
            @ForAll @Size(min = 1, max = 300) final byte[] secret)
            throws MalformedFrameException {
        final ServedJob frame = new ServedJob("job_" + time + "_" + number, "alice", secret);
        check(
                frame,
                ControlFrameType.JOB,
                JobNotice.encode(frame),
                read -> JobNotice.decode(read.body()));
        assertThat(frame.toString()).isEqualTo("ServedJob[" + frame.jobId() + ", user=alice]");
    }

    @Example
    void events() throws MalformedFrameException {
        for (final ControlFrameType type :
                List.of(ControlFrameType.JOB_ENDED, ControlFrameType.TASK_ENDED)) {
            final JobEvent frame = new JobEvent(type, JOB);
            check(frame, type, frame.encode(), JobEvent::decode);
        }
    }

    @Property(tries = 100)
    void status(@ForAll @StringLength(max = 2000) final String text)
            throws MalformedFrameException {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final StatusReply frame = new StatusReply(new String(bytes, StandardCharsets.UTF_8));
        check(
                frame,
                ControlFrameType.STATUS_REPORT,
                frame.encode(),
                read -> StatusReply.decode(read.body()));
    }

    @Property(tries = 200)
    void cutsRefusalsBetweenCharactersAndKeepsThemOnOneLine(
            @ForAll @StringLength(max = 700) final String text) throws MalformedFrameException {
        final ByteBuffer bytes = new NodeRefusal(text).encode();
        assertThat(ControlFrameType.FRAMES.header(bytes, ControlFrameType.VERSIONS).type())
                .isEqualTo(ControlFrameType.REFUSED);
        final String read = NodeRefusal.decode(bytes).message();
        assertThat(read.getBytes(StandardCharsets.UTF_8).length)
                .isLessThanOrEqualTo(NodeRefusal.MAX_MESSAGE_LENGTH);
        assertThat(read.chars()).noneMatch(Character::isISOControl);
    }

    @Property(tries = 2000)
    void readsNoGarbageAsAnythingElseThanAFrameOrAnError(
            @ForAll final ControlFrameType type, @ForAll @Size(max = 300) final byte[] garbage) {
        final Throwable thrown =
                catchThrowable(() -> decode(new ControlFrame(type, ByteBuffer.wrap(garbage))));
        assertThat(thrown == null || thrown instanceof MalformedFrameException)
                .as("%s", thrown)
                .isTrue();
    }

    private static void decode(final ControlFrame frame) throws MalformedFrameException {
        switch (frame.type()) {
            case HELLO -> ManagerHello.decode(frame.body());
            case WELCOME -> NodeWelcome.decode(frame.body());
            case REFUSED -> NodeRefusal.decode(frame.body());
            case JOB -> JobNotice.decode(frame.body());
            case JOB_ENDED, TASK_ENDED -> JobEvent.decode(frame);
            case STATUS_REPORT -> StatusReply.decode(frame.body());
            default -> frame.type().reader(frame.body()).end();
        }
    }

    @Property(tries = 2000)
    void readsHeadersWithinTheirBoundsOnly(
            @ForAll final byte version, @ForAll final byte type, @ForAll final int length) {
        final ByteBuffer bytes = ByteBuffer.allocate(FrameHeader.LENGTH);
        bytes.put(type).put(version).putInt(length).flip();
        try {
            final FrameHeader<ControlFrameType> header =
                    ControlFrameType.FRAMES.header(bytes, ControlFrameType.VERSIONS);
            assertThat(ControlFrameType.VERSIONS.contains(version)).isTrue();
            assertThat(header.bodyLength())
                    .isBetween(header.type().body().least(), header.type().body().most());
        } catch (final MalformedFrameException e) {
            assertThat(e).hasMessageContaining("expected");
        }
    }

    @Example
    void everyTypeHasItsCodeAndSoundBounds() {
        for (final ControlFrameType type : ControlFrameType.values()) {
            assertThat(ControlFrameType.values()[type.code() - 1]).isSameAs(type);
            assertThat(type.body().least()).isBetween(0, type.body().most());
            assertThat(type.body().most()).isLessThanOrEqualTo(StatusReply.BODY.most());
        }
    }

    @Example
    void theLargestHelloFits() {
        final Path longest = Path.of("/" + "d".repeat(4095));
        final ManagerHello.Store store = new ManagerHello.Store("m".repeat(16), longest, 1);
        final ManagerHello hello =
                new ManagerHello(
                        "n".repeat(256),
                        new NodeAddress("h".repeat(256), 1),
                        Collections.nCopies(ManagerHello.MAX_LOCAL_DIRS, longest),
                        Collections.nCopies(ManagerHello.MAX_STORES, store));
        assertThat(hello.encode().remaining())
                .isEqualTo(FrameHeader.LENGTH + ManagerHello.BODY.most());
    }

    @Example
    void refusesWhatCouldBecomeAnotherPath() {
        assertMalformed(
                JobNotice.encode(new ServedJob(JOB, "../root", new byte[] {1})), "user=../root");
        assertMalformed(JobNotice.encode(new ServedJob(JOB, "..", new byte[] {1})), "user=..");
        assertMalformed(
                JobNotice.encode(new ServedJob("job_1_1/..", "a", new byte[] {1})),
                "jobId=job_1_1/");
    }

    private static void assertMalformed(final ByteBuffer job, final String field) {
        assertThatThrownBy(
                        () -> {
                            ControlFrameType.FRAMES.header(job, ControlFrameType.VERSIONS);
                            JobNotice.decode(job);
                        })
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining(field);
    }

    @Example
    void refusesToWriteWhatDoesNotFit() {
        assertThatThrownBy(() -> JobNotice.encode(new ServedJob(JOB, "alice", new byte[0])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("secret of " + JOB + " length=0");
        assertThatThrownBy(() -> JobNotice.encode(new ServedJob(JOB, "a\nb", new byte[1])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("user=");
    }
}
