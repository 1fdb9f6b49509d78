// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.placement.book.BookSettings;
import io.spillway.placement.book.PlacementBook;
import io.spillway.placement.message.CommittedOutput;
import io.spillway.placement.message.JobOutputs;
import io.spillway.placement.message.LeaseAnswer;
import io.spillway.placement.message.LeasePolicy;
import io.spillway.placement.message.LeaseRequest;
import io.spillway.placement.message.LocateAnswer;
import io.spillway.placement.message.LocateRequest;
import io.spillway.placement.message.MessageKind;
import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeOrders;
import io.spillway.placement.message.NodeReport;
import io.spillway.placement.message.NodeSpace;
import io.spillway.placement.message.ReportContent;
import io.spillway.placement.message.ReportPart;
import io.spillway.placement.message.SealedJob;
import io.spillway.placement.message.TableVersion;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.placement.secret.SealedSecret;
import io.spillway.placement.status.JobFill;
import io.spillway.placement.status.NodeFill;
import io.spillway.placement.status.PlacementStatus;
import io.spillway.placement.status.StatusQuestion;
import io.spillway.placement.status.StatusRequest;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.crypto.AEADBadTagException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class PlacementServiceTest {
    private static final NodeIdentity NODE =
            new NodeIdentity("m1", new NodeAddress("10.0.0.1", 13562), 5);

    private static final ClusterSecret CLUSTER = new ClusterSecret(new byte[32]);
    private static final byte[] SECRET = {1, 2, 3, 4};

    private final PlacementService service =
            new PlacementService(
                    new PlacementBook(BookSettings.DEFAULTS, System::nanoTime, 77),
                    CLUSTER,
                    true,
                    Runnable::run);

    private static SealedJob job(final String id) {
        final SealedSecret secret =
                SealedSecret.seal(CLUSTER, id, "alice", SECRET, new SecureRandom());
        return new SealedJob(id, "alice", secret);
    }

    private static ByteBuffer report(final NodeIdentity node, final TableVersion applied) {
        final List<JobOutputs> outputs =
                List.of(new JobOutputs("job_1", List.of(new CommittedOutput("held", 10))));
        return new NodeReport(
                        node,
                        new NodeSpace(true, 1000, 10),
                        applied,
                        new ReportPart(true, 0, false),
                        new ReportContent(List.of(), List.of(job("job_1"), job("job_2")), outputs))
                .encode();
    }

    private static ByteBuffer lease() {
        return new LeaseRequest("o1", 10, 1, LeasePolicy.DEDICATED, "h", List.of()).encode();
    }

    private static ByteBuffer locate() {
        return new LocateRequest(List.of("held", "none")).encode();
    }

    private ByteBuffer call(final String caller, final ByteBuffer request) throws Exception {
        return Answer.of(service, caller, request).get();
    }

    private void assertRefused(final String caller, final ByteBuffer request, final Reason reason) {
        final Future<ByteBuffer> answer = Answer.of(service, caller, request);
        assertThatThrownBy(answer::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        FetchException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    private void register() throws Exception {
        final NodeOrders orders =
                NodeOrders.decode(call(ClusterSecret.CALLER_ID, report(NODE, TableVersion.NONE)));
        assertThat(orders.changes().jobs())
                .extracting(SealedJob::id)
                .containsExactly("job_1", "job_2");
        assertThat(orders.intervalMillis()).isEqualTo(1_000);
        call(ClusterSecret.CALLER_ID, report(NODE, orders.changes().version()));
    }

    @Test
    void answersNodesAndJobs() throws Exception {
        register();
        final SegmentPlace place = NODE.place();
        assertThat(LeaseAnswer.decode(call("job_1", lease())).places()).containsExactly(place);
        assertThat(LocateAnswer.decode(call("job_1", locate())).places())
                .containsExactly(List.of(place), List.of());
    }

    /** The end of a job of very many outputs takes its time under the book's lock. */
    @Test
    void whoAsksDoesNotWaitForTheBook() throws Exception {
        final CountDownLatch taken = new CountDownLatch(1);
        final CountDownLatch free = new CountDownLatch(1);
        final AtomicBoolean holds = new AtomicBoolean();
        final PlacementBook book =
                new PlacementBook(
                        BookSettings.DEFAULTS,
                        () -> {
                            if (holds.getAndSet(false)) {
                                taken.countDown();
                                await(free);
                            }
                            return System.nanoTime();
                        },
                        77);
        final ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            final PlacementService busy = new PlacementService(book, CLUSTER, true, thread);
            Answer.of(busy, ClusterSecret.CALLER_ID, report(NODE, TableVersion.NONE)).get();
            holds.set(true);
            final Thread holder = new Thread(book::expire);
            holder.start();
            await(taken);
            final Future<ByteBuffer> answer = Answer.of(busy, "job_1", locate());
            assertThat(answer.isDone()).isFalse();
            assertThat(CompletableFuture.supplyAsync(() -> busy.secretOf("job_1")))
                    .as("the secret, which a connection's thread asks for")
                    .succeedsWithin(Duration.ofSeconds(20))
                    .isEqualTo(SECRET);
            free.countDown();
            assertThat(LocateAnswer.decode(answer.get()).places()).hasSize(2);
            holder.join();
        } finally {
            thread.shutdownNow();
        }
    }

    private static void await(final CountDownLatch latch) {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aJobSeesItsOwnOutputsOnly() throws Exception {
        register();
        assertThat(LocateAnswer.decode(call("job_2", locate())).places())
                .containsExactly(List.of(), List.of());
        assertThat(LeaseAnswer.decode(call("job_3", lease())).places()).isEmpty();
    }

    @Test
    void onlyNodesReportAndOnlyJobsAsk() {
        assertRefused("job_1", report(NODE, TableVersion.NONE), Reason.UNAUTHORIZED);
        assertRefused(ClusterSecret.CALLER_ID, lease(), Reason.UNAUTHORIZED);
        assertRefused(ClusterSecret.CALLER_ID, locate(), Reason.UNAUTHORIZED);
        assertRefused("job_1", StatusRequest.FIRST.encode(), Reason.UNAUTHORIZED);
    }

    @Test
    void tellsNodesHowAllAre() throws Exception {
        register();
        final PlacementStatus status =
                StatusQuestion.ask(
                        question -> {
                            try {
                                return call(ClusterSecret.CALLER_ID, question);
                            } catch (final Exception e) {
                                throw new AssertionError(e);
                            }
                        });
        assertThat(status.nodes())
                .singleElement()
                .returns(NODE, NodeFill::identity)
                .returns(1, NodeFill::outputs)
                .returns(new NodeSpace(true, 1000, 10), NodeFill::space);
        assertThat(status.jobs())
                .containsExactly(
                        new JobFill("job_1", "alice", 10, 1, 0),
                        new JobFill("job_2", "alice", 0, 0, 0));
        assertThat(status.bytesByUser()).isEqualTo(Map.of("alice", 10L));
    }

    // ---- secrets -------------------------------------------------------------------------------

    /** What a node reports that holds nothing, of the jobs of its host. */
    private static ByteBuffer report(
            final int version, final String name, final long memory, final String... jobs) {
        return new NodeReport(
                        new NodeIdentity(name, new NodeAddress(name, 13562), 5),
                        new NodeSpace(false, memory, 0),
                        TableVersion.NONE,
                        new ReportPart(true, 0, false),
                        new ReportContent(
                                List.of(),
                                List.of(jobs).stream().map(PlacementServiceTest::job).toList(),
                                List.of()),
                        version)
                .encode();
    }

    /** What a node learns of a job. */
    private SealedJob told(final int version, final String name, final long memory, final String id)
            throws Exception {
        final NodeOrders orders =
                NodeOrders.decode(call(ClusterSecret.CALLER_ID, report(version, name, memory)));
        return orders.changes().jobs().stream()
                .filter(job -> job.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static byte[] open(final SealedJob job) throws Exception {
        return job.secret().open(CLUSTER, job.id(), job.user());
    }

    private static byte[] keyOf(final String node) {
        return JobCredentials.nodeKey(SECRET, new NodeAddress(node, 13562));
    }

    @Test
    void aNodeGetsAKeyOfItsOwnAndOnlyWhereItHoldsOutputs() throws Exception {
        call(ClusterSecret.CALLER_ID, report(MessageKind.V3, "h1", 0, "job_1"));
        final SealedJob ofMemory = told(MessageKind.V3, "m1", 1000, "job_1");
        assertThat(ofMemory.key()).isEqualTo(SealedJob.Key.OF_NODE);
        assertThat(open(ofMemory)).isEqualTo(keyOf("m1")).isNotEqualTo(keyOf("m2"));
        final SealedJob ofHost = told(MessageKind.V3, "h2", 0, "job_1");
        assertThat(ofHost.key()).isEqualTo(SealedJob.Key.NONE);
        assertThatThrownBy(() -> open(ofHost)).isInstanceOf(AEADBadTagException.class);
        assertThat(service.secretOf("job_1")).as("its tasks ask the service").isEqualTo(SECRET);
        assertThat(service.secretOf("job_9")).isNull();
    }

    /** Beside an old node old tasks may run, which prove themselves by the secret alone. */
    @Test
    void nodesWithMemoryGetTheSecretWhileOneIsOfTheFormerRelease() throws Exception {
        call(ClusterSecret.CALLER_ID, report(MessageKind.V3, "h1", 0, "job_1"));
        assertThat(open(told(MessageKind.V3, "m1", 1000, "job_1"))).isEqualTo(keyOf("m1"));
        assertThat(open(told(MessageKind.V2, "m2", 1000, "job_1"))).isEqualTo(SECRET);
        assertThat(open(told(MessageKind.V2, "h2", 0, "job_1")))
                .as("an old node that holds nothing has no use of it")
                .isEqualTo(keyOf("h2"));
        assertThat(open(told(MessageKind.V3, "m1", 1000, "job_1"))).isEqualTo(SECRET);
        assertThat(told(MessageKind.V3, "h3", 0, "job_1").key()).isEqualTo(SealedJob.Key.NONE);
    }

    /** A node that was upgraded may have begun to report before it knew this service's version. */
    @Test
    void aNodeIsOfTheFormerReleaseWhileItReportsSo() throws Exception {
        call(ClusterSecret.CALLER_ID, report(MessageKind.V2, "m2", 1000));
        call(ClusterSecret.CALLER_ID, report(MessageKind.V3, "m2", 1000));
        call(ClusterSecret.CALLER_ID, report(MessageKind.V3, "h1", 0, "job_1"));
        assertThat(open(told(MessageKind.V3, "m2", 1000, "job_1"))).isEqualTo(keyOf("m2"));
    }

    @Test
    void nodesOfTheFormerReleaseAreRefusedWhereTheSettingSaysSo() {
        final PlacementService strict =
                new PlacementService(
                        new PlacementBook(BookSettings.DEFAULTS, System::nanoTime, 77),
                        CLUSTER,
                        false,
                        Runnable::run);
        final Future<ByteBuffer> answer =
                Answer.of(
                        strict,
                        ClusterSecret.CALLER_ID,
                        report(MessageKind.V2, "m2", 1000, "job_1"));
        assertThatThrownBy(answer::get)
                .hasMessageContaining("version=2, expected 3")
                .hasMessageContaining("spillway.placement.former.nodes=true");
        assertThat(strict.secretOf("job_1")).isNull();
    }

    @Test
    void refusesWhatIsNoQuestion() {
        assertRefused("job_1", ByteBuffer.allocate(0), Reason.PROTOCOL);
        assertRefused("job_1", ByteBuffer.wrap(new byte[] {99, 1, 1}), Reason.PROTOCOL);
        assertRefused("job_1", lease().limit(9), Reason.PROTOCOL);
        assertRefused("job_1", new LeaseAnswer(List.of()).encode(), Reason.PROTOCOL);
    }

    @Test
    void tellsAnOlderNodeThatAYoungerOneReports() throws Exception {
        register();
        final NodeIdentity old = new NodeIdentity("m1", NODE.address(), NODE.epoch() - 1);
        assertRefused(ClusterSecret.CALLER_ID, report(old, TableVersion.NONE), Reason.CONFLICT);
    }
}
