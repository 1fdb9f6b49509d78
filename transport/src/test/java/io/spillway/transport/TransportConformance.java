// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import static io.spillway.transport.FetchRecorder.fetch;
import static io.spillway.transport.TestSegments.JOB;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What every transport does alike; each one's tests are a subclass that says how to start it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class TransportConformance {
    /** The job's shuffle secret. */
    protected static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);

    private static final String OTHER_JOB = "job_1700000000000_0002";
    private static final SegmentId SEGMENT = new SegmentId(attempt(3), 1);

    /** What the node serves. */
    protected TestSegments segments;

    /** The jobs that the node knows. */
    protected final Map<String, byte[]> secrets = new ConcurrentHashMap<>();

    private final List<AutoCloseable> toClose = new ArrayList<>();
    private Node node;
    private Transport transport;

    /** A node under test. */
    public interface Node extends AutoCloseable {
        /** Where it is. */
        NodeAddress address();

        /** Its incarnation. */
        long epoch();

        @Override
        void close();
    }

    /** Starts a node. */
    protected abstract Node startNode(SegmentSource source, JobSecrets jobSecrets) throws Exception;

    /** Whether a client asks the node for each piece that the node has. */
    protected boolean asksNodes() {
        return true;
    }

    /** Makes a client. */
    protected abstract Transport newTransport(Map<String, String> settings);

    @BeforeEach
    void start(@TempDir final Path directory) throws Exception {
        segments = closeLater(new TestSegments(directory));
        segments.add(3, 1000, 300_000, 0, 17);
        secrets.put(JOB, SECRET);
        node = closeLater(startNode(segments, secrets::get));
        transport = closeLater(newTransport(Map.of()));
    }

    @AfterEach
    void stop() throws Exception {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
        assertThat(segments.openSegments()).as("segments left open").isZero();
    }

    /** Closes it after the test, before whatever was started earlier. */
    protected final <T extends AutoCloseable> T closeLater(final T resource) {
        toClose.add(resource);
        return resource;
    }

    /** The client of the test. */
    protected final Transport transport() {
        return transport;
    }

    /** The node of the test. */
    protected final Node node() {
        return node;
    }

    /** Credentials that the node accepts. */
    protected static JobCredentials credentials() {
        return new JobCredentials(JOB, SECRET);
    }

    /** A channel of the test's client to the test's node. */
    protected final Channel open() throws FetchException {
        return transport.open(node.address(), credentials());
    }

    /** How opening a channel fails. */
    protected static Reason reasonOfOpen(
            final Transport client, final NodeAddress address, final JobCredentials credentials) {
        final FetchException failure =
                catchThrowableOfType(
                        FetchException.class,
                        () -> {
                            try (Channel channel = client.open(address, credentials)) {
                                assertThat(channel.isOpen()).as("opened").isFalse();
                            }
                        });
        assertThat(failure).hasMessageContaining(address.toString());
        return failure.reason();
    }

    // ---- bytes ---------------------------------------------------------------------------------

    @Test
    void fetchesAWholeSegment() throws Exception {
        final byte[] expected = segments.bytes(SEGMENT);
        final FetchRecorder fetch = fetch(open(), SEGMENT, 0, expected.length);
        assertThat(fetch.bytes()).isEqualTo(expected);
        assertThat(fetch.reply()).isEqualTo(segments.reply(SEGMENT, 0, expected.length));
    }

    @Test
    void everyAnswerBringsTheChecksumOfWhatTheMapWrote() throws Exception {
        final byte[] expected = segments.bytes(SEGMENT);
        try (Channel channel = open()) {
            for (int round = 0; round < 2; round++) {
                for (int offset = 0; offset < expected.length; offset += 65_536) {
                    final int length = Math.min(65_536, expected.length - offset);
                    assertThat(fetch(channel, SEGMENT, offset, length).reply())
                            .isEqualTo(segments.reply(SEGMENT, offset, length));
                }
                segments.cache();
            }
        }
    }

    @Test
    void damageOfTheFileShowsAsBytesThatTheChecksumIsNotOf() throws Exception {
        final int start = segments.bytes(new SegmentId(SEGMENT.output(), 0)).length;
        segments.damage(3, start + 70_000);
        try (Channel channel = open()) {
            final FetchRecorder whole = fetch(channel, SEGMENT, 0, 65_536);
            final FetchRecorder damaged = fetch(channel, SEGMENT, 65_536, 65_536);
            assertThat(crcOf(whole.bytes())).isEqualTo(whole.reply().checksum());
            assertThat(crcOf(damaged.bytes())).isNotEqualTo(damaged.reply().checksum());
            assertThat(damaged.reply()).isEqualTo(segments.reply(SEGMENT, 65_536, 65_536));
        }
    }

    private static long crcOf(final byte[] bytes) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes);
        return crc.getValue();
    }

    @Test
    void fetchesAnyPiece() throws Exception {
        final byte[] expected = segments.bytes(SEGMENT);
        final Random random = new Random(1);
        try (Channel channel = open()) {
            final Map<FetchRecorder, byte[]> fetches = new HashMap<>();
            for (int i = 0; i < 300; i++) {
                final int offset = random.nextInt(expected.length + 1);
                final int length = random.nextInt(i % 3 == 0 ? 20 : 200_000);
                final int end = Math.min(expected.length, offset + length);
                fetches.put(
                        fetch(channel, SEGMENT, offset, length),
                        Arrays.copyOfRange(expected, offset, end));
            }
            for (final Map.Entry<FetchRecorder, byte[]> fetch : fetches.entrySet()) {
                assertThat(fetch.getKey().bytes()).isEqualTo(fetch.getValue());
                assertThat(fetch.getKey().calls()).isOne();
            }
        }
    }

    @Test
    void fetchesIntoTheMiddleOfDirectMemory() throws Exception {
        final byte[] expected = segments.bytes(SEGMENT);
        final ByteBuffer destination = ByteBuffer.allocateDirect(10_000).position(500).limit(9000);
        final FetchRecorder fetch = fetch(open(), SEGMENT, 123, destination);
        assertThat(fetch.bytes()).isEqualTo(Arrays.copyOfRange(expected, 123, 123 + 8500));
        assertThat(destination.limit()).isEqualTo(9000);
        destination.clear();
        for (int i = 0; i < 500; i++) {
            assertThat(destination.get(i)).isZero();
            assertThat(destination.get(9000 + i)).isZero();
        }
    }

    @Test
    void fetchesEmptySegmentsAndNothing() throws Exception {
        try (Channel channel = open()) {
            final SegmentId empty = new SegmentId(attempt(3), 2);
            assertThat(fetch(channel, empty, 0, 100).reply())
                    .isEqualTo(segments.reply(empty, 0, 0));
            assertThat(fetch(channel, empty, 0, 0).reply()).isEqualTo(segments.reply(empty, 0, 0));
            assertThat(fetch(channel, SEGMENT, 5, 0).reply())
                    .isEqualTo(segments.reply(SEGMENT, 300_000, 0));
        }
    }

    @Test
    void fetchesLessAtTheEndOfASegment() throws Exception {
        final byte[] expected = segments.bytes(SEGMENT);
        try (Channel channel = open()) {
            final FetchRecorder last = fetch(channel, SEGMENT, 299_990, 4096);
            assertThat(last.bytes()).isEqualTo(Arrays.copyOfRange(expected, 299_990, 300_000));
            assertThat(last.reply().length()).isEqualTo(10);
            assertThat(fetch(channel, SEGMENT, 300_000, 4096).reply().length()).isZero();
        }
    }

    @Test
    void pipelinesHundredsOfFetchesOfSeveralThreads() throws Exception {
        for (int map = 10; map < 20; map++) {
            segments.add(map, 5000, 70_000, 1);
        }
        try (Channel channel = open()) {
            final Map<FetchRecorder, byte[]> fetches = new ConcurrentHashMap<>();
            final List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                threads.add(new Thread(() -> fetchAll(channel, fetches)));
            }
            threads.forEach(Thread::start);
            for (final Thread thread : threads) {
                thread.join();
            }
            assertThat(fetches).hasSize(900);
            for (final Map.Entry<FetchRecorder, byte[]> fetch : fetches.entrySet()) {
                assertThat(fetch.getKey().bytes()).isEqualTo(fetch.getValue());
            }
        }
    }

    @Test
    void fetchesAnyPieceThatIsInMemory() throws Exception {
        segments.cache();
        fetchesAnyPiece();
        fetchesEmptySegmentsAndNothing();
        fetchesLessAtTheEndOfASegment();
        pipelinesHundredsOfFetchesOfSeveralThreads();
    }

    // ---- segments without a file ---------------------------------------------------------------

    @Test
    void fetchesAnyPieceThatLiesInNoFile() throws Exception {
        segments.withoutFiles();
        fetchesAnyPiece();
        fetchesIntoTheMiddleOfDirectMemory();
        fetchesEmptySegmentsAndNothing();
        fetchesLessAtTheEndOfASegment();
        pipelinesHundredsOfFetchesOfSeveralThreads();
        everyAnswerBringsTheChecksumOfWhatTheMapWrote();
    }

    /** More at a time than a server holds copies of. */
    @Test
    void fetchesLargeSegmentsWithoutAFileOverManyChannels() throws Exception {
        segments.withoutFiles();
        segments.add(8, 17, 12_000_001);
        final SegmentId large = new SegmentId(attempt(8), 1);
        final byte[] expected = segments.bytes(large);
        final int window = 4 << 20;
        final List<FetchRecorder> fetches = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            final Channel channel = closeLater(open());
            for (int offset = 0; offset < expected.length; offset += window) {
                fetches.add(fetch(channel, large, offset, window));
            }
        }
        for (int i = 0; i < fetches.size(); i++) {
            final int offset = i % 3 * window;
            assertThat(fetches.get(i).bytes())
                    .isEqualTo(
                            Arrays.copyOfRange(
                                    expected, offset, Math.min(offset + window, expected.length)));
        }
    }

    @Test
    void aReadThatFailsInItsMiddleFailsOneFetch() throws Exception {
        segments.withoutFiles();
        segments.failReadsAt(100_000);
        final byte[] expected = segments.bytes(SEGMENT);
        try (Channel channel = open()) {
            final FetchRecorder before = fetch(channel, SEGMENT, 0, 100_000);
            final FetchRecorder across = fetch(channel, SEGMENT, 50_000, 100_000);
            final FetchRecorder again = fetch(channel, SEGMENT, 99_999, 2);
            final FetchRecorder other = fetch(channel, new SegmentId(attempt(3), 0), 0, 1000);
            assertThat(before.bytes()).isEqualTo(Arrays.copyOf(expected, 100_000));
            for (final FetchRecorder failed : List.of(across, again)) {
                assertThat(failed.failure())
                        .hasMessageContaining("a test fails at byte 100000")
                        .extracting(FetchException::reason)
                        .isEqualTo(Reason.SOURCE_FAILED);
            }
            assertThat(other.bytes()).hasSize(1000);
            assertThat(channel.isOpen()).isTrue();
            assertThat(fetch(channel, SEGMENT, 0, 10).bytes()).hasSize(10);
        }
    }

    @Test
    void leavesNothingOpenWhenChannelsEndAmidReads() throws Exception {
        segments.withoutFiles();
        leavesNothingOpenWhenChannelsEndAmidFetches();
    }

    @Test
    void leavesNothingOpenWhenChannelsEndAmidPiecesInMemory() throws Exception {
        segments.cache();
        leavesNothingOpenWhenChannelsEndAmidFetches();
    }

    private void leavesNothingOpenWhenChannelsEndAmidFetches() throws Exception {
        segments.add(7, 4_000_000);
        for (int i = 0; i < 20; i++) {
            try (Channel channel = open()) {
                for (int k = 0; k < 8; k++) {
                    final FetchRecorder unused =
                            fetch(channel, new SegmentId(attempt(7), 0), 0, 4_000_000);
                }
                fetch(channel, SEGMENT, 0, 10);
            }
        }
        assertThat(fetch(open(), SEGMENT, 0, 10).bytes()).hasSize(10);
    }

    @Test
    protected void aClientCanForbidToReadAheadForIt() throws Exception {
        segments.cache();
        for (final Map<String, String> settings :
                List.of(
                        Map.of("spillway.shuffle.prefetch", "false"),
                        Map.of("spillway.mode", "hadoop-a"))) {
            final Transport reserved = closeLater(newTransport(settings));
            final Channel channel = reserved.open(node.address(), credentials());
            assertThat(fetch(channel, SEGMENT, 5, 1000).bytes()).hasSize(1000);
            assertThat(segments.askedForCached()).isZero();
        }
        final Transport willing =
                closeLater(
                        newTransport(
                                Map.of(
                                        "spillway.mode",
                                        "hadoop-a",
                                        "spillway.shuffle.prefetch",
                                        "true")));
        final Channel channel = willing.open(node.address(), credentials());
        assertThat(fetch(channel, SEGMENT, 5, 1000).bytes()).hasSize(1000);
        assertThat(segments.askedForCached()).isEqualTo(asksNodes() ? 1 : 0);
    }

    private void fetchAll(final Channel channel, final Map<FetchRecorder, byte[]> fetches) {
        for (int i = 0; i < 300; i++) {
            final SegmentId segment = new SegmentId(attempt(10 + i % 10), i % 3);
            fetches.put(fetch(channel, segment, 0, 70_000), segments.bytes(segment));
        }
    }

    @Test
    void fetchesFromWithinAListener() throws Exception {
        final byte[] expected = segments.bytes(SEGMENT);
        final ByteBuffer destination = ByteBuffer.allocate(expected.length);
        final CountDownLatch done = new CountDownLatch(1);
        try (Channel channel = open()) {
            new Chain(channel, destination, done).next();
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(destination.array()).isEqualTo(expected);
        }
    }

    /** Fetches a segment piece by piece, each from the end of the one before. */
    private record Chain(Channel channel, ByteBuffer destination, CountDownLatch done)
            implements FetchListener {
        private static final int PIECE = 7000;

        void next() {
            final int left = destination.capacity() - destination.position();
            destination.limit(destination.position() + Math.min(PIECE, left));
            channel.fetch(SEGMENT, destination.position(), destination, this);
        }

        @Override
        public void onFetched(final ByteBuffer buffer, final FetchReply reply) {
            if (buffer.position() == buffer.capacity()) {
                done.countDown();
            } else {
                next();
            }
        }

        @Override
        public void onElsewhere(final ByteBuffer buffer, final SegmentPlaces places) {
            throw new AssertionError("it is at " + places);
        }

        @Override
        public void onFailed(final ByteBuffer buffer, final FetchException cause) {
            throw new AssertionError(cause);
        }
    }

    @Test
    void survivesAListenerThatThrows() throws Exception {
        try (Channel channel = open()) {
            channel.fetch(SEGMENT, 0, ByteBuffer.allocate(10), new ThrowingListener());
            channel.fetch(SEGMENT, 0, ByteBuffer.allocate(200_000), new ThrowingListener());
            channel.fetch(SEGMENT, 300_001, ByteBuffer.allocate(10), new ThrowingListener());
            segments.moveTo(5, new SegmentPlace(new NodeAddress("host", 1), 1));
            final SegmentId moved = new SegmentId(attempt(5), 0);
            channel.fetch(moved, 0, ByteBuffer.allocate(10), new ThrowingListener());
            assertThat(fetch(channel, SEGMENT, 0, 10).bytes()).hasSize(10);
            assertThat(channel.isOpen()).isTrue();
        }
    }

    private static final class ThrowingListener implements FetchListener {
        @Override
        public void onFetched(final ByteBuffer destination, final FetchReply reply) {
            if (reply.length() > 10) {
                throw new AssertionError("thrown by a test's listener");
            }
            throw new IllegalStateException("thrown by a test's listener");
        }

        @Override
        public void onElsewhere(final ByteBuffer destination, final SegmentPlaces places) {
            throw new AssertionError("thrown by a test's listener, with " + places);
        }

        @Override
        public void onFailed(final ByteBuffer destination, final FetchException cause) {
            throw new AssertionError("thrown by a test's listener", cause);
        }
    }

    @Test
    void tellsTheNodesEpochAndAddress() throws Exception {
        try (Channel channel = open()) {
            assertThat(channel.epoch()).isEqualTo(node.epoch());
            assertThat(channel.address()).isEqualTo(node.address());
            assertThat(channel.isOpen()).isTrue();
        }
    }

    @Test
    void serves200ChannelsAtATime() throws Exception {
        final byte[] expected = Arrays.copyOf(segments.bytes(SEGMENT), 3000);
        final List<FetchRecorder> fetches = new ArrayList<>();
        final List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            channels.add(open());
        }
        for (final Channel channel : channels) {
            fetches.add(fetch(channel, SEGMENT, 0, 3000));
        }
        for (final FetchRecorder fetch : fetches) {
            assertThat(fetch.bytes()).isEqualTo(expected);
        }
        channels.forEach(Channel::close);
    }

    // ---- elsewhere -----------------------------------------------------------------------------

    @Test
    void namesTheNodesThatHaveASegment() throws Exception {
        final SegmentPlace near = new SegmentPlace(new NodeAddress("10.0.0.7", 13_562), 42);
        final SegmentPlace far =
                new SegmentPlace(new NodeAddress("n".repeat(255), 65_535), Long.MIN_VALUE);
        segments.moveTo(5, near);
        segments.moveTo(6, far, near, near);
        try (Channel channel = open()) {
            for (int i = 0; i < 100; i++) {
                final ByteBuffer destination =
                        i % 2 == 0 ? ByteBuffer.allocate(500) : ByteBuffer.allocateDirect(500);
                final FetchRecorder moved =
                        fetch(channel, new SegmentId(attempt(5 + i % 2), i), i, destination);
                final FetchRecorder here = fetch(channel, SEGMENT, 0, 70_000);
                assertThat(moved.places().places())
                        .isEqualTo(i % 2 == 0 ? List.of(near) : List.of(far, near, near));
                assertThat(here.bytes()).hasSize(70_000);
                assertThat(moved.calls()).isOne();
            }
            assertThat(channel.isOpen()).isTrue();
        }
    }

    /** With no thread that may block in between. */
    @Test
    void namesTheNodeThatASourceKnowsAtOnce() throws Exception {
        final SegmentPlaces known =
                SegmentPlaces.of(new SegmentPlace(new NodeAddress("host", 1), 7));
        final Node other = closeLater(startNode(new KnowingSource(known), secrets::get));
        try (Channel channel = transport.open(other.address(), credentials())) {
            assertThat(fetch(channel, SEGMENT, 0, 10).places()).isEqualTo(known);
            assertThat(fetch(channel, SEGMENT, 0, 0).places()).isEqualTo(known);
        }
    }

    private record KnowingSource(SegmentPlaces places) implements SegmentSource {
        @Override
        public SegmentAnswer open(final String jobId, final SegmentId segment) {
            throw new AssertionError("opened");
        }

        @Override
        public SegmentAnswer openIfCached(final String jobId, final SegmentId segment) {
            return places;
        }
    }

    // ---- one fetch fails -----------------------------------------------------------------------

    @Test
    void failsOneFetchAndNotTheNext() throws Exception {
        try (Channel channel = open()) {
            final SegmentId unknown = new SegmentId(attempt(4), 0);
            assertThat(fetch(channel, unknown, 0, 10).failure())
                    .hasMessageContaining(attempt(4))
                    .extracting(FetchException::reason)
                    .isEqualTo(Reason.NOT_FOUND);
            assertThat(fetch(channel, new SegmentId(attempt(3), 4), 0, 10).failure().reason())
                    .isEqualTo(Reason.OUT_OF_RANGE);
            assertThat(fetch(channel, SEGMENT, 300_001, 10).failure().reason())
                    .isEqualTo(Reason.OUT_OF_RANGE);
            assertThat(fetch(channel, SEGMENT, 0, 10).bytes()).hasSize(10);
        }
    }

    @Test
    void asksTheSourceForTheJobThatTheClientHasProved() throws Exception {
        secrets.put(OTHER_JOB, SECRET);
        try (Channel channel =
                transport.open(node.address(), new JobCredentials(OTHER_JOB, SECRET))) {
            assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason())
                    .isEqualTo(Reason.UNAUTHORIZED);
            assertThat(channel.isOpen()).isTrue();
        }
    }

    @Test
    void takesNamesOfAnyFramework() throws Exception {
        for (final String name : List.of("x", "shuffle_3_128.0", "a".repeat(96))) {
            segments.add(name, 3000);
            final SegmentId segment = new SegmentId(name, 0);
            assertThat(fetch(open(), segment, 0, 3000).bytes()).isEqualTo(segments.bytes(segment));
        }
        final String job = "application-7.a";
        secrets.put(job, SECRET);
        try (Channel channel = transport.open(node.address(), new JobCredentials(job, SECRET))) {
            assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason())
                    .isEqualTo(Reason.UNAUTHORIZED);
        }
    }

    // ---- no channel ----------------------------------------------------------------------------

    @Test
    void refusesAnUnknownJobUntilItIsKnown() throws Exception {
        secrets.clear();
        assertThat(reasonOfOpen(transport, node.address(), credentials()))
                .isEqualTo(Reason.UNKNOWN_JOB);
        secrets.put(JOB, SECRET);
        assertThat(fetch(open(), SEGMENT, 0, 10).bytes()).hasSize(10);
    }

    @Test
    void refusesAWrongSecretAndStaysUp() throws Exception {
        final JobCredentials wrong =
                new JobCredentials(JOB, "another secret".getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < 5; i++) {
            assertThat(reasonOfOpen(transport, node.address(), wrong))
                    .isEqualTo(Reason.UNKNOWN_JOB);
        }
        final JobCredentials empty = new JobCredentials(JOB, new byte[0]);
        assertThat(reasonOfOpen(transport, node.address(), empty)).isEqualTo(Reason.UNAUTHORIZED);
        assertThat(fetch(open(), SEGMENT, 0, 10).bytes()).hasSize(10);
    }

    @Test
    void saysWhenNobodyListens() throws Exception {
        final NodeAddress address = node.address();
        node.close();
        assertThat(reasonOfOpen(transport, address, credentials())).isEqualTo(Reason.DISCONNECTED);
    }

    // ---- ends ----------------------------------------------------------------------------------

    @Test
    void failsWhatIsInFlightWhenTheNodeStops() throws Exception {
        final BlockingSource blocking = new BlockingSource(segments);
        final Node other = closeLater(startNode(blocking, secrets::get));
        final Channel channel = transport.open(other.address(), credentials());
        final List<FetchRecorder> fetches = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            fetches.add(fetch(channel, SEGMENT, 0, 1000));
        }
        blocking.awaitCall();
        final Thread stopper = new Thread(other::close);
        stopper.start();
        for (final FetchRecorder fetch : fetches) {
            assertThat(fetch.failure().reason()).isEqualTo(Reason.DISCONNECTED);
        }
        blocking.release();
        stopper.join();
        assertThat(channel.isOpen()).isFalse();
        assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason())
                .isEqualTo(Reason.DISCONNECTED);
        assertThat(fetches).allMatch(fetch -> fetch.calls() == 1);
    }

    @Test
    void failsWhatIsInFlightWhenTheChannelIsClosed() throws Exception {
        final BlockingSource blocking = new BlockingSource(segments);
        final Node other = closeLater(startNode(blocking, secrets::get));
        final Channel channel = transport.open(other.address(), credentials());
        final FetchRecorder inFlight = fetch(channel, SEGMENT, 0, 1000);
        blocking.awaitCall();
        channel.close();
        channel.close();
        assertThat(inFlight.failure().reason()).isEqualTo(Reason.DISCONNECTED);
        assertThat(channel.isOpen()).isFalse();
        assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason())
                .isEqualTo(Reason.DISCONNECTED);
        blocking.release();
        assertThat(inFlight.calls()).isOne();
    }

    @Test
    void failsWhatIsInFlightWhenTheTransportIsClosed() throws Exception {
        final Transport other = newTransport(Map.of());
        final Channel channel = other.open(node.address(), credentials());
        final List<FetchRecorder> fetches = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            fetches.add(fetch(channel, SEGMENT, 0, 100_000));
        }
        other.close();
        other.close();
        assertThat(fetches).allMatch(fetch -> fetch.calls() == 1);
        final FetchRecorder late = fetch(channel, SEGMENT, 0, 10);
        assertThat(late.failure().reason()).isEqualTo(Reason.DISCONNECTED);
        assertThatThrownBy(() -> other.open(node.address(), credentials()))
                .isInstanceOf(FetchException.class);
    }

    @Test
    void failsFetchesWithoutAnAnswerInTime() throws Exception {
        final BlockingSource blocking = new BlockingSource(segments);
        final Node other = closeLater(startNode(blocking, secrets::get));
        final Transport hasty =
                closeLater(newTransport(Map.of("spillway.shuffle.read.timeout.ms", "500")));
        final Channel channel = hasty.open(other.address(), credentials());
        final FetchRecorder first = fetch(channel, SEGMENT, 0, 10);
        final FetchRecorder second = fetch(channel, SEGMENT, 0, 10);
        assertThat(first.failure().reason()).isEqualTo(Reason.TIMED_OUT);
        assertThat(second.failure().reason()).isEqualTo(Reason.TIMED_OUT);
        assertThat(channel.isOpen()).isFalse();
        blocking.release();
    }

    @Test
    void answersForASourceThatThrows() throws Exception {
        final Node other =
                closeLater(
                        startNode(
                                (jobId, segment) -> {
                                    throw new IllegalStateException("thrown by a test's source");
                                },
                                secrets::get));
        try (Channel channel = transport.open(other.address(), credentials())) {
            assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason())
                    .isEqualTo(Reason.SOURCE_FAILED);
            assertThat(channel.isOpen()).isTrue();
        }
    }

    /** Opens nothing until it is released. */
    private static final class BlockingSource implements SegmentSource {
        private final SegmentSource source;
        private final CountDownLatch called = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        BlockingSource(final SegmentSource source) {
            this.source = source;
        }

        void awaitCall() throws InterruptedException {
            assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
        }

        void release() {
            released.countDown();
        }

        @Override
        public SegmentAnswer open(final String jobId, final SegmentId segment)
                throws FetchException {
            called.countDown();
            try {
                released.await();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new FetchException(Reason.SOURCE_FAILED, "interrupted", e);
            }
            return source.open(jobId, segment);
        }
    }
}
