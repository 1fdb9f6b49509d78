// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.placement.book.BookQuota;
import io.spillway.placement.book.BookSettings;
import io.spillway.placement.book.PlacementBook;
import io.spillway.placement.message.CommittedOutput;
import io.spillway.placement.message.JobOutputs;
import io.spillway.placement.message.LeasePolicy;
import io.spillway.placement.message.LeaseRequest;
import io.spillway.placement.message.MessageKind;
import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeSpace;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.placement.status.JobFill;
import io.spillway.placement.status.NodeFill;
import io.spillway.thread.Backoff;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.serve.ServedJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Agents and a service in one process, with the messages between them as bytes. */
final class PlacementAgentTest {
    private static final String JOB = "job_1_1";
    private static final long CAPACITY = 1L << 30;
    private static final byte[] SECRET = "shuffle".getBytes(StandardCharsets.US_ASCII);
    private static final ClusterSecret CLUSTER =
            new ClusterSecret("all nodes know this".getBytes(StandardCharsets.US_ASCII));
    private static final Backoff RESTS = Backoff.doubling(5, 40);

    /** Reports come every 10 ms; what depends on time depends on this clock only. */
    private static final BookSettings SETTINGS =
            new BookSettings(10_000, 60_000, 600_000, 10, BookQuota.ALL, BookQuota.ALL, 1.0);

    private final AtomicLong clock = new AtomicLong();
    private final List<Host> hosts = new ArrayList<>();
    private volatile PlacementBook book = new PlacementBook(SETTINGS, clock::get, 1);

    /** How the service fails now. */
    private volatile Runnable trouble = () -> {};

    /** Whether answers to reports are lost, and how many could have been. */
    private volatile boolean losing;

    private volatile boolean former;

    /** Of the last report. */
    private volatile int lastVersion;

    private final AtomicInteger lost = new AtomicInteger();

    @AfterEach
    void close() {
        hosts.forEach(host -> host.agent.close());
    }

    private static void await(final String what, final BooleanSupplier condition)
            throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    private CompletableFuture<ByteBuffer> call(final ByteBuffer request) {
        trouble.run();
        lastVersion = request.get(MessageKind.VERSION_OFFSET);
        final CompletableFuture<ByteBuffer> answer =
                former && request.get(MessageKind.VERSION_OFFSET) != MessageKind.V2
                        ? CompletableFuture.failedFuture(otherVersion(request))
                        : Answer.of(
                                new PlacementService(book, CLUSTER, true, Runnable::run),
                                ClusterSecret.CALLER_ID,
                                request);
        // In turn, so that some parts of a report are answered and others are not.
        return losing && lost.incrementAndGet() % 3 != 0
                ? CompletableFuture.failedFuture(new IOException("the connection was closed"))
                : answer;
    }

    private static KnownJobs known(final Consumer<String> onEnded) {
        return new KnownJobs(
                CLUSTER, Set::of, TimeUnit.MINUTES.toNanos(15), System::nanoTime, onEnded);
    }

    /** As a service of the former release answers. */
    private static FetchException otherVersion(final ByteBuffer request) {
        return new FetchException(
                FetchException.Reason.SOURCE_FAILED,
                "localhost:1: REPORT frame: version="
                        + request.get(MessageKind.VERSION_OFFSET)
                        + ", expected 2");
    }

    /** A host with a node process. */
    private final class Host implements HostReport {
        private final Map<String, ServedJob> jobs = new ConcurrentHashMap<>();
        private final Map<String, Map<String, Long>> held = new ConcurrentHashMap<>();
        private final Queue<String> ended = new ConcurrentLinkedQueue<>();
        private final AtomicInteger reports = new AtomicInteger();
        private final AtomicInteger lists = new AtomicInteger();
        private final NodeIdentity identity;
        private final KnownJobs known;
        private final PlacementAgent agent;
        private final long capacity;
        private volatile boolean broken;

        Host(final String name, final long capacity) {
            this.capacity = capacity;
            identity = new NodeIdentity(name, new NodeAddress(name, 13562), 1);
            known = known(this::end);
            agent =
                    PlacementAgent.start(
                            identity, this, known, CLUSTER, PlacementAgentTest.this::call, RESTS);
            hosts.add(this);
        }

        private void end(final String jobId) {
            held.remove(jobId);
            ended.add(jobId);
        }

        void begin(final String jobId) {
            jobs.put(jobId, new ServedJob(jobId, "alice", SECRET));
            agent.wake();
        }

        void commit(final String jobId, final String output, final long bytes) {
            held.computeIfAbsent(jobId, id -> new ConcurrentHashMap<>()).put(output, bytes);
            agent.committed(jobId, output, bytes);
        }

        @Override
        public NodeSpace space() {
            if (broken) {
                throw new IllegalStateException("of the test");
            }
            reports.incrementAndGet();
            final long used =
                    held.values().stream()
                            .flatMap(outputs -> outputs.values().stream())
                            .mapToLong(bytes -> bytes)
                            .sum();
            return new NodeSpace(true, capacity, used);
        }

        @Override
        public List<ServedJob> jobs() {
            return List.copyOf(jobs.values());
        }

        @Override
        public List<JobOutputs> outputs() {
            lists.incrementAndGet();
            final List<JobOutputs> all = new ArrayList<>();
            held.forEach(
                    (jobId, outputs) ->
                            all.add(
                                    new JobOutputs(
                                            jobId,
                                            outputs.entrySet().stream()
                                                    .map(
                                                            o ->
                                                                    new CommittedOutput(
                                                                            o.getKey(),
                                                                            o.getValue()))
                                                    .toList())));
            return all;
        }

        /** Has reported twice since now: what was there is known. */
        void awaitReports() throws InterruptedException {
            final int before = reports.get();
            await("reports", () -> reports.get() > before + 1);
        }
    }

    private List<SegmentPlace> lease(final String output) {
        return book.lease(
                JOB, new LeaseRequest(output, 10, 1, LeasePolicy.DEDICATED, "h", List.of()));
    }

    private int located(final String output) {
        return book.locate(JOB, List.of(output)).get(0).size();
    }

    /** A host with the job, and a memory node that a place has been leased on. */
    private Host startJob() throws InterruptedException {
        final Host host = new Host("h1", 0);
        final Host memory = new Host("m1", CAPACITY);
        host.begin(JOB);
        await("a lease on each", () -> lease("o1").size() == 1);
        await("the job", () -> memory.known.secretOf(JOB) != null);
        return memory;
    }

    // --------------------------------------------------------------------------------------------

    @Test
    void jobsAndOutputsGetRound() throws InterruptedException {
        final Host memory = startJob();
        assertThat(memory.known.secretOf(JOB))
                .isEqualTo(JobCredentials.nodeKey(SECRET, memory.identity.address()));
        assertThat(memory.known.userOf(JOB)).isEqualTo("alice");
        assertThat(memory.agent.isAnswered()).isTrue();
        assertThat(located("o1")).isZero();
        memory.commit(JOB, "o1", 10);
        await("the output", () -> located("o1") == 1);
        assertThat(lease("o1")).containsExactly(memory.identity.place());
    }

    /** And that is upgraded while the nodes are there. */
    @Test
    void aServiceOfTheFormerReleaseGetsReportsThatItKnows() throws InterruptedException {
        former = true;
        final Host memory = startJob();
        assertThat(memory.known.secretOf(JOB)).isEqualTo(SECRET);
        memory.commit(JOB, "o1", 10);
        await("the output", () -> located("o1") == 1);
        former = false;
        losing = true;
        memory.awaitReports();
        losing = false;
        memory.awaitReports();
        await("answers", () -> memory.agent.isAnswered());
        assertThat(memory.known.secretOf(JOB)).as("old tasks may run").isEqualTo(SECRET);
    }

    /** No report has failed on the way: the agent sees that by the answer. */
    @Test
    void aServiceThatIsUpgradedBetweenTwoReportsGetsThoseOfItsVersion()
            throws InterruptedException {
        former = true;
        final Host memory = startJob();
        book = new PlacementBook(SETTINGS, clock::get, 2);
        former = false;
        await("its version", () -> lastVersion == MessageKind.V3);
        memory.awaitReports();
        assertThat(lastVersion).isEqualTo(MessageKind.V3);
    }

    @Test
    void theEndOfAJobIsTold() throws InterruptedException {
        final Host memory = startJob();
        memory.commit(JOB, "o1", 10);
        memory.awaitReports();
        hosts.get(0).jobs.clear();
        hosts.get(0).awaitReports();
        for (int i = 0; i < 70; i++) {
            clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
            for (final Host host : hosts) {
                host.awaitReports();
            }
        }
        await("its end", () -> !memory.ended.isEmpty());
        assertThat(memory.ended).containsExactly(JOB);
        assertThat(memory.held).isEmpty();
        assertThat(memory.known.secretOf(JOB)).isNull();
        assertThat(book.status().jobs()).isEmpty();
    }

    @Test
    void nothingIsForgottenWhileTheServiceIsAway() throws InterruptedException {
        final Host memory = startJob();
        final AtomicInteger calls = new AtomicInteger();
        trouble =
                () -> {
                    calls.incrementAndGet();
                    throw new UncheckedIOException(new IOException("connection refused"));
                };
        await("trouble", () -> !memory.agent.isAnswered());
        memory.commit(JOB, "while_away", 10);
        await("further tries", () -> calls.get() > 8);
        assertThat(memory.known.secretOf(JOB))
                .isEqualTo(JobCredentials.nodeKey(SECRET, memory.identity.address()));
        assertThat(memory.ended).isEmpty();
        assertThat(located("while_away")).isZero();
        trouble = () -> {};
        await("the service", () -> memory.agent.isAnswered() && located("while_away") == 1);
    }

    @Test
    void anAnswerThatIsLostChangesNothing() throws InterruptedException {
        final Host memory = startJob();
        losing = true;
        for (int i = 0; i < 30; i++) {
            memory.commit(JOB, "lost_" + i, 10);
        }
        await("answers lost", () -> lost.get() > 20);
        losing = false;
        await("all outputs", () -> located("lost_29") == 1);
        memory.awaitReports();
        final NodeFill node =
                book.status().nodes().stream()
                        .filter(n -> n.identity().equals(memory.identity))
                        .findFirst()
                        .orElseThrow();
        assertThat(node.outputs()).isEqualTo(30);
        assertThat(node.space().used()).isEqualTo(300);
    }

    @Test
    void aServiceThatStartsAnewLearnsAll() throws InterruptedException {
        final Host memory = startJob();
        memory.commit(JOB, "before", 10);
        await("the output", () -> located("before") == 1);
        book = new PlacementBook(SETTINGS, clock::get, 2);
        await("what the node holds", () -> located("before") == 1);
        await("the job", () -> lease("after").size() == 1);
        memory.commit(JOB, "after", 10);
        await("what is new", () -> located("after") == 1);
        assertThat(memory.ended).isEmpty();
        assertThat(book.status().bytesByUser()).isEqualTo(Map.of("alice", 20L));
    }

    @Test
    void aLongListGoesInParts() throws InterruptedException {
        final Host memory = startJob();
        for (int i = 0; i < 9_000; i++) {
            memory.commit(JOB, "o_" + i, 10);
        }
        await("the outputs", () -> located("o_8999") == 1 && located("o_0") == 1);
        book = new PlacementBook(SETTINGS, clock::get, 3);
        await("the list", () -> located("o_8999") == 1 && located("o_0") == 1);
        memory.awaitReports();
        assertThat(book.status().jobs())
                .containsExactly(new JobFill(JOB, "alice", 90_000, 9_000, 0));
    }

    /** More than an agent remembers. */
    @Test
    void muchThatIsNewIsListedOnce() throws InterruptedException {
        final Host memory = startJob();
        trouble =
                () -> {
                    throw new UncheckedIOException(new IOException("connection refused"));
                };
        await("trouble", () -> !memory.agent.isAnswered());
        for (int i = 0; i < 70_000; i++) {
            memory.commit(JOB, "o_" + i, 1);
        }
        trouble = () -> {};
        await("all outputs", () -> located("o_69999") == 1 && located("o_0") == 1);
        memory.awaitReports();
        final int lists = memory.lists.get();
        memory.commit(JOB, "one_more", 1);
        await("what is new", () -> located("one_more") == 1);
        memory.awaitReports();
        assertThat(memory.lists).hasValue(lists);
    }

    @Test
    void aNodeTellsAtOnceThatItKnowsAJob() throws InterruptedException {
        book =
                new PlacementBook(
                        new BookSettings(
                                10_000,
                                60_000,
                                600_000,
                                600_000,
                                BookQuota.ALL,
                                BookQuota.ALL,
                                1.0),
                        clock::get,
                        4);
        final Host host = new Host("h1", 0);
        await("the first report", host.agent::isAnswered);
        host.begin(JOB);
        await("the job", () -> host.known.userOf(JOB) != null);
        final Host memory = new Host("m1", CAPACITY);
        await("a place on it", () -> !lease("o1").isEmpty());
        assertThat(lease("o1")).containsExactly(memory.identity.place());
    }

    @Test
    void anAgentThatIsClosedReportsNoMore() throws InterruptedException {
        final Host memory = startJob();
        memory.agent.close();
        final int reports = memory.reports.get();
        TimeUnit.MILLISECONDS.sleep(50);
        assertThat(memory.reports).hasValue(reports);
        assertThat(memory.agent.isAnswered()).isFalse();
    }

    @Test
    void aJobThatCannotBeToldKeepsNoOtherBack() throws InterruptedException {
        final Host host = new Host("h1", 0);
        host.begin(ClusterSecret.CALLER_ID);
        host.begin(JOB);
        await("the other job", () -> host.known.userOf(JOB) != null);
        assertThat(host.known.size()).isEqualTo(1);
    }

    @Test
    void aHostThatFailsToReportIsAskedAgain() throws InterruptedException {
        final Host memory = startJob();
        memory.broken = true;
        await("trouble", () -> !memory.agent.isAnswered());
        memory.commit(JOB, "o1", 10);
        memory.broken = false;
        await("the output", () -> located("o1") == 1);
        assertThat(memory.agent.isAnswered()).isTrue();
    }

    @Test
    void aSecondNodeOfTheNameIsRefusedWhileTheYoungerLives() throws InterruptedException {
        final Host memory = startJob();
        final NodeIdentity old =
                new NodeIdentity("m1", memory.identity.address(), memory.identity.epoch() - 1);
        try (PlacementAgent agent =
                PlacementAgent.start(old, memory, known(jobId -> {}), CLUSTER, this::call, RESTS)) {
            memory.awaitReports();
            memory.awaitReports();
            assertThat(agent.isAnswered()).isFalse();
        }
        assertThat(lease("o1")).containsExactly(memory.identity.place());
    }
}
