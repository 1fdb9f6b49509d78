// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.placement.secret.SealedSecret;
import io.spillway.placement.status.StatusPart;
import io.spillway.placement.status.StatusRequest;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OpaqueId;
import io.spillway.transport.SegmentPlace;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Every message reads as it was written; whatever else comes is a message or a clear error. */
class PlacementMessagesTest {
    private static final int MAX_FLIPS = 400;

    private interface Decoder<T> {
        T decode(ByteBuffer message) throws MalformedFrameException;
    }

    private static <T> void check(
            final T message, final ByteBuffer bytes, final MessageKind kind, final Decoder<T> to)
            throws MalformedFrameException {
        assertThat(MessageKind.of(bytes)).isEqualTo(kind);
        assertThat(to.decode(bytes)).isEqualTo(message);
        assertThat(bytes.position()).isZero();
        refusesOtherLengths(bytes, to);
        survivesFlips(bytes, to);
    }

    private static <T> void refusesOtherLengths(final ByteBuffer bytes, final Decoder<T> to) {
        final int length = bytes.remaining();
        final int step = Math.max(1, length / MAX_FLIPS);
        for (int cut = 0; cut < length; cut += step) {
            final ByteBuffer part = bytes.duplicate().limit(cut);
            assertThatThrownBy(() -> to.decode(part))
                    .isInstanceOf(MalformedFrameException.class)
                    .hasMessageContaining("expected");
        }
        final ByteBuffer longer = ByteBuffer.allocate(length + 1).put(bytes.duplicate());
        assertThatThrownBy(() -> to.decode(longer.rewind()))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("bytes after the last field=1");
    }

    private static <T> void survivesFlips(final ByteBuffer bytes, final Decoder<T> to) {
        final int bits = bytes.remaining() * Byte.SIZE;
        final Random random = new Random(bits);
        for (int i = 0; i < Math.min(bits, MAX_FLIPS); i++) {
            final int bit = bits <= MAX_FLIPS ? i : random.nextInt(bits);
            final ByteBuffer flipped = ByteBuffer.allocate(bytes.remaining());
            flipped.put(bytes.duplicate()).flip();
            final int at = bit / Byte.SIZE;
            flipped.put(at, (byte) (flipped.get(at) ^ (1 << (bit % Byte.SIZE))));
            decodesOrRefuses(flipped, to);
        }
    }

    private static void decodesOrRefuses(final ByteBuffer bytes, final Decoder<?> to) {
        try {
            assertThat(to.decode(bytes)).isNotNull();
        } catch (final MalformedFrameException e) {
            assertThat(e).hasMessageContaining("expected");
        } catch (final RuntimeException e) {
            fail("expected a message or a MalformedFrameException", e);
        }
    }

    // ---- what messages consist of --------------------------------------------------------------

    @Provide
    Arbitrary<String> ids() {
        return Arbitraries.strings()
                .alpha()
                .numeric()
                .withChars('_', '-')
                .ofMinLength(1)
                .ofMaxLength(OpaqueId.MAX_LENGTH - 1)
                .map(rest -> "j" + rest);
    }

    private static Arbitrary<String> names() {
        return Arbitraries.strings()
                .withCharRange('!', '~')
                .ofMinLength(1)
                .ofMaxLength(SegmentPlace.MAX_HOST_LENGTH);
    }

    private static Arbitrary<NodeAddress> addresses() {
        return Combinators.combine(names(), Arbitraries.integers().between(1, 65_535))
                .as(NodeAddress::new);
    }

    private static Arbitrary<SegmentPlace> places() {
        return Combinators.combine(addresses(), Arbitraries.longs()).as(SegmentPlace::new);
    }

    private static Arbitrary<Long> sizes() {
        return Arbitraries.longs().between(0, NodeSpace.MAX_BYTES);
    }

    private static Arbitrary<Long> versions() {
        return Arbitraries.longs().greaterOrEqual(0);
    }

    private Arbitrary<SealedJob> jobs() {
        final Arbitrary<SealedSecret> secrets =
                Arbitraries.bytes()
                        .array(byte[].class)
                        .ofMinSize(SealedSecret.MIN_LENGTH)
                        .ofMaxSize(100)
                        .map(SealedSecret::new);
        final Arbitrary<String> users =
                Arbitraries.of("alice", "jürgen", "a b", "u".repeat(SealedJob.MAX_USER_LENGTH));
        return Combinators.combine(ids(), users, secrets)
                .as((id, user, secret) -> new SealedJob(id, user, secret));
    }

    private Arbitrary<JobOutputs> held() {
        final Arbitrary<CommittedOutput> outputs =
                Combinators.combine(ids(), sizes()).as(CommittedOutput::new);
        return Combinators.combine(ids(), outputs.list().ofMaxSize(5)).as(JobOutputs::new);
    }

    private static Arbitrary<TableVersion> tableVersions() {
        return Combinators.combine(Arbitraries.longs(), versions(), versions())
                .as(TableVersion::new);
    }

    private static Arbitrary<Boolean> flags() {
        return Arbitraries.of(true, false);
    }

    @Provide
    Arbitrary<NodeReport> reports() {
        final Arbitrary<NodeIdentity> nodes =
                Combinators.combine(names(), places()).as(NodeIdentity::new);
        final Arbitrary<NodeSpace> spaces =
                Combinators.combine(flags(), sizes(), sizes(), sizes(), sizes()).as(NodeSpace::new);
        final Arbitrary<ReportPart> parts =
                Combinators.combine(flags(), Arbitraries.integers().greaterOrEqual(0), flags())
                        .as(ReportPart::new);
        final Arbitrary<ReportContent> contents =
                Combinators.combine(
                                ids().list().ofMaxSize(4),
                                jobs().list().ofMaxSize(3),
                                held().list().ofMaxSize(4))
                        .as(ReportContent::new);
        final Arbitrary<Integer> versions =
                Arbitraries.integers().between(MessageKind.V2, MessageKind.V3);
        return Combinators.combine(nodes, spaces, tableVersions(), parts, contents, versions)
                .as(NodeReport::new);
    }

    @Provide
    Arbitrary<NodeOrders> orders() {
        final Arbitrary<TableChanges> changes =
                Combinators.combine(
                                tableVersions(),
                                flags(),
                                flags(),
                                flags(),
                                jobs().list().ofMaxSize(4),
                                ids().list().ofMaxSize(4),
                                ids().list().ofMaxSize(4))
                        .as(TableChanges::new);
        final Arbitrary<Integer> intervals =
                Arbitraries.integers()
                        .between(NodeOrders.MIN_INTERVAL_MILLIS, NodeOrders.MAX_INTERVAL_MILLIS);
        return Combinators.combine(changes, flags(), intervals).as(NodeOrders::new);
    }

    @Provide
    Arbitrary<LeaseRequest> leases() {
        return Combinators.combine(
                        ids(),
                        sizes(),
                        Arbitraries.integers().between(1, LeaseRequest.MAX_COPIES),
                        Arbitraries.of(LeasePolicy.class),
                        names(),
                        addresses().list().ofMaxSize(LeaseRequest.MAX_EXCLUDED))
                .as(LeaseRequest::new);
    }

    @Provide
    Arbitrary<List<SegmentPlace>> copies() {
        return places().list().ofMaxSize(LeaseRequest.MAX_COPIES);
    }

    @Provide
    Arbitrary<List<List<SegmentPlace>>> located() {
        return copies().list().ofMaxSize(6);
    }

    /** Each of its jobs with another kind of key. */
    private static TableChanges keyed(final TableChanges changes) {
        final SealedJob.Key[] keys = SealedJob.Key.values();
        final List<SealedJob> jobs = new ArrayList<>();
        changes.jobs().forEach(job -> jobs.add(job.with(keys[jobs.size() % keys.length])));
        return changes.withJobs(jobs);
    }

    private static NodeOrders decodedAs2(final NodeOrders orders) throws MalformedFrameException {
        return NodeOrders.decode(orders.encode(MessageKind.V2));
    }

    // ---- messages ------------------------------------------------------------------------------

    @Property(tries = 60)
    void report(@ForAll("reports") final NodeReport message) throws MalformedFrameException {
        check(message, message.encode(), MessageKind.REPORT, NodeReport::decode);
    }

    @Property(tries = 60)
    void orders(@ForAll("orders") final NodeOrders message) throws MalformedFrameException {
        check(message, message.encode(MessageKind.V2), MessageKind.ORDERS, NodeOrders::decode);
        final NodeOrders keyed = message.with(keyed(message.changes()));
        check(keyed, keyed.encode(MessageKind.V3), MessageKind.ORDERS, NodeOrders::decode);
        assertThat(decodedAs2(keyed)).as("to a node that knows no keys").isEqualTo(message);
    }

    @Property(tries = 60)
    void lease(@ForAll("leases") final LeaseRequest message) throws MalformedFrameException {
        check(message, message.encode(), MessageKind.LEASE, LeaseRequest::decode);
    }

    @Property(tries = 40)
    void leased(@ForAll("copies") final List<SegmentPlace> places) throws MalformedFrameException {
        final LeaseAnswer message = new LeaseAnswer(places);
        check(message, message.encode(), MessageKind.LEASED, LeaseAnswer::decode);
    }

    @Property(tries = 40)
    void locate(@ForAll @Size(max = 8) final List<@From("ids") String> outputs)
            throws MalformedFrameException {
        final LocateRequest message = new LocateRequest(outputs);
        check(message, message.encode(), MessageKind.LOCATE, LocateRequest::decode);
    }

    @Property(tries = 40)
    void located(@ForAll("located") final List<List<SegmentPlace>> places)
            throws MalformedFrameException {
        final LocateAnswer message = new LocateAnswer(places);
        check(message, message.encode(), MessageKind.LOCATED, LocateAnswer::decode);
    }

    @Property(tries = 2000)
    void readsNoGarbageAsAnythingElseThanAMessageOrAnError(
            @ForAll final MessageKind kind,
            @ForAll @IntRange(min = MessageKind.V2, max = MessageKind.V3) final int version,
            @ForAll @Size(max = 200) final byte[] garbage) {
        final ByteBuffer bytes = ByteBuffer.allocate(garbage.length + 2);
        bytes.put(kind.code()).put((byte) version).put(garbage).flip();
        decodesOrRefuses(
                bytes,
                switch (kind) {
                    case REPORT -> NodeReport::decode;
                    case ORDERS -> NodeOrders::decode;
                    case LEASE -> LeaseRequest::decode;
                    case LEASED -> LeaseAnswer::decode;
                    case LOCATE -> LocateRequest::decode;
                    case LOCATED -> LocateAnswer::decode;
                    case STATUS -> StatusRequest::decode;
                    case STATUS_PART -> StatusPart::decode;
                });
    }

    @Example
    void namesWhatIsNoMessageOfItsKindOrVersion() {
        final ByteBuffer lease = leaseOf("o1").encode();
        assertThatThrownBy(() -> NodeReport.decode(lease))
                .hasMessage("placement frame: type=LEASE, expected REPORT");
        lease.put(MessageKind.VERSION_OFFSET, (byte) 9);
        assertThatThrownBy(() -> LeaseRequest.decode(lease))
                .hasMessage("LEASE frame: version=9, expected 2 to 3");
        lease.put(FrameHeader.TYPE_OFFSET, (byte) 77);
        assertThatThrownBy(() -> MessageKind.of(lease))
                .hasMessage("placement frame: type=77, expected 1 to 8");
        final ByteBuffer tooLong = ByteBuffer.allocate(MessageKind.MAX_LENGTH + 1);
        tooLong.put(MessageKind.LEASE.code()).put((byte) MessageKind.V2).rewind();
        assertThatThrownBy(() -> MessageKind.of(tooLong))
                .hasMessage("LEASE frame: body length=1048575, expected 0 to 1048574");
    }

    private static LeaseRequest leaseOf(final String output) {
        return new LeaseRequest(output, 1, 1, LeasePolicy.EVERY_NODE, "h", List.of());
    }

    /** The lists are as long as they may be, and so is every text in them. */
    @Example
    void theLargestMessagesFit() throws MalformedFrameException {
        final String id = "i".repeat(OpaqueId.MAX_LENGTH);
        final String host = "h".repeat(SegmentPlace.MAX_HOST_LENGTH);
        final SegmentPlace place = new SegmentPlace(new NodeAddress(host, 65_535), -1);
        final SealedJob job =
                new SealedJob(
                        id,
                        "u".repeat(SealedJob.MAX_USER_LENGTH),
                        new SealedSecret(new byte[SealedSecret.MAX_LENGTH]));
        final JobOutputs held = new JobOutputs(id, List.of(new CommittedOutput(id, 1)));
        final NodeReport report =
                new NodeReport(
                        new NodeIdentity(host, place),
                        new NodeSpace(true, 1, 1),
                        TableVersion.NONE,
                        new ReportPart(true, 0, true),
                        new ReportContent(
                                Collections.nCopies(ReportContent.MAX_KNOWN_JOBS, id),
                                Collections.nCopies(ReportContent.MAX_JOBS, job),
                                Collections.nCopies(ReportContent.MAX_OUTPUTS, held)));
        assertThat(NodeReport.decode(report.encode())).isEqualTo(report);
        final NodeOrders orders =
                new NodeOrders(
                        new TableChanges(
                                TableVersion.NONE,
                                true,
                                true,
                                true,
                                Collections.nCopies(TableChanges.MAX_JOBS, job),
                                Collections.nCopies(TableChanges.MAX_IDS, id),
                                Collections.nCopies(TableChanges.MAX_IDS, id)),
                        true,
                        1000);
        assertThat(NodeOrders.decode(orders.encode(MessageKind.V3))).isEqualTo(orders);
        final LocateAnswer located =
                new LocateAnswer(
                        Collections.nCopies(
                                LocateRequest.MAX_OUTPUTS,
                                Collections.nCopies(LeaseRequest.MAX_COPIES, place)));
        assertThat(LocateAnswer.decode(located.encode())).isEqualTo(located);
        final LocateRequest locate =
                new LocateRequest(Collections.nCopies(LocateRequest.MAX_OUTPUTS, id));
        assertThat(LocateRequest.decode(locate.encode())).isEqualTo(locate);
    }

    @Example
    void aJobIsNeitherTheClustersNorAPath() {
        final SealedSecret secret = new SealedSecret(new byte[SealedSecret.MIN_LENGTH]);
        assertThatThrownBy(() -> new SealedJob(ClusterSecret.CALLER_ID, "alice", secret))
                .hasMessage("jobId=spillway-cluster, expected that of a job");
        for (final String user : List.of("", ".", "..", "../root", "a\nb", "u".repeat(257))) {
            assertThatThrownBy(() -> new SealedJob("job_1_1", user, secret))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("expected a user's name of 1 to 256 printable bytes");
        }
    }

    @Example
    void aUserIsCheckedAsItComesIn() {
        final SealedSecret secret = new SealedSecret(new byte[SealedSecret.MIN_LENGTH]);
        final NodeOrders orders =
                new NodeOrders(
                        new TableChanges(
                                TableVersion.NONE,
                                false,
                                false,
                                false,
                                List.of(new SealedJob("job_1_1", "a..", secret)),
                                List.of(),
                                List.of()),
                        false,
                        1000);
        final ByteBuffer bytes = orders.encode(MessageKind.V2);
        for (int i = 0; i < bytes.limit(); i++) {
            if (bytes.get(i) == 'a') {
                bytes.put(i, (byte) '/');
            }
        }
        assertThatThrownBy(() -> NodeOrders.decode(bytes))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessage(
                        "ORDERS frame: user=/.., expected a user's name of 1 to 256 printable"
                                + " bytes");
    }

    @Example
    void refusesToMakeWhatWouldNotBeRead() {
        assertThatThrownBy(() -> leaseOf("../x")).hasMessageContaining("output=../x");
        assertThatThrownBy(() -> new NodeSpace(false, -1, 0)).hasMessageContaining("capacity=-1");
        assertThatThrownBy(() -> new NodeSpace(false, 0, 0, 0, (1L << 50) + 1))
                .hasMessageContaining("overflowUsed=" + ((1L << 50) + 1));
        assertThatThrownBy(() -> new CommittedOutput("o", 1L << 51))
                .hasMessageContaining("bytes=" + (1L << 51));
        assertThatThrownBy(
                        () ->
                                new ReportContent(
                                        List.of(),
                                        List.of(),
                                        Collections.nCopies(
                                                ReportContent.MAX_OUTPUTS + 1,
                                                new JobOutputs("j", List.of()))))
                .hasMessage("outputs=2049, expected 0 to 2048 in one report");
        assertThatThrownBy(() -> new NodeIdentity("a b", new NodeAddress("h", 1), 1))
                .hasMessageContaining("node=a b");
    }
}
