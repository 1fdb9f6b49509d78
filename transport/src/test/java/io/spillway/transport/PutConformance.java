// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import static io.spillway.transport.FetchRecorder.fetch;
import static io.spillway.transport.PutRecorder.await;
import static io.spillway.transport.PutRecorder.failureOf;
import static io.spillway.transport.PutRecorder.put;
import static io.spillway.transport.TestSegments.JOB;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.TransportConformance.Node;
import io.spillway.transport.held.MemorySegments;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSink;
import io.spillway.transport.serve.SegmentSource;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How every transport puts; each one's tests are a subclass that says how to start it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class PutConformance {
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final String OTHER_JOB = "job_1700000000000_0002";
    private static final int CHUNK = 64 << 10;
    private static final long CAPACITY = 64L << 20;
    private static final SegmentId SEGMENT = new SegmentId(attempt(3), 1);

    private final Map<String, byte[]> secrets = new ConcurrentHashMap<>();
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final Random random = new Random(7);
    private MemorySegments store;
    private Transport transport;

    /** Starts a node at a free port of the loopback address. */
    protected abstract Node startNode(
            SegmentSource source, JobSecrets jobSecrets, ServerSettings settings) throws Exception;

    /** Makes a client. */
    protected abstract Transport newTransport() throws Exception;

    @BeforeEach
    void start() throws Exception {
        secrets.put(JOB, SECRET);
        store = newStore(CAPACITY);
        transport = closeLater(newTransport());
    }

    @AfterEach
    void stop() throws Exception {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
        secrets.clear();
        store.dropJob(JOB);
        store.dropJob(OTHER_JOB);
        awaitTrue("memory back", () -> store.used() == 0);
    }

    private MemorySegments newStore(final long capacity) {
        return new MemorySegments(capacity, CHUNK, secrets::get, DirectMemory.SYSTEM);
    }

    private <T extends AutoCloseable> T closeLater(final T resource) {
        toClose.add(resource);
        return resource;
    }

    private static ServerSettings settings() {
        return ServerSettings.from(name -> null);
    }

    private Node node(final SegmentSource source, final ServerSettings settings) throws Exception {
        return closeLater(startNode(source, secrets::get, settings));
    }

    private Channel open(final Node node) throws FetchException {
        return open(node, JOB);
    }

    private Channel open(final Node node, final String job) throws FetchException {
        return closeLater(transport.open(node.address(), new JobCredentials(job, SECRET)));
    }

    private Channel openDefault() throws Exception {
        return open(node(store, settings()));
    }

    private byte[] bytes(final int length) {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static int crcOf(final byte[] bytes) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static OutputSummary.Segment summary(final SegmentId id, final byte[] bytes) {
        return new OutputSummary.Segment(
                id.partition(),
                id.run(),
                bytes.length,
                bytes.length * 2L,
                crcOf(bytes),
                bytes.length % 100);
    }

    private static OutputSummary summaryOf(final int map, final Map<SegmentId, byte[]> segments) {
        return new OutputSummary(
                attempt(map),
                segments.entrySet().stream()
                        .map(entry -> summary(entry.getKey(), entry.getValue()))
                        .toList());
    }

    private static OutputSummary summaryOf(final byte[] bytes) {
        return new OutputSummary(attempt(3), List.of(summary(new SegmentId(attempt(3), 1), bytes)));
    }

    private static void awaitTrue(final String what, final Callable<Boolean> condition)
            throws Exception {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.sleep(2);
        }
    }

    /** The table is longer than a message may be, and the node has little memory for tables. */
    @Test
    void commitsAnOutputOfMoreSegmentsThanOneMessageHas() throws Exception {
        final int count = 600_000;
        final List<OutputSummary.Segment> segments = new ArrayList<>(count);
        final byte[] bytes = bytes(100);
        for (int partition = count - 1; partition >= 0; partition--) {
            final boolean isEmpty = partition != 3;
            segments.add(
                    isEmpty
                            ? new OutputSummary.Segment(partition, 0, 0, 2, 0)
                            : summary(new SegmentId(attempt(3), partition), bytes));
        }
        final Channel channel = openDefault();
        assertThat(channel.maxSegments()).isGreaterThan(count);
        put(channel, new SegmentId(attempt(3), 3), 0, bytes).acknowledged();
        await(channel.commit(new OutputSummary(attempt(3), segments)));
        requireServed(channel, Map.of(new SegmentId(attempt(3), 3), bytes));
        await(channel.commit(new OutputSummary(attempt(3), segments)));
    }

    private void requireNotVisible(final Node node) throws Exception {
        final Channel channel = open(node);
        assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason()).isEqualTo(Reason.NOT_FOUND);
    }

    // ---- bytes ---------------------------------------------------------------------------------

    @Test
    void fetchesWhatWasPut() throws Exception {
        final Channel channel = openDefault();
        final Map<SegmentId, byte[]> segments = new ConcurrentHashMap<>();
        final int[] lengths = {0, 1, 17, CHUNK - 1, CHUNK, CHUNK + 1, 300_000, 3_500_000};
        for (int i = 0; i < lengths.length; i++) {
            segments.put(new SegmentId(attempt(3), i), bytes(lengths[i]));
        }
        putAll(channel, segments);
        await(channel.commit(summaryOf(3, segments)));
        requireServed(channel, segments);
    }

    @Test
    void takesPiecesOfSeveralMegabytes() throws Exception {
        final Channel channel = openDefault();
        final byte[] heap = bytes(5_000_000);
        final byte[] direct = bytes(4_000_001);
        final SegmentId second = new SegmentId(attempt(3), 2);
        final ByteBuffer memory = ByteBuffer.allocateDirect(direct.length + 100).position(50);
        memory.put(direct).flip().position(50);
        final PutRecorder one = put(channel, SEGMENT, 0, heap);
        final PutRecorder two = put(channel, second, 0, memory);
        one.acknowledged();
        two.acknowledged();
        final Map<SegmentId, byte[]> segments = Map.of(SEGMENT, heap, second, direct);
        await(channel.commit(summaryOf(3, segments)));
        requireServed(channel, segments);
    }

    @Test
    void takesRunsOfSegments() throws Exception {
        final Channel channel = openDefault();
        final Map<SegmentId, byte[]> segments = new ConcurrentHashMap<>();
        for (int run = 0; run < 3; run++) {
            segments.put(new SegmentId(attempt(3), 1, run), bytes(1000 + run));
        }
        putAll(channel, segments);
        await(channel.commit(summaryOf(3, segments)));
        requireServed(channel, segments);
        assertThat(fetch(channel, SEGMENT, 0, 10).reply().runs()).isEqualTo(3);
    }

    @Test
    void takesManyOutputsOfSeveralThreads() throws Exception {
        final Node node = node(store, settings());
        final ExecutorService threads = Executors.newFixedThreadPool(4);
        closeLater(threads::shutdownNow);
        final List<Future<?>> workers = new ArrayList<>();
        final Channel shared = open(node);
        for (int t = 0; t < 4; t++) {
            final int first = 100 * t;
            final Channel channel = t % 2 == 0 ? shared : open(node);
            final long seed = t;
            workers.add(threads.submit(() -> putOutputs(channel, first, new Random(seed))));
        }
        for (final Future<?> worker : workers) {
            worker.get(60, TimeUnit.SECONDS);
        }
        assertThat(store.outputsOf(JOB)).isEqualTo(20);
    }

    private Void putOutputs(final Channel channel, final int first, final Random numbers)
            throws Exception {
        for (int map = first; map < first + 5; map++) {
            final Map<SegmentId, byte[]> segments = new ConcurrentHashMap<>();
            for (int partition = 0; partition < 20; partition++) {
                final byte[] bytes = new byte[numbers.nextInt(30_000)];
                numbers.nextBytes(bytes);
                segments.put(new SegmentId(attempt(map), partition), bytes);
            }
            putAll(channel, segments);
            await(channel.commit(summaryOf(map, segments)));
            requireServed(channel, segments);
        }
        return null;
    }

    /** In pieces of any length, in any order, from the heap and from outside of it. */
    private static void putAll(final Channel channel, final Map<SegmentId, byte[]> segments)
            throws Exception {
        final Random numbers = new Random(segments.size());
        final List<Runnable> puts = new ArrayList<>();
        final List<PutRecorder> recorders = Collections.synchronizedList(new ArrayList<>());
        for (final Map.Entry<SegmentId, byte[]> segment : segments.entrySet()) {
            final byte[] bytes = segment.getValue();
            int offset = 0;
            do {
                final int start = offset;
                final int length = Math.min(bytes.length - start, 1 + numbers.nextInt(200_000));
                final ByteBuffer piece =
                        (start % 2 == 0
                                        ? ByteBuffer.allocate(length)
                                        : ByteBuffer.allocateDirect(length))
                                .put(bytes, start, length)
                                .flip();
                puts.add(() -> recorders.add(put(channel, segment.getKey(), start, piece)));
                offset += length;
            } while (offset < bytes.length);
        }
        Collections.shuffle(puts, numbers);
        puts.forEach(Runnable::run);
        for (final PutRecorder recorder : recorders) {
            recorder.acknowledged();
        }
    }

    private static void requireServed(final Channel channel, final Map<SegmentId, byte[]> segments)
            throws Exception {
        for (final Map.Entry<SegmentId, byte[]> segment : segments.entrySet()) {
            final byte[] expected = segment.getValue();
            final FetchRecorder whole = fetch(channel, segment.getKey(), 0, expected.length);
            assertThat(whole.bytes()).isEqualTo(expected);
            assertThat(whole.reply().partLength()).isEqualTo(expected.length);
            assertThat(whole.reply().rawLength()).isEqualTo(expected.length * 2L);
            assertThat(whole.reply().records()).isEqualTo(expected.length % 100);
            assertThat(whole.reply().checksum()).isEqualTo(Integer.toUnsignedLong(crcOf(expected)));
            final int from = expected.length / 3;
            final int to = expected.length - expected.length / 4;
            assertThat(fetch(channel, segment.getKey(), from, to - from).bytes())
                    .isEqualTo(Arrays.copyOfRange(expected, from, to));
        }
    }

    // ---- repeated and contradicting ------------------------------------------------------------

    @Test
    void repeatedPutsAndCommitsChangeNothing() throws Exception {
        final Node node = node(store, settings());
        final Channel channel = open(node);
        final byte[] bytes = bytes(200_000);
        for (int i = 0; i < 3; i++) {
            final PutRecorder unused = put(channel, SEGMENT, 100_000, half(bytes, 1));
            put(open(node), SEGMENT, 100_000, half(bytes, 1)).acknowledged();
            put(channel, SEGMENT, 0, half(bytes, 0)).acknowledged();
            unused.acknowledged();
        }
        final long used = store.used();
        for (int i = 0; i < 3; i++) {
            await(channel.commit(summaryOf(bytes)));
            put(channel, SEGMENT, 0, half(bytes, 0)).acknowledged();
        }
        assertThat(store.used() - used).isLessThan(CHUNK);
        requireServed(channel, Map.of(SEGMENT, bytes));
    }

    private static byte[] half(final byte[] bytes, final int number) {
        final int half = bytes.length / 2;
        return Arrays.copyOfRange(bytes, number * half, (number + 1) * half);
    }

    @Test
    void refusesWhatContradictsBytesTakenBefore() throws Exception {
        final Channel channel = openDefault();
        final byte[] bytes = bytes(200_000);
        put(channel, SEGMENT, 0, half(bytes, 0)).acknowledged();
        final byte[] others = half(bytes, 0);
        others[5]++;
        requireConflict(put(channel, SEGMENT, 0, others));
        requireConflict(put(channel, SEGMENT, 50_000, half(bytes, 1)));
        requireConflict(put(channel, SEGMENT, 0, Arrays.copyOf(bytes, 99_999)));
        put(channel, SEGMENT, 100_000, half(bytes, 1)).acknowledged();
        await(channel.commit(summaryOf(bytes)));
        requireConflict(put(channel, SEGMENT, 200_000, bytes(5)));
        requireConflict(put(channel, new SegmentId(attempt(3), 9), 0, bytes(5)));
        requireServed(channel, Map.of(SEGMENT, bytes));
    }

    private static void requireConflict(final PutRecorder put) throws Exception {
        final FetchException failure = put.failure();
        assertThat(failure.reason()).isEqualTo(Reason.CONFLICT);
        assertThat(failure).hasMessageContaining("offset=").hasMessageContaining(attempt(3));
        assertThat(put.calls()).isOne();
    }

    @Test
    void anOutputIsVisibleFromItsCommitOn() throws Exception {
        final Node node = node(store, settings());
        final Channel channel = open(node);
        final byte[] bytes = bytes(200_000);
        put(channel, SEGMENT, 100_000, half(bytes, 1)).acknowledged();
        requireNotVisible(node);
        final FetchException incomplete = failureOf(channel.commit(summaryOf(bytes)));
        assertThat(incomplete.reason()).isEqualTo(Reason.INCOMPLETE);
        assertThat(incomplete).hasMessageContaining("offset=0");
        requireNotVisible(node);
        put(channel, SEGMENT, 0, half(bytes, 0)).acknowledged();
        await(channel.commit(summaryOf(bytes)));
        requireServed(channel, Map.of(SEGMENT, bytes));
    }

    @Test
    void refusesCommitsThatContradict() throws Exception {
        final Channel channel = openDefault();
        final byte[] bytes = bytes(1000);
        final byte[] others = bytes.clone();
        others[999]++;
        put(channel, SEGMENT, 0, bytes).acknowledged();
        assertThat(failureOf(channel.commit(summaryOf(others))).reason())
                .isEqualTo(Reason.CONFLICT);
        assertThat(failureOf(channel.commit(summaryOf(Arrays.copyOf(bytes, 500)))).reason())
                .isEqualTo(Reason.CONFLICT);
        assertThat(failureOf(channel.commit(new OutputSummary(attempt(3), List.of()))).reason())
                .isEqualTo(Reason.CONFLICT);
        await(channel.commit(summaryOf(bytes)));
        assertThat(failureOf(channel.commit(summaryOf(others))).reason())
                .isEqualTo(Reason.CONFLICT);
        await(channel.commit(summaryOf(bytes)));
        requireServed(channel, Map.of(SEGMENT, bytes));
    }

    @Test
    void forgetsAnOutputThatIsAborted() throws Exception {
        final Node node = node(store, settings());
        final Channel channel = open(node);
        final byte[] bytes = bytes(1000);
        put(channel, SEGMENT, 0, bytes(1000)).acknowledged();
        await(channel.abort(attempt(3)));
        await(channel.abort(attempt(3)));
        assertThat(store.used()).isZero();
        put(channel, SEGMENT, 0, bytes).acknowledged();
        await(channel.commit(summaryOf(bytes)));
        requireServed(channel, Map.of(SEGMENT, bytes));
        await(channel.abort(attempt(3)));
        // An answer may hold its bytes for a moment after they have arrived.
        awaitTrue("an abort withdraws what was committed", () -> store.used() == 0);
        assertThat(store.holds(JOB, attempt(3))).isFalse();
    }

    // ---- refused -------------------------------------------------------------------------------

    @Test
    void refusesBytesThatWereDamagedOnTheWay() throws Exception {
        final GatedSink gate = new GatedSink(store);
        final Node node = node(gate, settings().withPuts(1, 1 << 20, 1 << 20));
        final Channel channel = open(node);
        final byte[] bytes = bytes(100_000);
        final byte[] damaged = half(bytes, 1);
        final PutRecorder first = put(channel, SEGMENT, 0, half(bytes, 0));
        gate.awaitHeld(1);
        final PutRecorder second = put(channel, SEGMENT, 50_000, damaged);
        // It has no credit to be sent yet: what was read for its checksum changes before it is.
        damaged[49_999] ^= (byte) 1;
        gate.open();
        first.acknowledged();
        assertThat(second.failure())
                .hasMessageContaining("CRC32C")
                .extracting(FetchException::reason)
                .isEqualTo(Reason.DAMAGED);
        assertThat(failureOf(channel.commit(summaryOf(bytes))).reason())
                .isEqualTo(Reason.INCOMPLETE);
        put(channel, SEGMENT, 50_000, half(bytes, 1)).acknowledged();
        await(channel.commit(summaryOf(bytes)));
        requireServed(channel, Map.of(SEGMENT, bytes));
    }

    @Test
    void comparesTheBytesWithAChecksumThatIsGiven() throws Exception {
        final Channel channel = openDefault();
        final byte[] bytes = bytes(100_000);
        final int[] checksums = {crcOf(half(bytes, 0)), crcOf(half(bytes, 1))};
        final PutRecorder first = put(channel, SEGMENT, 0, direct(half(bytes, 0)), checksums[0]);
        final PutRecorder wrong =
                put(channel, SEGMENT, 50_000, direct(half(bytes, 1)), checksums[0]);
        first.acknowledged();
        assertThat(wrong.failure())
                .hasMessageContaining(String.format("expected %08x", checksums[0]))
                .extracting(FetchException::reason)
                .isEqualTo(Reason.DAMAGED);
        put(channel, SEGMENT, 50_000, direct(half(bytes, 1)), checksums[1]).acknowledged();
        await(channel.commit(summaryOf(bytes)));
        requireServed(channel, Map.of(SEGMENT, bytes));
    }

    private static ByteBuffer direct(final byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    @Test
    void refusesWhatHasNoRoomAndTakesItWhenThereIsSome() throws Exception {
        final MemorySegments small = newStore(9L * CHUNK);
        final Channel channel = open(node(small, settings()));
        final byte[] bytes = bytes(5 * CHUNK);
        put(channel, SEGMENT, 0, bytes).acknowledged();
        final SegmentId other = new SegmentId(attempt(4), 0);
        final FetchException full = put(channel, other, 0, bytes).failure();
        assertThat(full.reason()).isEqualTo(Reason.FULL);
        assertThat(full).hasMessageContaining("capacity=" + 9 * CHUNK);
        assertThat(small.outputsOf(JOB)).isOne();
        final FetchException beyond = put(channel, other, 10L * CHUNK, bytes(1)).failure();
        assertThat(beyond.reason()).isEqualTo(Reason.FULL);
        await(channel.commit(summaryOf(bytes)));
        requireServed(channel, Map.of(SEGMENT, bytes));
        secrets.remove(JOB);
        small.dropJob(JOB);
        secrets.put(JOB, SECRET);
        awaitTrue("memory of the job back", () -> small.used() == 0);
        put(channel, other, 0, bytes).acknowledged();
        await(channel.abort(attempt(4)));
        assertThat(small.used()).isZero();
    }

    @Test
    void refusesLocallyWhatANodeWouldNotTake() throws Exception {
        final Channel channel = open(node(store, settings().withPuts(4, 100_000, 100_000)));
        assertThat(put(channel, SEGMENT, 0, bytes(100_001)).failure())
                .hasMessageContaining("expected 0 to 100000")
                .extracting(FetchException::reason)
                .isEqualTo(Reason.OUT_OF_RANGE);
        final byte[] bytes = bytes(100_000);
        put(channel, SEGMENT, 0, bytes).acknowledged();
        await(channel.commit(summaryOf(bytes)));
    }

    @Test
    void aNodeWithoutASinkTakesNothing() throws Exception {
        final byte[] bytes = bytes(100);
        final Node with = node(store, settings());
        final Channel putting = open(with);
        put(putting, SEGMENT, 0, bytes).acknowledged();
        await(putting.commit(summaryOf(bytes)));
        final Channel channel = open(node(new SourceOnly(store), settings()));
        assertThat(put(channel, SEGMENT, 0, bytes).failure().reason()).isEqualTo(Reason.NO_SINK);
        assertThat(failureOf(channel.commit(summaryOf(bytes))).reason()).isEqualTo(Reason.NO_SINK);
        assertThat(failureOf(channel.abort(attempt(3))).reason()).isEqualTo(Reason.NO_SINK);
        assertThat(fetch(channel, SEGMENT, 0, 100).bytes()).isEqualTo(bytes);
    }

    @Test
    void answersForASinkThatThrows() throws Exception {
        final Channel channel = open(node(new ThrowingSink(store), settings()));
        assertThat(put(channel, SEGMENT, 0, bytes(100_000)).failure().reason())
                .isEqualTo(Reason.SOURCE_FAILED);
        assertThat(put(channel, SEGMENT, 1, bytes(100_000)).failure().reason())
                .isEqualTo(Reason.BUSY);
        assertThat(put(channel, SEGMENT, 2, bytes(0)).failure().reason())
                .isEqualTo(Reason.SOURCE_FAILED);
        assertThat(failureOf(channel.commit(summaryOf(bytes(1)))).reason())
                .isEqualTo(Reason.SOURCE_FAILED);
        assertThat(channel.isOpen()).isTrue();
    }

    private record ThrowingSink(MemorySegments store) implements SegmentSource, SegmentSink {
        @Override
        public SegmentAnswer open(final String jobId, final SegmentId segment)
                throws FetchException {
            return store.open(jobId, segment);
        }

        @Override
        public Optional<SegmentSink> sink() {
            return Optional.of(this);
        }

        @Override
        public Piece begin(
                final String jobId,
                final SegmentId segment,
                final long offset,
                final int length,
                final int checksum) {
            if (offset == 1) {
                throw new OutOfMemoryError("no memory in a test");
            }
            throw new IllegalStateException("thrown by a test's sink");
        }

        @Override
        public void commit(
                final String jobId, final OutputSummary output, final Completion completion) {
            throw new IllegalStateException("thrown by a test's sink");
        }

        @Override
        public void abort(final String jobId, final String output, final Completion completion) {
            throw new IllegalStateException("thrown by a test's sink");
        }
    }

    @Test
    void jobsDoNotSeeEachOther() throws Exception {
        secrets.put(OTHER_JOB, SECRET);
        final Node node = node(store, settings());
        final Channel channel = open(node);
        final Channel other = open(node, OTHER_JOB);
        final byte[] bytes = bytes(1000);
        final byte[] others = bytes(1000);
        put(channel, SEGMENT, 0, bytes).acknowledged();
        put(other, SEGMENT, 0, others).acknowledged();
        assertThat(failureOf(other.commit(summaryOf(bytes))).reason()).isEqualTo(Reason.CONFLICT);
        await(other.abort(attempt(3)));
        await(channel.commit(summaryOf(bytes)));
        requireServed(channel, Map.of(SEGMENT, bytes));
        assertThat(store.outputsOf(OTHER_JOB)).isZero();
        secrets.remove(OTHER_JOB);
        store.dropJob(OTHER_JOB);
        assertThat(put(other, SEGMENT, 0, others).failure().reason()).isEqualTo(Reason.UNKNOWN_JOB);
    }

    // ---- credits and memory --------------------------------------------------------------------

    @Test
    void aNodeHoldsNoMoreThanItsCreditsAndGoesOnServing() throws Exception {
        final byte[] served = bytes(300_000);
        final Channel first = openDefault();
        put(first, SEGMENT, 0, served).acknowledged();
        await(first.commit(summaryOf(served)));

        final GatedSink gate = new GatedSink(store);
        final Node node = node(gate, settings().withPuts(8, 400_000, 10_000_000));
        final Channel channel = open(node);
        final List<PutRecorder> puts = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            puts.add(put(channel, new SegmentId(attempt(4), i), 0, bytes(100_000)));
        }
        gate.awaitHeld(4);
        assertThat(fetch(channel, SEGMENT, 0, served.length).bytes()).isEqualTo(served);
        assertThat(fetch(open(node), SEGMENT, 0, served.length).bytes()).isEqualTo(served);
        assertThat(gate.heldCount()).isEqualTo(4);
        assertThat(puts).noneMatch(PutRecorder::isDone);
        gate.open();
        for (final PutRecorder put : puts) {
            put.acknowledged();
        }
        assertThat(gate.mostBytes()).isEqualTo(400_000);
    }

    @Test
    void countsPutsAsWellAsTheirBytes() throws Exception {
        final GatedSink gate = new GatedSink(store);
        final Channel channel = open(node(gate, settings().withPuts(3, 400_000, 10_000_000)));
        final List<PutRecorder> puts = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            puts.add(put(channel, new SegmentId(attempt(4), i), 0, bytes(10)));
        }
        gate.awaitHeld(3);
        assertThat(gate.mostBytes()).isEqualTo(30);
        gate.open();
        for (final PutRecorder put : puts) {
            put.acknowledged();
        }
        assertThat(gate.mostBytes()).isEqualTo(30);
    }

    @Test
    void connectionsShareTheMemoryForPuts() throws Exception {
        final byte[] served = bytes(300_000);
        final Channel putting = openDefault();
        put(putting, SEGMENT, 0, served).acknowledged();
        await(putting.commit(summaryOf(served)));

        final GatedSink gate = new GatedSink(store);
        final Node node = node(gate, settings().withPuts(64, 300_000, 500_000));
        final List<PutRecorder> puts = new ArrayList<>();
        for (int client = 0; client < 4; client++) {
            final Channel channel = open(node);
            for (int i = 0; i < 12; i++) {
                final SegmentId segment = new SegmentId(attempt(10 + client), i);
                puts.add(put(channel, segment, 0, bytes(100_000)));
            }
        }
        // Some is left for other jobs.
        gate.awaitHeld(4);
        assertThat(fetch(open(node), SEGMENT, 0, served.length).bytes()).isEqualTo(served);
        assertThat(gate.heldCount()).isEqualTo(4);
        gate.open();
        for (final PutRecorder put : puts) {
            put.acknowledged();
        }
        assertThat(gate.mostBytes()).isEqualTo(400_000);
    }

    // ---- ends ----------------------------------------------------------------------------------

    @Test
    void answersForEachPutWhenTheNodeStops() throws Exception {
        final GatedSink gate = new GatedSink(store);
        final Node node = node(gate, settings().withPuts(64, 300_000, 500_000));
        final Channel channel = open(node);
        final List<PutRecorder> puts = manyPuts(channel);
        gate.awaitHeld(3);
        node.close();
        requireAllFailed(puts, Reason.DISCONNECTED);
        awaitTrue("a channel that is closed", () -> !channel.isOpen());
        assertThat(put(channel, SEGMENT, 0, bytes(10)).failure().reason())
                .isEqualTo(Reason.DISCONNECTED);
        assertThat(failureOf(channel.commit(summaryOf(bytes(1)))).reason())
                .isEqualTo(Reason.DISCONNECTED);
        gate.open();
        requireNotVisible(node(store, settings()));
    }

    @Test
    void answersForEachPutWhenTheChannelIsClosed() throws Exception {
        final GatedSink gate = new GatedSink(store);
        final Node node = node(gate, settings().withPuts(64, 300_000, 500_000));
        final Channel channel = open(node);
        final List<PutRecorder> puts = manyPuts(channel);
        gate.awaitHeld(3);
        channel.close();
        requireAllFailed(puts, Reason.DISCONNECTED);
        gate.open();
        final byte[] bytes = bytes(100_000);
        final Channel again = open(node);
        for (int i = 0; i < 10; i++) {
            put(again, new SegmentId(attempt(5), i), 0, bytes).acknowledged();
        }
    }

    @Test
    void answersForEachPutWhenTheTransportIsClosed() throws Exception {
        for (int i = 0; i < 10; i++) {
            final Node node = node(store, settings());
            final Transport other = newTransport();
            final Channel channel = other.open(node.address(), new JobCredentials(JOB, SECRET));
            final List<PutRecorder> puts = manyPuts(channel);
            Thread.sleep(i);
            other.close();
            assertThat(puts).allMatch(put -> put.calls() == 1);
            final PutRecorder late = put(channel, SEGMENT, 0, bytes(10));
            assertThat(late.failure().reason()).isEqualTo(Reason.DISCONNECTED);
        }
    }

    private List<PutRecorder> manyPuts(final Channel channel) {
        final List<PutRecorder> puts = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            final SegmentId segment = new SegmentId(attempt(3), i);
            final ByteBuffer source =
                    i % 2 == 0 ? ByteBuffer.allocate(100_000) : ByteBuffer.allocateDirect(100_000);
            puts.add(put(channel, segment, 0, source));
        }
        return puts;
    }

    private static void requireAllFailed(final List<PutRecorder> puts, final Reason reason)
            throws Exception {
        for (final PutRecorder put : puts) {
            assertThat(put.failure().reason()).isEqualTo(reason);
            assertThat(put.calls()).isOne();
        }
    }
}
