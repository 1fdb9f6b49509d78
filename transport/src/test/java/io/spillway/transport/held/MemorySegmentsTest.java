// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.transport.CachedBytes;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchReply;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.SegmentSink;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

final class MemorySegmentsTest {
    private static final int CHUNK = 4096;
    private static final int CAPACITY = 64 * CHUNK;
    private static final String JOB = "job_1";
    private static final SegmentId SEGMENT = new SegmentId("output", 0);

    private final Set<String> jobs = new HashSet<>(Set.of(JOB, "job_2"));
    private final MemorySegments store =
            new MemorySegments(
                    CAPACITY,
                    CHUNK,
                    job -> jobs.contains(job) ? new byte[1] : null,
                    DirectMemory.SYSTEM);

    @Test
    void tellsWhichOutputsAreWholeAndWhatTheyTake() throws FetchException {
        final List<String> heard = new ArrayList<>();
        final MemorySegments listening =
                new MemorySegments(
                        CAPACITY,
                        CHUNK,
                        job -> new byte[1],
                        DirectMemory.SYSTEM,
                        HeapAccount.ofThisProcess(),
                        Long.MAX_VALUE,
                        (job, output, taken) -> heard.add(job + " " + output + " " + taken),
                        null);
        final byte[] bytes = bytes(3 * CHUNK / 2);
        final SegmentSink.Piece piece =
                listening.begin(JOB, SEGMENT, 0, bytes.length, crcOf(bytes));
        fill(piece, bytes);
        piece.arrived(new End());
        assertThat(listening.holds(JOB, "output")).isFalse();
        assertThat(listening.committed()).isEmpty();
        final OutputSummary whole =
                new OutputSummary(
                        "output",
                        List.of(
                                new OutputSummary.Segment(
                                        0, 0, bytes.length, bytes.length, crcOf(bytes))));
        listening.commit(JOB, whole, new End());

        assertThat(listening.holds(JOB, "output")).isTrue();
        assertThat(listening.holds("job_2", "output")).isFalse();
        final long taken = listening.committed().get(JOB).get("output");
        assertThat(taken).isBetween(listening.used(), listening.used() + listening.heapUsed());
        assertThat(listening.used()).isEqualTo(2 * CHUNK);
        assertThat(heard).containsExactly(JOB + " output " + taken);
        assertThat(listening.capacity()).isEqualTo(CAPACITY);
        listening.dropJob(JOB);
        assertThat(listening.committed()).isEmpty();
        assertThat(listening.holds(JOB, "output")).isFalse();
    }

    /** A drained store completes begun outputs and serves them; it refuses new ones. */
    @Test
    void aDrainedStoreTakesWhatHasBegunAndNothingElse() throws FetchException {
        final byte[] bytes = bytes(CHUNK);
        put(SEGMENT, 0, bytes).requireDone();
        store.drain(true);
        assertThat(store.capacity()).as("no room for anyone").isEqualTo(store.used());
        put(SEGMENT, CHUNK, bytes).requireDone();
        final FetchException refused =
                catchThrowableOfType(
                        FetchException.class, () -> put(new SegmentId("new", 0), 0, bytes));
        assertThat(refused.reason()).isEqualTo(Reason.FULL);
        assertThat(refused).hasMessageContaining("new: the node is drained");
        final End empty = new End();
        store.commit(JOB, new OutputSummary("empty", List.of()), empty);
        assertThat(empty.reason()).as("an output without bytes").isEqualTo(Reason.FULL);
        assertThat(store.holdings())
                .singleElement()
                .satisfies(
                        job -> {
                            assertThat(job.jobId()).isEqualTo(JOB);
                            assertThat(job.outputs()).isOne();
                            assertThat(job.bytes()).isGreaterThanOrEqualTo(2 * CHUNK);
                        });

        jobs.remove(JOB);
        store.dropJob(JOB);
        assertThat(store.holdings()).isEmpty();
        assertThat(store.capacity()).as("still a store, that knows jobs").isOne();
        store.drain(false);
        assertThat(store.capacity()).isEqualTo(CAPACITY);
        jobs.add(JOB);
        put(new SegmentId("new", 0), 0, bytes).requireDone();
    }

    /** How something ended. */
    private static final class End implements SegmentSink.Completion {
        private int calls;
        private FetchException failure;

        @Override
        public void done() {
            calls++;
        }

        @Override
        public void failed(final FetchException cause) {
            calls++;
            failure = cause;
        }

        void requireDone() {
            assertThat(calls).isOne();
            assertThat(failure).isNull();
        }

        Reason reason() {
            assertThat(calls).isOne();
            return failure.reason();
        }
    }

    private static byte[] bytes(final int length) {
        final byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static int crcOf(final byte[] bytes) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private SegmentSink.Piece begin(final SegmentId id, final long offset, final byte[] bytes)
            throws FetchException {
        return store.begin(JOB, id, offset, bytes.length, crcOf(bytes));
    }

    private static void fill(final SegmentSink.Piece piece, final byte[] bytes) {
        int from = 0;
        for (final ByteBuffer room : piece.room()) {
            final int count = room.remaining();
            room.put(bytes, from, count);
            from += count;
        }
        assertThat(from).isEqualTo(bytes.length);
    }

    private End put(final SegmentId id, final long offset, final byte[] bytes)
            throws FetchException {
        final SegmentSink.Piece piece = begin(id, offset, bytes);
        if (!piece.isHeld()) {
            fill(piece, bytes);
        }
        final End end = new End();
        piece.arrived(end);
        return end;
    }

    private End commit(final String output, final byte[] bytes) {
        final End end = new End();
        store.commit(
                JOB,
                new OutputSummary(
                        output,
                        List.of(
                                new OutputSummary.Segment(
                                        0, 0, bytes.length, bytes.length, crcOf(bytes)))),
                end);
        return end;
    }

    private static byte[] read(final ServedSegment segment, final int offset, final int length) {
        final ByteBuffer all = ByteBuffer.allocate(length);
        try (CachedBytes cached = segment.cached(offset, length)) {
            cached.buffers().forEach(buffer -> all.put(buffer.duplicate()));
        }
        return all.array();
    }

    @Test
    void smallPiecesShareChunks() throws Exception {
        final byte[] all = bytes(10_000);
        for (int offset = 0; offset < all.length; offset += 100) {
            put(SEGMENT, offset, Arrays.copyOfRange(all, offset, offset + 100)).requireDone();
        }
        assertThat(store.used()).isBetween(10_000L, 10_000L + CHUNK + 100 * 256 + 2048);
        commit("output", all).requireDone();
        try (ServedSegment segment = store.open(JOB, SEGMENT)) {
            for (final int[] range : new int[][] {{0, 10_000}, {50, 9000}, {4000, 200}, {99, 1}}) {
                assertThat(read(segment, range[0], range[1]))
                        .isEqualTo(Arrays.copyOfRange(all, range[0], range[0] + range[1]));
            }
            assertThat(segment.checksum(100, 300))
                    .isEqualTo(Integer.toUnsignedLong(crcOf(Arrays.copyOfRange(all, 100, 400))));
            assertThat(segment.checksum(50, 100)).isEqualTo(FetchReply.NO_CHECKSUM);
            assertThat(segment.checksum(100, 150)).isEqualTo(FetchReply.NO_CHECKSUM);
        }
    }

    @Test
    void ofTwoEqualPiecesAtATimeOneIsKept() throws Exception {
        final byte[] bytes = bytes(CHUNK);
        final SegmentSink.Piece first = begin(SEGMENT, 0, bytes);
        final SegmentSink.Piece second = begin(SEGMENT, 0, bytes);
        final byte[] others = bytes(CHUNK + 1);
        final SegmentSink.Piece third = begin(SEGMENT, 0, others);
        fill(second, bytes);
        fill(first, bytes);
        fill(third, others);
        for (final SegmentSink.Piece piece : List.of(first, second)) {
            final End end = new End();
            piece.arrived(end);
            end.requireDone();
        }
        final End contradiction = new End();
        third.arrived(contradiction);
        assertThat(contradiction.reason()).isEqualTo(Reason.CONFLICT);
        commit("output", bytes).requireDone();
        try (ServedSegment segment = store.open(JOB, SEGMENT)) {
            assertThat(read(segment, 0, CHUNK)).isEqualTo(bytes);
        }
    }

    @Test
    void whatNeverCameTakesNoMemoryFromItsRepetition() throws Exception {
        final byte[] bytes = bytes(3 * CHUNK);
        put(new SegmentId("output", 1), 0, bytes(10)).requireDone();
        begin(SEGMENT, 0, bytes).abandon();
        final long used = store.used();
        for (int i = 0; i < 100; i++) {
            begin(SEGMENT, 0, bytes).abandon();
        }
        assertThat(store.used()).isEqualTo(used);
        put(SEGMENT, 0, bytes).requireDone();
        assertThat(store.used()).isBetween(used, used + 256);
    }

    @Test
    void refusedPutsLeaveNothing() throws Exception {
        final byte[] first = bytes(CHUNK);
        put(SEGMENT, 0, first).requireDone();
        final long heap = store.heapUsed();
        for (int i = 0; i < 100; i++) {
            final SegmentId id = new SegmentId("output" + i, 0);
            assertThatThrownBy(() -> begin(id, 0, bytes(CAPACITY)))
                    .isInstanceOf(FetchException.class)
                    .hasMessageContaining("no room")
                    .hasMessageContaining("capacity=" + CAPACITY);
            assertThatThrownBy(() -> begin(id, 1, bytes(CAPACITY)))
                    .hasMessageContaining("expected an end of at most " + CAPACITY);
        }
        assertThat(store.used()).isEqualTo(CHUNK);
        assertThat(store.heapUsed()).isEqualTo(heap);
        assertThat(store.outputsOf(JOB)).isOne();
    }

    @Test
    void memoryThatTheSystemDoesNotGrantTakesNothingOfTheHeapsAccount() {
        final DirectMemory none =
                bytes -> {
                    throw new OutOfMemoryError("Cannot reserve direct memory");
                };
        final MemorySegments poor = new MemorySegments(CAPACITY, CHUNK, job -> new byte[1], none);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> poor.begin(JOB, SEGMENT, 0, CHUNK, 0))
                    .isInstanceOf(OutOfMemoryError.class);
        }
        assertThat(poor.heapUsed()).isZero();
    }

    @Test
    void shortSegmentsFillTheHeapsAccountAndEmptyOnesToo() throws Exception {
        final long limit = 1 << 20;
        final MemorySegments narrow =
                new MemorySegments(
                        CAPACITY,
                        CHUNK,
                        job -> new byte[1],
                        DirectMemory.SYSTEM,
                        new HeapAccount(limit),
                        Long.MAX_VALUE,
                        (job, output, bytes) -> {},
                        null);
        int puts = 0;
        FetchException full = null;
        while (full == null) {
            final SegmentId id = new SegmentId("output", puts++);
            full =
                    catchThrowableOfType(
                            FetchException.class,
                            () -> narrow.begin(JOB, id, 0, 1, 0).arrived(new End()));
        }
        assertThat(full.reason()).isEqualTo(Reason.FULL);
        assertThat(full).hasMessageContaining("heap used=").hasMessageContaining("limit=" + limit);
        assertThat(puts).isBetween(5_000, (int) limit / 64);
        assertThat(narrow.capacity()).as("takes no further leases").isEqualTo(narrow.used());
        narrow.dropJob(JOB);
        assertThat(narrow.capacity()).isEqualTo(CAPACITY);
        final long idle = narrow.heapUsed();
        int outputs = 0;
        End end = new End();
        while (end.failure == null) {
            end = new End();
            narrow.commit(JOB, emptySegments("empty" + outputs++, 1_000), end);
        }
        assertThat(end.reason()).isEqualTo(Reason.FULL);
        assertThat(outputs).isBetween(30, 60);
        assertThat(narrow.capacity()).as("full, and not without memory").isEqualTo(1);
        narrow.dropJob(JOB);
        assertThat(narrow.heapUsed()).isEqualTo(idle);
        assertThat(narrow.used()).isZero();
    }

    private static OutputSummary emptySegments(final String output, final int count) {
        return new OutputSummary(
                output,
                IntStream.range(0, count)
                        .mapToObj(partition -> new OutputSummary.Segment(partition, 0, 0, 2, 0))
                        .toList());
    }

    /** Parts of a commit over one connection, and what of them comes late over another. */
    @Test
    void anOutputIsVisibleFromTheLastPartOfItsCommitOn() throws Exception {
        final byte[] bytes = bytes(CHUNK);
        put(SEGMENT, 0, bytes).requireDone();
        store.dropJob(JOB);
        final long idle = store.heapUsed();
        put(new SegmentId("output", 4), 0, bytes).requireDone();
        final List<OutputSummary.Segment> segments = new ArrayList<>();
        for (int partition = 9; partition >= 0; partition--) {
            final boolean isEmpty = partition != 4;
            segments.add(
                    new OutputSummary.Segment(
                            partition,
                            0,
                            isEmpty ? 0 : CHUNK,
                            isEmpty ? 2 : CHUNK,
                            isEmpty ? 0 : crcOf(bytes)));
        }
        final List<OutputSummary> parts = new OutputSummary("output", segments).parts(3);
        assertThat(parts).extracting(OutputSummary::first).containsExactly(0, 3, 6, 9);
        assertThat(commit(parts.get(1)).reason()).as("none before").isEqualTo(Reason.INCOMPLETE);
        commit(parts.get(0)).requireDone();
        commit(parts.get(1)).requireDone();
        assertThat(commit(parts.get(3)).reason()).as("a gap").isEqualTo(Reason.INCOMPLETE);
        commit(parts.get(2)).requireDone();
        commit(parts.get(0)).requireDone();
        assertThat(commit(parts.get(2)).reason()).as("came late").isEqualTo(Reason.INCOMPLETE);
        commit(parts.get(1)).requireDone();
        commit(parts.get(1)).requireDone();
        commit(parts.get(2)).requireDone();
        assertThat(store.holds(JOB, "output")).isFalse();
        commit(parts.get(3)).requireDone();
        assertThat(store.holds(JOB, "output")).isTrue();
        try (ServedSegment served = store.open(JOB, new SegmentId("output", 4))) {
            assertThat(read(served, 0, CHUNK)).isEqualTo(bytes);
        }
        parts.forEach(again -> commit(again).requireDone());
        commit(new OutputSummary("output", segments)).requireDone();
        assertThat(commit(new OutputSummary("output", 0, 11, segments)).reason())
                .isEqualTo(Reason.CONFLICT);
        store.dropJob(JOB);
        assertThat(store.heapUsed()).isEqualTo(idle);
    }

    private End commit(final OutputSummary part) {
        final End end = new End();
        store.commit(JOB, part, end);
        return end;
    }

    @Test
    void partsThatAreOutOfOrderOrBeyondTheHeapLeaveNothing() {
        final long idle = store.heapUsed();
        final List<OutputSummary.Segment> two = emptySegments("output", 2).segments();
        commit(new OutputSummary("output", 0, 4, two)).requireDone();
        assertThat(store.heapUsed()).isGreaterThan(idle);
        assertThat(commit(new OutputSummary("output", 2, 4, two)).reason())
                .as("the same partitions again")
                .isEqualTo(Reason.OUT_OF_RANGE);
        assertThat(store.heapUsed()).isEqualTo(idle);
        assertThat(commit(new OutputSummary("output", 0, Integer.MAX_VALUE, two)).reason())
                .isEqualTo(Reason.FULL);
        assertThat(store.heapUsed()).isEqualTo(idle);
        commit(new OutputSummary("output", 0, 4, two)).requireDone();
        store.dropIdle(System.nanoTime() + TimeUnit.MINUTES.toNanos(MemorySegments.IDLE_MINUTES));
        assertThat(store.heapUsed()).as("nothing more came").isEqualTo(idle);
    }

    @Test
    void anOutputThatIsNotWholeIsDroppedWhenNothingMoreComes() throws Exception {
        final byte[] bytes = bytes(CHUNK);
        put(new SegmentId("whole", 0), 0, bytes).requireDone();
        commit("whole", bytes).requireDone();
        put(SEGMENT, 0, bytes).requireDone();
        final SegmentSink.Piece coming = begin(new SegmentId("coming", 0), 0, bytes);
        final long idle = TimeUnit.MINUTES.toNanos(MemorySegments.IDLE_MINUTES);

        store.dropIdle(System.nanoTime());
        assertThat(store.outputsOf(JOB)).isEqualTo(3);
        store.dropIdle(System.nanoTime() + idle);
        assertThat(store.outputsOf(JOB)).as("one is whole, of one a piece comes").isEqualTo(2);
        assertThat(store.used()).isEqualTo(2 * CHUNK);
        coming.abandon();
        store.dropIdle(System.nanoTime() + idle);
        assertThat(store.holds(JOB, "whole")).isTrue();
        assertThat(store.used()).isEqualTo(CHUNK);
    }

    @Test
    void aJobTakesNoMoreThanItsLimitWhateverItHasLeased() throws Exception {
        final MemorySegments shared =
                new MemorySegments(
                        CAPACITY,
                        CHUNK,
                        job -> new byte[1],
                        DirectMemory.SYSTEM,
                        HeapAccount.ofThisProcess(),
                        CAPACITY / 4,
                        (job, output, bytes) -> {},
                        null);
        FetchException full = null;
        for (int i = 0; full == null; i++) {
            final SegmentId id = new SegmentId("output" + i, 0);
            full =
                    catchThrowableOfType(
                            FetchException.class,
                            () -> shared.begin(JOB, id, 0, CHUNK, 0).arrived(new End()));
        }
        assertThat(full.reason()).isEqualTo(Reason.FULL);
        assertThat(full).hasMessageContaining("limit=" + CAPACITY / 4);
        assertThat(shared.used()).isBetween(CAPACITY / 8L, CAPACITY / 4L);
        shared.begin("job_2", SEGMENT, 0, CHUNK, 0).arrived(new End());
        assertTablesCount(shared);
        shared.abort(JOB, "output0", new End());
        shared.begin(JOB, new SegmentId("again", 0), 0, CHUNK, 0).arrived(new End());
    }

    /** Those of another job, which puts no bytes. */
    private static void assertTablesCount(final MemorySegments shared) {
        End end = new End();
        int outputs = 0;
        while (end.failure == null && outputs < 10_000) {
            end = new End();
            shared.commit("job_3", emptySegments("empty" + outputs++, 1_000), end);
        }
        assertThat(end.reason()).isEqualTo(Reason.FULL);
        assertThat(end.failure).hasMessageContaining("limit=" + CAPACITY / 4);
        shared.dropJob("job_3");
    }

    @Test
    void anAbortWithdrawsWhatWasCommittedAndWhatIsReadGoesOn() throws Exception {
        final byte[] bytes = bytes(CHUNK);
        put(SEGMENT, 0, bytes).requireDone();
        commit("output", bytes).requireDone();
        try (ServedSegment served = store.open(JOB, SEGMENT)) {
            final End end = new End();
            store.abort(JOB, "output", end);
            end.requireDone();
            assertThat(store.holds(JOB, "output")).isFalse();
            assertThat(store.committed()).isEmpty();
            assertThat(read(served, 0, CHUNK)).isEqualTo(bytes);
        }
        assertThat(store.used()).isZero();
    }

    @Test
    void memoryOfADroppedJobIsUsedAgainOnceNothingIsOnItsWay() throws Exception {
        final byte[] bytes = bytes(CAPACITY / 2);
        put(SEGMENT, 0, bytes).requireDone();
        commit("output", bytes).requireDone();
        final ServedSegment served = store.open(JOB, SEGMENT);
        final CachedBytes lent = served.cached(0, 10);
        served.close();
        final SegmentSink.Piece coming = begin(new SegmentId("other", 0), 0, bytes(CHUNK));
        jobs.remove(JOB);
        store.dropJob(JOB);
        assertThat(store.used()).isGreaterThan(CAPACITY / 2);
        assertThat(lent.buffers().get(0).get(0)).isEqualTo(bytes[0]);
        lent.close();
        assertThat(store.used()).isBetween(1L, (long) 2 * CHUNK);
        final End late = new End();
        coming.arrived(late);
        assertThat(late.reason()).isEqualTo(Reason.UNKNOWN_JOB);
        assertThat(store.used()).isZero();
        assertThatThrownBy(() -> begin(SEGMENT, 0, bytes)).hasMessageContaining("not known here");
        assertThatThrownBy(() -> store.open(JOB, SEGMENT)).hasMessageContaining("is not here");
    }

    @Test
    void refusesACommitOfRunsWithAGap() throws Exception {
        put(new SegmentId("output", 0, 1), 0, bytes(10)).requireDone();
        final End end = new End();
        store.commit(
                JOB,
                new OutputSummary(
                        "output",
                        List.of(new OutputSummary.Segment(0, 1, 10, 10, crcOf(bytes(10))))),
                end);
        assertThat(end.reason()).isEqualTo(Reason.OUT_OF_RANGE);
    }

    @Test
    void refusesSizesThatMakeNoSense() {
        for (final long[] sizes : new long[][] {{10, 0}, {10, 11}, {1L << 40, 17 << 20}}) {
            assertThatThrownBy(
                            () ->
                                    new MemorySegments(
                                            sizes[0],
                                            (int) sizes[1],
                                            job -> null,
                                            DirectMemory.SYSTEM))
                    .hasMessageContaining("capacity=" + sizes[0] + " chunkBytes=" + sizes[1]);
        }
    }

    /** The job ends on another thread between the parts of a begin, as here by its allocation. */
    @Test
    void aPieceThatBeginsWhileItsJobEndsGivesItsMemoryBackWithItsEnd() throws FetchException {
        final AtomicReference<MemorySegments> ending = new AtomicReference<>();
        final MemorySegments dropping =
                new MemorySegments(
                        CAPACITY, CHUNK, job -> new byte[1], size -> ending.get().dropJob(JOB));
        ending.set(dropping);

        final SegmentSink.Piece piece = dropping.begin(JOB, SEGMENT, 0, 10, 0);
        assertThat(dropping.outputsOf(JOB)).isZero();
        assertThat(dropping.used()).isPositive();
        piece.abandon();

        assertThat(dropping.used()).isZero();
    }
}
