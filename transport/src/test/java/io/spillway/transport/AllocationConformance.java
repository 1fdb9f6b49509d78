// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import static io.spillway.transport.FetchRecorder.fetch;
import static io.spillway.transport.PutRecorder.put;
import static io.spillway.transport.TestSegments.JOB;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.held.MemorySegments;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSink;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every transport does when memory outside the heap runs out, at each of its allocations: each
 * fetch gets one answer, soon, others are served as before, and nothing stays behind.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
public abstract class AllocationConformance {
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final int LENGTH = 300_000;
    private static final SegmentId SEGMENT = new SegmentId(attempt(3), 0);
    private static final SegmentId PUT = new SegmentId(attempt(9), 0);
    private static final SegmentId EMPTY = new SegmentId(attempt(3), 1);

    /** Beyond this a run must have ended without a failure. */
    private static final int MOST_ALLOCATIONS = 3000;

    /** The first so many allocations fail in turn; of later ones, which are alike, some. */
    private static final int DENSE = 60;

    private final FailingMemory memory = new FailingMemory();
    private final MemorySegments store =
            new MemorySegments(8 << 20, 64 << 10, AllocationConformance::secret, memory);
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private TestSegments segments;
    private Set<String> files;

    /** Starts a node at a free port of the loopback address. */
    protected abstract TransportConformance.Node startNode(
            SegmentSource source, JobSecrets jobSecrets, DirectMemory nodeMemory) throws Exception;

    /** Makes a client. */
    protected abstract Transport newTransport(DirectMemory clientMemory) throws Exception;

    @BeforeEach
    void start(@TempDir final Path directory) throws Exception {
        segments = new TestSegments(directory);
        segments.add(3, LENGTH, 0);
        files = openFiles();
    }

    @AfterEach
    void stop() throws Exception {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
        requireDescriptorsBack();
        segments.close();
    }

    private <T extends AutoCloseable> T closeLater(final T resource) {
        toClose.add(resource);
        return resource;
    }

    // ---- the client ----------------------------------------------------------------------------

    @Test
    void aClientAnswersForEachFetchWhicheverAllocationFails() throws Exception {
        clientSurvives(1);
    }

    @Test
    void aClientAnswersForEachFetchWhenMemoryIsGoneForAWhile() throws Exception {
        clientSurvives(Long.MAX_VALUE);
    }

    /** A new client for each allocation: one that has worked keeps memory, and asks for less. */
    private void clientSurvives(final long failures) throws Exception {
        final TransportConformance.Node node =
                closeLater(startNode(source(), AllocationConformance::secret, DirectMemory.SYSTEM));
        boolean failed = true;
        for (int n = 1; failed; n = next(n)) {
            try (Transport transport = newTransport(memory)) {
                failed = failsAt(n, failures, transport, node);
                requireWorking(transport, node);
                requireNothingLeft();
            }
            assertThat(failed || n > 1).as("an allocation failed").isTrue();
        }
    }

    // ---- the node ------------------------------------------------------------------------------

    @Test
    void aNodeAnswersForEachFetchWhicheverAllocationFails() throws Exception {
        nodeSurvives(1);
    }

    @Test
    void aNodeAnswersForEachFetchOfPiecesInMemory() throws Exception {
        segments.cache();
        nodeSurvives(1);
    }

    @Test
    void aNodeAnswersForEachFetchOfSegmentsWithoutAFile() throws Exception {
        segments.withoutFiles();
        nodeSurvives(1);
    }

    @Test
    void aNodeAnswersForEachFetchWhenMemoryIsGoneForAWhile() throws Exception {
        nodeSurvives(Long.MAX_VALUE);
    }

    private void nodeSurvives(final long failures) throws Exception {
        final Transport transport = closeLater(newTransport(DirectMemory.SYSTEM));
        boolean failed = true;
        for (int n = 1; failed; n = next(n)) {
            final TransportConformance.Node node =
                    startNode(source(), AllocationConformance::secret, memory);
            try (node;
                    Channel bystander = open(transport, node)) {
                failed = failsAt(n, failures, transport, node);
                assertThat(fetch(bystander, SEGMENT, 0, LENGTH).bytes())
                        .isEqualTo(segments.bytes(SEGMENT));
                requireNothingLeft();
            }
            assertThat(failed || n > 1).as("an allocation failed").isTrue();
        }
    }

    // ---- a run ---------------------------------------------------------------------------------

    private static int next(final int n) {
        return n < DENSE ? n + 1 : n + n / 7;
    }

    /** Runs all there is to do while the n-th allocation fails; false when none did. */
    private boolean failsAt(
            final int n,
            final long failures,
            final Transport transport,
            final TransportConformance.Node node)
            throws Exception {
        assertThat(n).as("allocations of one run").isLessThan(MOST_ALLOCATIONS);
        memory.failAt(n, failures);
        run(transport, node);
        return memory.recover();
    }

    private void run(final Transport transport, final TransportConformance.Node node)
            throws Exception {
        final byte[] expected = segments.bytes(SEGMENT);
        final List<FetchRecorder> fetches = new ArrayList<>();
        try (Channel channel = open(transport, node)) {
            for (int i = 0; i < 12; i++) {
                final int length = i % 3 == 0 ? 100 : LENGTH / 2;
                final ByteBuffer destination =
                        i % 2 == 0
                                ? ByteBuffer.allocate(length)
                                : ByteBuffer.allocateDirect(length);
                fetches.add(fetch(channel, SEGMENT, i * 1000L, destination));
            }
            for (int i = 0; i < 12; i++) {
                requireAnswer(fetches.get(i), expected, i * 1000, i % 3 == 0 ? 100 : LENGTH / 2);
            }
            requireAnswer(fetch(channel, EMPTY, 0, 10), expected, 0, 0);
            runPuts(channel, expected);
            final FetchRecorder unknown = fetch(channel, new SegmentId(attempt(4), 0), 0, 10);
            assertThat(unknown.failure().reason()).isNotEqualTo(Reason.TIMED_OUT);
            fetches.add(unknown);
        } catch (final FetchException e) {
            assertThat(e.reason()).as("opening: %s", e).isNotEqualTo(Reason.TIMED_OUT);
        }
        assertThat(fetches).allMatch(fetch -> fetch.calls() == 1);
    }

    /** The last commit has all bytes, or it has failed because a put has. */
    private static void runPuts(final Channel channel, final byte[] bytes) throws Exception {
        final List<PutRecorder> puts = new ArrayList<>();
        final int piece = LENGTH / 6;
        for (int offset = 0; offset < LENGTH; offset += piece) {
            final ByteBuffer source =
                    puts.size() % 2 == 0
                            ? ByteBuffer.allocate(piece)
                            : ByteBuffer.allocateDirect(piece);
            puts.add(put(channel, PUT, offset, source.put(bytes, offset, piece).flip()));
        }
        boolean whole = true;
        for (final PutRecorder put : puts) {
            whole &= isDone(put::acknowledged, Set.of());
        }
        final CRC32C crc = new CRC32C();
        crc.update(bytes);
        final OutputSummary summary =
                new OutputSummary(
                        PUT.output(),
                        List.of(
                                new OutputSummary.Segment(
                                        0, 0, LENGTH, LENGTH, (int) crc.getValue())));
        final Set<Reason> also = whole ? Set.of() : Set.of(Reason.INCOMPLETE);
        isDone(() -> PutRecorder.await(channel.commit(summary)), also);
        assertThat(puts).allMatch(put -> put.calls() == 1);
    }

    /** A request. */
    private interface Request {
        void await() throws Exception;
    }

    /** False for a failure that did not take a time-out and blames no bytes. */
    private static boolean isDone(final Request request, final Set<Reason> also) throws Exception {
        try {
            request.await();
            return true;
        } catch (final ExecutionException e) {
            final Set<Reason> expected = EnumSet.of(Reason.BUSY, Reason.DISCONNECTED, Reason.LOCAL);
            expected.addAll(also);
            assertThat(((FetchException) e.getCause()).reason())
                    .as("%s", e.getCause())
                    .isIn(expected);
            return false;
        }
    }

    /** All of the bytes, or a failure that did not take a time-out and blames no map output. */
    private static void requireAnswer(
            final FetchRecorder fetch, final byte[] expected, final int from, final int length)
            throws Exception {
        try {
            assertThat(fetch.bytes()).isEqualTo(Arrays.copyOfRange(expected, from, from + length));
        } catch (final ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(FetchException.class);
            assertThat(((FetchException) e.getCause()).reason())
                    .as("%s", e.getCause())
                    .isIn(Reason.BUSY, Reason.DISCONNECTED, Reason.LOCAL);
        }
    }

    /** What is served is in files; what is put goes to memory. */
    private SegmentSource source() {
        return new SegmentSource() {
            @Override
            public SegmentAnswer open(final String jobId, final SegmentId segment)
                    throws FetchException {
                return segments.open(jobId, segment);
            }

            @Override
            public Optional<SegmentSink> sink() {
                return Optional.of(store);
            }
        };
    }

    private static byte[] secret(final String job) {
        return job.equals(JOB) ? SECRET : null;
    }

    private static Channel open(final Transport transport, final TransportConformance.Node node)
            throws FetchException {
        return transport.open(node.address(), new JobCredentials(JOB, SECRET));
    }

    private void requireWorking(final Transport transport, final TransportConformance.Node node)
            throws Exception {
        try (Channel channel = open(transport, node)) {
            assertThat(fetch(channel, SEGMENT, 0, LENGTH).bytes())
                    .isEqualTo(segments.bytes(SEGMENT));
        }
    }

    private void requireNothingLeft() throws Exception {
        await(() -> segments.openSegments() == 0);
        assertThat(segments.openSegments()).as("segments left open").isZero();
        await(this::isStoreEmpty);
        assertThat(store.used()).as("memory of puts").isZero();
        requireMemoryBack();
    }

    /** A client has gone, but what it sent last may still be on its way in: the job is known on. */
    private boolean isStoreEmpty() {
        store.dropJob(JOB);
        return store.used() == 0;
    }

    /** Waits for a condition, for as long as a busy machine may take. */
    protected static void await(final Callable<Boolean> condition) throws Exception {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
        while (!condition.call() && System.nanoTime() < deadline) {
            Thread.sleep(2);
        }
    }

    /** Memory that both ends have taken is free again, as far as the test can see it. */
    protected void requireMemoryBack() throws Exception {}

    /**
     * Looks until as few descriptors are open as before the test. What that look saw counts: other
     * threads of the JVM open some for a moment, which a second look may meet.
     */
    private void requireDescriptorsBack() throws Exception {
        final AtomicReference<Set<String>> open = new AtomicReference<>();
        await(
                () -> {
                    open.set(openFiles());
                    return open.get().size() <= files.size();
                });
        assertThat(open.get())
                .as("descriptors left open; before the test %s", files)
                .hasSizeLessThanOrEqualTo(files.size());
    }

    /** The open descriptors, each by its number and what it is of. */
    private static Set<String> openFiles() throws IOException {
        final Set<String> open = new TreeSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (final Path descriptor : (Iterable<Path>) descriptors::iterator) {
                open.add(descriptor.getFileName() + " " + targetOf(descriptor));
            }
        }
        return open;
    }

    private static String targetOf(final Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (final NoSuchFileException e) {
            return "closed since";
        }
    }
}
