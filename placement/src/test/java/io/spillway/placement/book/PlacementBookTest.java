// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.conf.InvalidSettingException;
import io.spillway.placement.message.CommittedOutput;
import io.spillway.placement.message.JobOutputs;
import io.spillway.placement.message.LeasePolicy;
import io.spillway.placement.message.LeaseRequest;
import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeOrders;
import io.spillway.placement.message.NodeReport;
import io.spillway.placement.message.NodeSpace;
import io.spillway.placement.message.ReportContent;
import io.spillway.placement.message.ReportPart;
import io.spillway.placement.message.TableVersion;
import io.spillway.placement.status.JobFill;
import io.spillway.placement.status.LeaseRefusal;
import io.spillway.placement.status.NodeFill;
import io.spillway.placement.status.ServiceFigures;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PlacementBookTest {
    private static final String JOB = "job_1_1";
    private static final BookSettings SETTINGS =
            new BookSettings(10_000, 60_000, 600_000, 1_000, BookQuota.ALL, BookQuota.ALL, 1.0);

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1_000_000);
    private PlacementBook book = new PlacementBook(SETTINGS, clock::get, 7);

    private void pass(final long millis) {
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private void restart(final BookSettings settings) {
        book = new PlacementBook(settings, clock::get, clock.get() + 99);
    }

    /** All report, again and again, for so long. */
    private void passWith(final long millis, final TestNode... nodes) throws FetchException {
        for (long left = millis; left > 0; left -= 1_000) {
            pass(Math.min(left, 1_000));
            for (final TestNode node : nodes) {
                node.report(book);
            }
        }
    }

    private void settle(final TestNode... nodes) throws FetchException {
        for (int round = 0; round < 2; round++) {
            for (final TestNode node : nodes) {
                node.settle(book);
            }
        }
    }

    private static LeaseRequest ask(
            final String output, final long bytes, final int copies, final TestNode... exclude) {
        final List<NodeAddress> addresses =
                List.of(exclude).stream().map(node -> node.identity.address()).toList();
        return new LeaseRequest(output, bytes, copies, LeasePolicy.EVERY_NODE, "h", addresses);
    }

    private List<SegmentPlace> lease(final String output, final long bytes) {
        return book.lease(JOB, ask(output, bytes, 1));
    }

    private List<SegmentPlace> locate(final String output) {
        return book.locate(JOB, List.of(output)).get(0);
    }

    private NodeFill statusOf(final TestNode node) {
        return book.status().nodes().stream()
                .filter(n -> n.identity().equals(node.identity))
                .findFirst()
                .orElseThrow();
    }

    // ---- the end of a large job ----------------------------------------------------------------

    private static List<JobOutputs> outputs(final int from, final int count) {
        return List.of(
                new JobOutputs(
                        JOB,
                        IntStream.range(from, from + count)
                                .mapToObj(i -> new CommittedOutput("o" + i, 1))
                                .toList()));
    }

    /** All that the book does waits for the call that ends a job. */
    @Test
    void aJobOfManyOutputsEndsAtOnceAndItsPlacesAreRemovedInSteps() throws FetchException {
        final int step = BookJobs.OUTPUTS_AT_A_TIME;
        final int count = 10 * step;
        final TestNode memory = TestNode.memory("m1", count);
        final TestNode host = TestNode.host("h1", 0).runs(JOB, "alice").runs("job_1_2", "alice");
        settle(memory, host);
        passWith(2L * SETTINGS.settleMillis(), memory, host);
        final ReportPart news = new ReportPart(false, 0, false);
        for (int from = 0; from < count; from += step / 4) {
            memory.send(book, news, outputs(from, step / 4));
        }
        assertThat(statusOf(memory).outputs()).isEqualTo(count);
        host.endJob(JOB);
        for (int round = 0; round < 2; round++) {
            host.report(book);
            memory.report(book);
        }
        assertThat(locate("o1")).isEmpty();
        final int left = statusOf(memory).outputs();
        assertThat(left).as("no call removes all").isGreaterThan(count / 2);
        assertThat(book.status().bytesByUser()).as("at once").containsEntry("alice", 0L);
        assertThat(book.status().jobs()).extracting(JobFill::id).containsExactly("job_1_2");
        assertThat(left - statusOf(memory).outputs()).isEqualTo(3 * step);
        for (int i = 0; i < 10; i++) {
            book.expire();
            assertThat(locate("o" + i)).isEmpty();
        }
        assertThat(statusOf(memory).outputs()).isZero();
    }

    // ---- leases --------------------------------------------------------------------------------

    @Test
    void leasesOnNodesOnlyThatKnowTheJob() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 1000);
        final TestNode host = TestNode.host("h1", 0).runs(JOB, "alice");
        memory.settle(book);
        assertThat(lease("o1", 10)).as("no host has told of the job").isEmpty();
        host.settle(book);
        assertThat(lease("o1", 10)).as("the node has not heard of the job").isEmpty();
        memory.report(book);
        assertThat(lease("o1", 10)).as("the node has not told that it has").isEmpty();
        memory.report(book);
        assertThat(lease("o1", 10)).containsExactly(memory.place());
    }

    @Test
    void leasesNoMoreThanThereIs() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 1000).runs(JOB, "alice");
        settle(memory);
        assertThat(lease("o1", 1001)).isEmpty();
        assertThat(lease("o2", 600)).hasSize(1);
        assertThat(lease("o3", 600)).isEmpty();
        assertThat(lease("o4", 400)).hasSize(1);
        assertThat(lease("o5", 1)).isEmpty();
        assertThat(statusOf(memory).leased()).isEqualTo(1000);
    }

    @Test
    void memoryOfAnyNodeComesBeforeFilesOfAnother() throws FetchException {
        final TestNode files = TestNode.memory("m1", 1000).overflow(5000, 0).runs(JOB, "alice");
        final TestNode memory = TestNode.memory("m2", 1000);
        settle(files, memory);
        for (int i = 0; i < 4; i++) {
            assertThat(lease("o" + i, 500)).hasSize(1);
        }
        assertThat(statusOf(memory).leased()).isEqualTo(1000);
        assertThat(statusOf(files).leased()).isEqualTo(1000);
        for (int i = 4; i < 14; i++) {
            assertThat(lease("o" + i, 500)).containsExactly(files.place());
        }
        assertThat(lease("o14", 1)).as("all files are leased").isEmpty();
        assertThat(statusOf(files).leased()).isEqualTo(6000);
        // What memory had room for after all counts there, as the node says.
        files.commit(JOB, "o13", 500);
        files.report(book);
        assertThat(statusOf(files).leased()).isEqualTo(5500);
        assertThat(lease("o14", 500)).containsExactly(files.place());
        assertThat(lease("o15", 1)).isEmpty();
    }

    @Test
    void copiesGoToFilesOfAnotherHostWhereItHasNoMemory() throws FetchException {
        final TestNode files = TestNode.host("h1", 100).overflow(5000, 0).runs(JOB, "alice");
        final TestNode memory = TestNode.memory("m1", 10_000);
        settle(files, memory);
        files.used(100);
        settle(files);
        assertThat(book.lease(JOB, ask("o1", 500, 2)))
                .containsExactly(memory.place(), files.place());
        assertThat(
                        book.lease(
                                JOB,
                                new LeaseRequest(
                                        "o2", 500, 2, LeasePolicy.DEDICATED, "h", List.of())))
                .as("files of hosts that run tasks are not for dedicated outputs")
                .containsExactly(memory.place());
    }

    @Test
    void aLeaseOfFilesGrowsByWhatFilesHave() throws FetchException {
        final TestNode files = TestNode.memory("m1", 100).overflow(1000, 0).runs(JOB, "alice");
        settle(files);
        assertThat(lease("o1", 600)).hasSize(1);
        assertThat(lease("o1", 1000)).hasSize(1);
        assertThat(lease("o1", 1001)).isEmpty();
        files.overflow(1000, 1000);
        files.report(book);
        assertThat(lease("o2", 200)).isEmpty();
        pass(600_000);
        settle(files);
        assertThat(statusOf(files).leased()).isZero();
    }

    @Test
    void bytesAreLeasedOrUsedAndNotBoth() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 1000).runs(JOB, "alice");
        settle(memory);
        assertThat(lease("o1", 400)).hasSize(1);
        memory.commit(JOB, "o1", 390);
        memory.report(book);
        assertThat(statusOf(memory).leased()).isZero();
        assertThat(statusOf(memory).outputs()).isEqualTo(1);
        assertThat(lease("o2", 611)).isEmpty();
        assertThat(lease("o2", 610)).hasSize(1);
        assertThat(book.status().jobs()).containsExactly(new JobFill(JOB, "alice", 1000, 2, 0));
    }

    @Test
    void leavesNodesAloneThatAreNearlyFull() throws FetchException {
        restart(
                new BookSettings(
                        10_000, 60_000, 600_000, 1_000, BookQuota.ALL, BookQuota.ALL, 0.95));
        final TestNode memory = TestNode.memory("m1", 1000).runs(JOB, "alice");
        settle(memory);
        for (int i = 0; i < 9; i++) {
            assertThat(lease("o" + i, 100)).hasSize(1);
        }
        assertThat(lease("o9", 100)).isEmpty();
        assertThat(lease("o10", 50)).hasSize(1);
        assertThat(lease("o11", 0)).isEmpty();
    }

    @Test
    void asksForDedicatedNodesAreForThoseOnly() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 100);
        final TestNode host = TestNode.host("h1", 1000).runs(JOB, "alice");
        settle(host, memory);
        final LeaseRequest dedicated =
                new LeaseRequest("o1", 60, 1, LeasePolicy.DEDICATED, "h1", List.of());
        assertThat(book.lease(JOB, dedicated)).containsExactly(memory.place());
        final LeaseRequest another =
                new LeaseRequest("o2", 60, 1, LeasePolicy.DEDICATED, "h1", List.of());
        assertThat(book.lease(JOB, another)).isEmpty();
        assertThat(book.lease(JOB, ask("o2", 60, 1))).containsExactly(host.place());
    }

    @Test
    void aHostMayBecomeAMemoryNode() throws FetchException {
        final TestNode node = TestNode.host("h1", 1000).runs(JOB, "alice");
        settle(node);
        node.memoryOnly(true);
        node.report(book);
        final LeaseRequest dedicated =
                new LeaseRequest("o1", 900, 1, LeasePolicy.DEDICATED, "h1", List.of());
        assertThat(book.lease(JOB, dedicated)).containsExactly(node.place());
        assertThat(lease("o2", 500)).isEmpty();
        assertThat(lease("o2", 100)).hasSize(1);
    }

    @Test
    void answersTheSameAgain() throws FetchException {
        final TestNode one = TestNode.memory("m1", 1000).runs(JOB, "alice");
        final TestNode two = TestNode.memory("m2", 1000);
        final TestNode three = TestNode.memory("m3", 1000);
        settle(one, two, three);
        final List<SegmentPlace> first = lease("o1", 100);
        for (int i = 0; i < 5; i++) {
            assertThat(lease("o1", 100)).isEqualTo(first);
        }
        assertThat(lease("o1", 150)).as("longer than thought").isEqualTo(first);
        assertThat(book.status().jobs().get(0).bytes()).isEqualTo(150);
        assertThat(lease("o1", 40)).as("shorter").isEqualTo(first);
        assertThat(book.status().jobs().get(0).bytes()).isEqualTo(40);
        assertThat(book.lease(JOB, ask("o1", 40, 2))).hasSize(2).containsAll(first);
    }

    @Test
    void anOutputThatGrowsBeyondItsNodeGetsAnother() throws FetchException {
        final TestNode small = TestNode.memory("m1", 100).runs(JOB, "alice");
        settle(small);
        assertThat(lease("o1", 90)).containsExactly(small.place());
        final TestNode large = TestNode.memory("m2", 1000);
        settle(large);
        assertThat(lease("o1", 200)).containsExactly(large.place());
        assertThat(statusOf(small).leased()).isZero();
        assertThat(statusOf(large).leased()).isEqualTo(200);
    }

    @Test
    void excludedNodesAreReplaced() throws FetchException {
        final TestNode one = TestNode.memory("m1", 1000).runs(JOB, "alice");
        final TestNode two = TestNode.memory("m2", 1000);
        settle(one, two);
        final SegmentPlace first = lease("o1", 100).get(0);
        final TestNode used = first.equals(one.place()) ? one : two;
        final TestNode other = used == one ? two : one;
        assertThat(book.lease(JOB, ask("o1", 100, 1, used))).containsExactly(other.place());
        assertThat(statusOf(used).leased()).isZero();
        assertThat(book.lease(JOB, ask("o1", 100, 1, one, two))).isEmpty();
        assertThat(book.status().jobs().get(0).bytes()).isZero();
    }

    @Test
    void anExcludedNodeThatHoldsTheOutputIsLeftInPeace() throws FetchException {
        final TestNode one = TestNode.memory("m1", 1000).runs(JOB, "alice");
        settle(one);
        lease("o1", 100);
        one.commit(JOB, "o1", 100);
        one.report(book);
        assertThat(book.lease(JOB, ask("o1", 100, 1, one))).isEmpty();
        assertThat(locate("o1")).containsExactly(one.place());
        assertThat(lease("o1", 100)).containsExactly(one.place());
        assertThat(statusOf(one).leased()).isZero();
    }

    @Test
    void copiesAreOnDifferentNodes() throws FetchException {
        final TestNode one = TestNode.memory("m1", 1000).runs(JOB, "alice");
        final TestNode two = TestNode.memory("m2", 1000);
        settle(one, two);
        for (int i = 0; i < 5; i++) {
            assertThat(book.lease(JOB, ask("o" + i, 100, 2)))
                    .containsExactlyInAnyOrder(one.place(), two.place());
        }
        assertThat(book.lease(JOB, ask("o9", 100, 3))).hasSize(2).doesNotHaveDuplicates();
        assertThat(book.lease(JOB, ask("o9", 100, 2))).as("again").hasSize(2);
        assertThat(book.status().service().granted()).isEqualTo(12);
        assertThat(book.status().service().refusedInAll()).isEqualTo(1);
    }

    @Test
    void copiesAreOnDifferentHostsWhereThereAreSuch() throws FetchException {
        final TestNode one = TestNode.memory("m1", 1000).runs(JOB, "alice");
        final TestNode two = TestNode.memory("m2", 1000);
        settle(one, two);
        final SecondProcess beside = new SecondProcess("m1-b", one, 100_000);
        beside.settle();
        for (int i = 0; i < 5; i++) {
            assertThat(book.lease(JOB, ask("o" + i, 10, 2)))
                    .extracting(place -> place.address().host())
                    .containsExactlyInAnyOrder("m1", "m2");
        }
        final List<SegmentPlace> three = book.lease(JOB, ask("o9", 10, 3));
        assertThat(three).hasSize(3).doesNotHaveDuplicates();
    }

    /** Another node process of a host. */
    private final class SecondProcess {
        private final NodeIdentity identity;
        private final long capacity;

        SecondProcess(final String name, final TestNode first, final long capacity) {
            this.capacity = capacity;
            this.identity =
                    new NodeIdentity(name, new NodeAddress(first.identity.address().host(), 99), 1);
        }

        void settle() throws FetchException {
            var applied = TableVersion.NONE;
            for (int i = 0; i < 2; i++) {
                applied =
                        book.report(
                                        new NodeReport(
                                                identity,
                                                new NodeSpace(true, capacity, 0),
                                                applied,
                                                new ReportPart(i == 0, 0, false),
                                                ReportContent.EMPTY))
                                .changes()
                                .version();
            }
        }
    }

    @Test
    void leasesEndAfterTheirTimeUnlessCommittedOrAskedForAgain() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 1000).runs(JOB, "alice");
        settle(memory);
        lease("committed", 100);
        lease("again", 100);
        lease("forgotten", 100);
        memory.commit(JOB, "committed", 100);
        passWith(300_000, memory);
        lease("again", 100);
        passWith(299_000, memory);
        assertThat(statusOf(memory).leased()).isEqualTo(200);
        passWith(62_000, memory);
        assertThat(statusOf(memory).leased()).isEqualTo(100);
        assertThat(locate("committed")).hasSize(1);
        passWith(300_000, memory);
        assertThat(statusOf(memory).leased()).isZero();
        assertThat(book.status().jobs()).containsExactly(new JobFill(JOB, "alice", 100, 1, 0));
    }

    @Test
    void aJobHasNotMoreLeasesThanItsMapsCanUse() throws FetchException {
        final TestNode memory =
                TestNode.memory("m1", 1000).runs(JOB, "alice").runs("job_1_2", "bob");
        settle(memory);
        for (int i = 0; i < BookLeases.MAX_LEASES_OF_JOB; i++) {
            assertThat(lease("o" + i, 0)).hasSize(1);
        }
        assertThat(lease("one_more", 0)).isEmpty();
        assertThat(lease("o7", 0)).hasSize(1);
        assertThat(book.lease("job_1_2", ask("o1", 0, 1))).hasSize(1);
        memory.commit(JOB, "o7", 1);
        memory.report(book);
        assertThat(lease("one_more", 0)).hasSize(1);
        passWith(602_000, memory);
        assertThat(lease("many_more", 0)).hasSize(1);
        assertThat(book.status().jobs().get(0).outputs()).isEqualTo(2);
    }

    @Test
    void noMorePlacesAreLeasedThanTheHeapHasRoomForUntilSomeAreGone() throws FetchException {
        book = new PlacementBook(BookSettings.DEFAULTS, clock::get, clock.get() + 99, 3);
        final TestNode memory =
                TestNode.memory("m1", 1000).runs(JOB, "alice").runs("job_1_2", "bob");
        settle(memory);
        assertThat(lease("o1", 1)).hasSize(1);
        assertThat(lease("o2", 1)).hasSize(1);
        memory.commit(JOB, "o1", 1);
        memory.report(book);
        assertThat(book.lease("job_1_2", ask("o3", 1, 1))).hasSize(1);
        assertThat(lease("o4", 1)).isEmpty();
        assertThat(lease("o2", 1)).as("it has one").hasSize(1);
        assertThat(book.status().service().refused()).containsEntry(LeaseRefusal.NO_ROOM, 1L);
        passWith(602_000, memory);
        assertThat(lease("o4", 1)).as("leases have ended").hasSize(1);
    }

    @Test
    void aJobGetsItsShareOnly() throws FetchException {
        restart(
                new BookSettings(
                        10_000,
                        60_000,
                        600_000,
                        1_000,
                        new BookQuota(0.5, ServiceFigures.UNLIMITED),
                        BookQuota.ALL,
                        1.0));
        final TestNode one = TestNode.memory("m1", 1000).runs(JOB, "alice").runs("job_1_2", "bob");
        final TestNode two = TestNode.memory("m2", 1000);
        settle(one, two);
        assertThat(lease("o1", 900)).hasSize(1);
        assertThat(lease("o2", 101)).isEmpty();
        assertThat(lease("o2", 100)).hasSize(1);
        assertThat(lease("o1", 901)).as("grows beyond the share").isEmpty();
        assertThat(book.lease("job_1_2", ask("o1", 500, 1))).hasSize(1);
        assertThat(book.lease("job_1_2", ask("o2", 400, 2))).as("room for one copy").hasSize(1);
    }

    @Test
    void aUserGetsItsShareOnlyInAllJobs() throws FetchException {
        restart(
                new BookSettings(
                        10_000,
                        60_000,
                        600_000,
                        1_000,
                        BookQuota.ALL,
                        new BookQuota(0.25, ServiceFigures.UNLIMITED),
                        1.0));
        final TestNode one =
                TestNode.memory("m1", 2000)
                        .runs(JOB, "alice")
                        .runs("job_1_2", "alice")
                        .runs("job_1_3", "bob");
        settle(one);
        assertThat(lease("o1", 300)).hasSize(1);
        assertThat(book.lease("job_1_2", ask("o1", 201, 1))).isEmpty();
        assertThat(book.lease("job_1_2", ask("o1", 200, 1))).hasSize(1);
        assertThat(book.lease("job_1_3", ask("o1", 500, 1))).hasSize(1);
        assertThat(book.status().bytesByUser()).isEqualTo(Map.of("alice", 500L, "bob", 500L));
    }

    @Test
    void quotasMayBeBytesAndTheSmallerBoundCounts() throws FetchException {
        restart(
                BookSettings.DEFAULTS.withQuotas(
                        new BookQuota(0.5, 300), new BookQuota(0.25, 1_000_000)));
        final TestNode one =
                TestNode.memory("m1", 2000).runs(JOB, "alice").runs("job_1_2", "alice");
        settle(one);
        assertThat(book.status().service())
                .returns(300L, ServiceFigures::jobLimit)
                .returns(500L, ServiceFigures::userLimit);
        assertThat(lease("o1", 301)).isEmpty();
        assertThat(lease("o1", 300)).hasSize(1);
        assertThat(book.lease("job_1_2", ask("o1", 201, 1))).isEmpty();
        assertThat(book.lease("job_1_2", ask("o1", 200, 1))).hasSize(1);
    }

    @Test
    void aQuotaOfNoBytesKeepsEverythingLocal() throws FetchException {
        restart(BookSettings.DEFAULTS.withQuotas(new BookQuota(1, 0), BookQuota.ALL));
        settle(TestNode.memory("m1", 2000).runs(JOB, "alice"));
        assertThat(lease("o1", 1)).isEmpty();
    }

    /** An output that cannot grow within the quota gives its lease back; there is room then. */
    @Test
    void placesThatAreRefusedAreCountedByCauseAndByJob() throws FetchException {
        restart(
                BookSettings.DEFAULTS.withQuotas(
                        new BookQuota(0.5, ServiceFigures.UNLIMITED),
                        new BookQuota(0.75, ServiceFigures.UNLIMITED)));
        final TestNode one =
                TestNode.memory("m1", 2000).runs(JOB, "alice").runs("job_1_2", "alice");
        settle(one);
        assertThat(lease("o1", 900)).hasSize(1);
        assertThat(book.lease(JOB, ask("o2", 101, 2))).as("two copies").isEmpty();
        assertThat(book.lease("job_1_2", ask("o1", 601, 1))).isEmpty();
        assertThat(book.lease("job_1_2", ask("o1", 100, 1))).hasSize(1);
        assertThat(book.lease("job_1_2", ask("o2", 10, 2))).as("one node only").hasSize(1);
        assertThat(book.lease("job_1_9", ask("o1", 1, 3))).isEmpty();
        final ServiceFigures service = book.status().service();
        assertThat(service.refused())
                .isEqualTo(
                        Map.of(
                                LeaseRefusal.JOB_QUOTA, 2L,
                                LeaseRefusal.USER_QUOTA, 1L,
                                LeaseRefusal.NO_ROOM, 1L,
                                LeaseRefusal.UNKNOWN_JOB, 3L,
                                LeaseRefusal.LEASES, 0L));
        assertThat(service.leases()).isEqualTo(3);
        assertThat(book.status().jobs())
                .containsExactly(
                        new JobFill(JOB, "alice", 900, 1, 2),
                        new JobFill("job_1_2", "alice", 110, 2, 1));
    }

    @Test
    void quotasAreSettings() {
        final BookSettings settings =
                BookSettings.from(
                        Map.of(
                                        "spillway.placement.job.percent", "0.5",
                                        "spillway.placement.user.bytes", "1g")
                                ::get);
        assertThat(settings.ofJob()).isEqualTo(new BookQuota(0.5, ServiceFigures.UNLIMITED));
        assertThat(settings.ofUser()).isEqualTo(new BookQuota(1, 1L << 30));
        assertThat(BookSettings.from(name -> null)).isEqualTo(BookSettings.DEFAULTS);
        assertThatThrownBy(
                        () ->
                                BookSettings.from(
                                        Map.of("spillway.placement.user.percent", "0")::get))
                .isInstanceOf(InvalidSettingException.class);
    }

    // ---- spreading -----------------------------------------------------------------------------

    private Map<SegmentPlace, Integer> leaseMany(final String prefix, final int count) {
        final Map<SegmentPlace, Integer> byPlace = new HashMap<>();
        for (int i = 0; i < count; i++) {
            byPlace.merge(lease(prefix + i, 10).get(0), 1, Integer::sum);
        }
        return byPlace;
    }

    @Test
    void nodesAreFilledInProportionToWhatTheyHaveFree() throws FetchException {
        final TestNode one = TestNode.memory("m1", 10_000).runs(JOB, "alice");
        final TestNode two = TestNode.host("m2", 20_000);
        final TestNode three = TestNode.memory("m3", 10_000);
        three.used(5_000);
        settle(one, two, three);
        final Map<SegmentPlace, Integer> byPlace = leaseMany("o", 700);
        assertThat(byPlace.get(one.place())).isBetween(190, 210);
        assertThat(byPlace.get(two.place())).isBetween(390, 410);
        assertThat(byPlace.get(three.place())).isBetween(90, 110);
    }

    @Test
    void aNodeThatComesBackIsOwedNothing() throws FetchException {
        final TestNode one = TestNode.memory("m1", 1_000_000).runs(JOB, "alice");
        final TestNode two = TestNode.memory("m2", 1_000_000);
        final TestNode full = TestNode.memory("m3", 1_000_000);
        full.used(1_000_000);
        settle(one, two, full);
        assertThat(leaseMany("a", 3_000)).doesNotContainKey(full.place());
        full.used(0);
        full.report(book);
        final TestNode young = TestNode.memory("m4", 1_000_000);
        settle(young);
        final Map<SegmentPlace, Integer> byPlace = leaseMany("b", 400);
        assertThat(byPlace.get(full.place())).isBetween(95, 110);
        assertThat(byPlace.get(young.place())).isBetween(95, 110);
    }

    @Test
    void emptyOutputsAreSpreadToo() throws FetchException {
        final TestNode one = TestNode.memory("m1", 1_000_000).runs(JOB, "alice");
        final TestNode two = TestNode.memory("m2", 1_000_000);
        settle(one, two);
        final Map<SegmentPlace, Integer> byPlace = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            byPlace.merge(lease("o" + i, 0).get(0), 1, Integer::sum);
        }
        assertThat(byPlace.values()).containsExactly(50, 50);
    }

    // ---- where outputs are ---------------------------------------------------------------------

    @Test
    void anOutputIsLocatedOnceItIsCommitted() throws FetchException {
        final TestNode one = TestNode.memory("m1", 1000).runs(JOB, "alice");
        final TestNode two = TestNode.memory("m2", 1000);
        settle(one, two);
        book.lease(JOB, ask("o1", 100, 2));
        assertThat(locate("o1")).isEmpty();
        one.commit(JOB, "o1", 100);
        one.report(book);
        assertThat(locate("o1")).containsExactly(one.place());
        two.commit(JOB, "o1", 100);
        two.report(book);
        assertThat(book.locate(JOB, List.of("none", "o1")))
                .satisfiesExactly(
                        none -> assertThat(none).isEmpty(),
                        both ->
                                assertThat(both)
                                        .containsExactlyInAnyOrder(one.place(), two.place()));
        assertThat(book.locate("job_1_2", List.of("o1"))).containsExactly(List.of());
    }

    @Test
    void whatIsReportedTwiceCountsOnce() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 1000).runs(JOB, "alice");
        settle(memory);
        lease("o1", 100);
        final List<JobOutputs> outputs =
                List.of(new JobOutputs(JOB, List.of(new CommittedOutput("o1", 100))));
        for (int i = 0; i < 3; i++) {
            memory.send(book, new ReportPart(false, 0, false), outputs);
        }
        assertThat(statusOf(memory).outputs()).isEqualTo(1);
        assertThat(locate("o1")).hasSize(1);
        assertThat(book.status().jobs()).containsExactly(new JobFill(JOB, "alice", 100, 1, 0));
    }

    @Test
    void aSilentNodeIsGivenUp() throws FetchException {
        final TestNode silent = TestNode.memory("m1", 1000).runs(JOB, "alice");
        final TestNode other = TestNode.host("h1", 0).runs(JOB, "alice");
        settle(silent, other);
        lease("o1", 100);
        lease("o2", 100);
        silent.commit(JOB, "o1", 100);
        silent.report(book);
        passWith(9_000, other);
        assertThat(locate("o1")).hasSize(1);
        passWith(1_000, other);
        assertThat(locate("o1")).isEmpty();
        assertThat(lease("o2", 100)).isEmpty();
        book.expire();
        assertThat(book.status().nodes()).hasSize(1);
        assertThat(book.status().jobs()).containsExactly(new JobFill(JOB, "alice", 0, 0, 0));
        assertThat(silent.report(book).wantsListing()).isTrue();
        settle(silent);
        assertThat(locate("o1")).containsExactly(silent.place());
    }

    @Test
    void anotherEpochTakesThePlace() throws FetchException {
        final TestNode old = TestNode.memory("m1", 1000).runs(JOB, "alice");
        settle(old);
        lease("o1", 100);
        lease("o2", 100);
        old.commit(JOB, "o1", 100);
        old.report(book);
        final TestNode young = old.restarted();
        settle(young);
        assertThat(locate("o1")).isEmpty();
        assertThat(book.status().nodes()).hasSize(1);
        assertThat(statusOf(young).leased()).isZero();
        assertThat(lease("o2", 100)).containsExactly(young.place());
    }

    @Test
    void theYoungerOfTwoNodesOfOneNameCounts() throws FetchException {
        final TestNode old = TestNode.memory("m1", 1000).runs(JOB, "alice");
        final TestNode young = old.restarted();
        settle(young);
        assertThatThrownBy(() -> old.report(book))
                .isInstanceOfSatisfying(
                        FetchException.class,
                        e -> assertThat(e.reason()).isEqualTo(FetchException.Reason.CONFLICT))
                .hasMessageContaining("node m1 at m1:13562 (epoch 1)")
                .hasMessageContaining("m1:13562 (epoch 2)");
        assertThat(book.status().nodes())
                .extracting(NodeFill::identity)
                .containsExactly(young.identity);
        pass(10_000);
        settle(old);
        assertThat(book.status().nodes())
                .extracting(NodeFill::identity)
                .containsExactly(old.identity);
    }

    /** It was started again on a host whose clock was set back: its epoch is the smaller one. */
    @Test
    void aNodeWhoseClockWentBackIsRefusedForTheTimeOutOnly() throws FetchException {
        final TestNode back = TestNode.memory("m1", 1000).runs(JOB, "alice");
        final TestNode ahead = back.restarted();
        settle(ahead);
        lease("o1", 100);
        ahead.commit(JOB, "o1", 100);
        ahead.report(book);
        for (int second = 0; second < 10; second++) {
            assertThatThrownBy(() -> back.report(book)).hasMessageContaining("a younger one");
            pass(1_000);
        }
        settle(back);
        assertThat(locate("o1")).as("what went with the process").isEmpty();
        assertThat(lease("o1", 100)).containsExactly(back.place());
        assertThat(book.status().nodes()).hasSize(1);
        final TestNode next = ahead.restarted();
        settle(next);
        assertThat(statusOf(next).leased()).as("a clock that is right again").isZero();
    }

    /** A drained node reports its used bytes as its capacity, which any release understands. */
    @Test
    void aDrainedNodeGetsNothingAndIsShownAsFull() throws FetchException {
        restart(BookSettings.DEFAULTS);
        final TestNode drained = TestNode.memory("m1", 1000).runs(JOB, "alice");
        final TestNode other = TestNode.memory("m2", 1000);
        settle(drained, other);
        drained.commit(JOB, "o1", 100);
        drained.capacity(drained.used());
        drained.report(book);
        for (int output = 2; output < 10; output++) {
            assertThat(lease("o" + output, output % 2)).containsExactly(other.place());
        }
        assertThat(locate("o1")).containsExactly(drained.place());
        assertThat(statusOf(drained).state(book.status().service())).isEqualTo(NodeFill.State.FULL);

        drained.used(0);
        drained.capacity(1);
        drained.report(book);
        assertThat(lease("o10", 0)).containsExactly(other.place());
        assertThat(statusOf(drained).state(book.status().service()))
                .as("of a byte, so that it goes on learning of jobs")
                .isEqualTo(NodeFill.State.FULL);
    }

    /** Between two looks at all time-outs. */
    @Test
    void aNodeIsGivenUpOnTime() throws FetchException {
        final TestNode old = TestNode.memory("m1", 1000).runs(JOB, "alice");
        final TestNode silent = old.restarted();
        final TestNode other = TestNode.host("h1", 0).runs(JOB, "alice");
        settle(silent, other);
        lease("o1", 100);
        silent.commit(JOB, "o1", 100);
        silent.report(book);
        pass(9_900);
        other.report(book);
        assertThat(locate("o1")).hasSize(1);
        pass(100);
        assertThat(locate("o1")).isEmpty();
        assertThat(lease("o2", 100)).isEmpty();
        old.report(book);
        assertThat(book.status().nodes())
                .extracting(NodeFill::identity)
                .containsExactlyInAnyOrder(old.identity, other.identity);
    }

    @Test
    void sharesAreOfWhatLivesNow() throws FetchException {
        restart(
                new BookSettings(
                        10_000,
                        60_000,
                        600_000,
                        1_000,
                        new BookQuota(0.5, ServiceFigures.UNLIMITED),
                        BookQuota.ALL,
                        1.0));
        final TestNode one = TestNode.memory("m1", 1000).runs(JOB, "alice");
        final TestNode two = TestNode.memory("m2", 1000);
        settle(one, two);
        assertThat(lease("o1", 800)).hasSize(1);
        assertThat(book.lease(JOB, ask("o1", 800, 1, one, two))).isEmpty();
        passWith(12_000, one);
        assertThat(lease("o2", 800)).isEmpty();
        assertThat(lease("o2", 500)).hasSize(1);
        one.capacity(2000);
        one.report(book);
        assertThat(lease("o3", 500)).hasSize(1);
        assertThat(lease("o4", 1)).isEmpty();
    }

    // ---- lists of outputs ----------------------------------------------------------------------

    private static List<JobOutputs> outputs(final String... names) {
        return List.of(
                new JobOutputs(
                        JOB,
                        List.of(names).stream().map(n -> new CommittedOutput(n, 10)).toList()));
    }

    @Test
    void aListReplacesWhatWasKnown() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 1000).runs(JOB, "alice");
        memory.send(book, new ReportPart(true, 0, false), outputs("a", "b"));
        memory.send(book, new ReportPart(false, 0, false), outputs("c"));
        assertThat(locate("c")).hasSize(1);
        memory.send(book, new ReportPart(true, 0, true), outputs("b"));
        assertThat(locate("a")).as("until the list is whole").hasSize(1);
        memory.send(book, new ReportPart(true, 1, false), outputs("d"));
        assertThat(locate("a")).isEmpty();
        assertThat(locate("b")).hasSize(1);
        assertThat(locate("c")).isEmpty();
        assertThat(locate("d")).hasSize(1);
        assertThat(statusOf(memory).outputs()).isEqualTo(2);
    }

    @Test
    void aListWithAPartMissingIsAskedForAgain() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 1000).runs(JOB, "alice");
        assertThat(memory.send(book, new ReportPart(false, 0, false), outputs("a")).wantsListing())
                .as("a book that does not know the node")
                .isTrue();
        assertThat(locate("a")).isEmpty();
        assertThat(memory.send(book, new ReportPart(true, 0, true), outputs("a")).wantsListing())
                .isFalse();
        assertThat(memory.send(book, new ReportPart(true, 2, false), outputs("c")).wantsListing())
                .isTrue();
        assertThat(memory.send(book, new ReportPart(false, 0, false), List.of()).wantsListing())
                .isTrue();
        final NodeOrders whole = memory.send(book, new ReportPart(true, 0, false), outputs("a"));
        assertThat(whole.wantsListing()).isFalse();
        assertThat(locate("a")).hasSize(1);
    }

    @Test
    void whatIsNewIsNotTakenAfterAListWithAPartMissing() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 1000).runs(JOB, "alice");
        memory.send(book, new ReportPart(true, 0, false), outputs("a"));
        memory.send(book, new ReportPart(true, 0, true), outputs("a"));
        assertThat(memory.send(book, new ReportPart(true, 2, false), outputs("c")).wantsListing())
                .isTrue();
        assertThat(memory.send(book, new ReportPart(false, 0, false), outputs("d")).wantsListing())
                .isTrue();
        assertThat(locate("a")).as("still held").hasSize(1);
        assertThat(locate("d")).isEmpty();
    }

    @Test
    void noTableIsSentBeforeTheListIsWhole() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 1000).runs(JOB, "alice");
        memory.send(book, new ReportPart(true, 0, true), outputs("a"));
        assertThat(memory.runs).isEmpty();
        memory.send(book, new ReportPart(true, 1, false), outputs("b"));
        assertThat(memory.runs).containsExactly(JOB);
    }

    // ---- jobs ----------------------------------------------------------------------------------

    @Test
    void aJobEndsWhenNoHostReportsIt() throws FetchException {
        final TestNode host = TestNode.host("h1", 0).runs(JOB, "alice");
        final TestNode memory = TestNode.memory("m1", 1000);
        settle(host, memory);
        lease("o1", 100);
        lease("o2", 100);
        memory.commit(JOB, "o1", 100);
        passWith(120_000, host, memory);
        assertThat(memory.ended).isEmpty();
        host.endJob(JOB);
        host.report(book);
        memory.report(book);
        host.report(book);
        assertThat(host.ended).as("another one may have it, and not have told yet").isEmpty();
        memory.report(book);
        assertThat(memory.ended).containsExactly(JOB);
        host.report(book);
        assertThat(host.ended).containsExactly(JOB);
        assertThat(locate("o1")).isEmpty();
        assertThat(lease("o3", 1)).isEmpty();
        assertThat(book.status().jobs()).isEmpty();
        assertThat(book.status().bytesByUser()).isEmpty();
        assertThat(statusOf(memory).leased()).isZero();
        assertThat(statusOf(memory).outputs()).isZero();
    }

    @Test
    void aJobGoesOnAsLongAsOneHostHasIt() throws FetchException {
        final TestNode one = TestNode.host("h1", 0).runs(JOB, "alice");
        final TestNode two = TestNode.host("h2", 0);
        settle(one, two);
        passWith(61_000, one, two);
        one.endJob(JOB);
        one.report(book);
        two.runs(JOB, "alice");
        passWith(120_000, one, two);
        assertThat(one.ended).isEmpty();
        two.endJob(JOB);
        passWith(2_000, one, two);
        assertThat(one.ended).as("which has not heard it yet").isEmpty();
        passWith(1_000, one, two);
        assertThat(one.ended).containsExactly(JOB);
    }

    /** The handlers of its NodeManagers may not have come to the process yet. */
    @Test
    void aHostWhoseProcessWasStartedAgainHasItsJobs() throws FetchException {
        final TestNode old = TestNode.host("h1", 0).runs(JOB, "alice");
        final TestNode memory = TestNode.memory("m1", 1000);
        settle(old, memory);
        passWith(61_000, old, memory);
        final TestNode young = old.restarted();
        young.endJob(JOB);
        passWith(50_000, young, memory);
        assertThat(memory.ended).isEmpty();
        young.runs(JOB, "alice");
        passWith(120_000, young, memory);
        assertThat(memory.ended).isEmpty();
        young.endJob(JOB);
        passWith(3_000, young, memory);
        assertThat(memory.ended).containsExactly(JOB);
    }

    /** The job's tasks, on their hosts, reach the memory node all the while. */
    @Test
    void tenMinutesWithoutANetworkToTheHostsOfAJobCostNothing() throws FetchException {
        restart(BookSettings.DEFAULTS);
        final TestNode host = TestNode.host("h1", 0).runs(JOB, "alice").runs("job_1_2", "bob");
        final TestNode memory = TestNode.memory("m1", 1000);
        settle(host, memory);
        passWith(70_000, host, memory);
        lease("o1", 100);
        memory.commit(JOB, "o1", 100);
        passWith(600_000, memory);
        assertThat(memory.ended).isEmpty();
        assertThat(memory.silent).isEmpty();
        assertThat(memory.holds(JOB, "o1")).isTrue();
        assertThat(locate("o1")).containsExactly(memory.place());
        host.endJob("job_1_2");
        settle(host, memory);
        assertThat(lease("o2", 10)).containsExactly(memory.place());
        passWith(70_000, host, memory);
        assertThat(memory.ended).as("ended meanwhile").containsExactly("job_1_2");
    }

    /** Longer than the service waits: what the memory node still has is known again. */
    @Test
    void aJobWhoseHostsComeBackLateRunsAgain() throws FetchException {
        final TestNode host = TestNode.host("h1", 0).runs(JOB, "alice");
        final TestNode memory = TestNode.memory("m1", 1000);
        settle(host, memory);
        memory.commit(JOB, "o1", 100);
        passWith(600_000, memory);
        assertThat(memory.silent).containsExactly(JOB);
        assertThat(memory.ended).isEmpty();
        settle(host, memory);
        assertThat(memory.silent).isEmpty();
        memory.listAgain();
        settle(memory);
        assertThat(locate("o1")).containsExactly(memory.place());
        assertThat(lease("o2", 10)).containsExactly(memory.place());
    }

    /** A node that is silent may have a job that it has never told of. */
    @Test
    void noJobEndsAtOnceWhileNodesComeAndGo() throws FetchException {
        final TestNode host = TestNode.host("h1", 0).runs(JOB, "alice");
        final TestNode silent = TestNode.host("h2", 0);
        settle(host, silent);
        passWith(61_000, host, silent);
        host.endJob(JOB);
        passWith(50_000, host);
        assertThat(host.ended).isEmpty();
        silent.runs(JOB, "alice");
        passWith(120_000, host, silent);
        assertThat(host.ended).isEmpty();
    }

    @Test
    void aReportWithAPartMissingEndsNothing() throws FetchException {
        final TestNode host = TestNode.host("h1", 0).runs(JOB, "alice").runs("job_1_2", "bob");
        final TestNode memory = TestNode.memory("m1", 1000);
        settle(host, memory);
        passWith(61_000, host, memory);
        host.endJob(JOB);
        for (int i = 0; i < 10; i++) {
            host.send(book, new ReportPart(true, 1, false), List.of());
            memory.report(book);
        }
        assertThat(memory.ended).isEmpty();
        for (int i = 0; i < 3; i++) {
            host.send(book, new ReportPart(true, 0, true), List.of());
            host.send(book, new ReportPart(true, 1, false), List.of());
            memory.report(book);
        }
        assertThat(memory.ended).containsExactly(JOB);
    }

    @Test
    void anOutputThatIsCommittedAsItsJobEndsIsNotKept() throws FetchException {
        final TestNode host = TestNode.host("h1", 0).runs(JOB, "alice");
        final TestNode memory = TestNode.memory("m1", 1000);
        settle(host, memory);
        host.endJob(JOB);
        passWith(52_000, host, memory);
        passWith(9_000, host);
        book.expire();
        assertThat(book.status().jobs()).isEmpty();
        memory.commit(JOB, "late", 10);
        memory.report(book);
        assertThat(book.status().jobs()).isEmpty();
        assertThat(memory.ended).containsExactly(JOB);
    }

    @Test
    void aJobThatComesBackRunsAgain() throws FetchException {
        final TestNode host = TestNode.host("h1", 0).runs(JOB, "alice");
        final TestNode memory = TestNode.memory("m1", 1000);
        settle(host, memory);
        host.endJob(JOB);
        passWith(70_000, host, memory);
        assertThat(memory.ended).containsExactly(JOB);
        host.runs(JOB, "alice");
        settle(host, memory);
        assertThat(memory.runs).containsExactly(JOB);
        assertThat(lease("o1", 10)).hasSize(1);
    }

    @Test
    void aPauseOfAllReportsEndsNoJob() throws FetchException {
        final TestNode host = TestNode.host("h1", 0).runs(JOB, "alice");
        final TestNode memory = TestNode.memory("m1", 1000);
        settle(host, memory);
        memory.commit(JOB, "o1", 100);
        passWith(70_000, host, memory);
        pass(3_600_000);
        assertThat(lease("o2", 10)).as("all nodes are silent").isEmpty();
        memory.settle(book);
        assertThat(memory.ended).isEmpty();
        assertThat(locate("o1")).hasSize(1);
        passWith(30_000, memory);
        passWith(120_000, host, memory);
        assertThat(memory.ended).isEmpty();
        assertThat(locate("o1")).hasSize(1);
    }

    @Test
    void aBookThatStartsAnewLearnsAllAndEndsNothingTooEarly() throws FetchException {
        final TestNode host = TestNode.host("h1", 0).runs(JOB, "alice");
        final TestNode memory = TestNode.memory("m1", 1000);
        settle(host, memory);
        lease("o1", 100);
        memory.commit(JOB, "o1", 100);
        memory.report(book);

        restart(SETTINGS);
        assertThat(memory.report(book).wantsListing()).isTrue();
        final NodeOrders orders = memory.report(book);
        assertThat(orders.changes().reset()).isTrue();
        assertThat(orders.changes().complete()).isFalse();
        assertThat(orders.changes().kept()).containsExactly(JOB);
        assertThat(locate("o1")).as("before its host has reported").containsExactly(memory.place());
        assertThat(lease("o2", 10)).isEmpty();
        settle(host, memory);
        assertThat(lease("o2", 10)).containsExactly(memory.place());
        assertThat(book.status().bytesByUser()).isEqualTo(Map.of("alice", 110L));

        passWith(59_000, host, memory);
        assertThat(book.status().service().settled()).isFalse();
        pass(1_000);
        host.report(book);
        pass(8_000);
        final NodeOrders settled = memory.report(book);
        assertThat(book.status().service().settled()).isTrue();
        assertThat(settled.changes().reset()).isTrue();
        assertThat(settled.changes().complete()).isTrue();
        assertThat(settled.changes().jobs()).extracting("id").containsExactly(JOB);
        assertThat(memory.ended).isEmpty();
    }

    @Test
    void outputsOfAJobThatNoHostHasAreGivenUpInTheEnd() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 1000);
        memory.commit("job_0_9", "o1", 100);
        settle(memory);
        passWith(59_000, memory);
        assertThat(memory.ended).isEmpty();
        pass(2_000);
        book.expire();
        assertThat(book.status().jobs()).isEmpty();
        passWith(2_000, memory);
        assertThat(memory.silent).containsExactly("job_0_9");
        assertThat(memory.ended).as("its node decides by the job's users").isEmpty();
    }

    @Test
    void manyJobsGoInSeveralAnswers() throws FetchException {
        final TestNode host = TestNode.host("h1", 0);
        final TestNode memory = TestNode.memory("m1", 1000);
        for (int wave = 0; wave < 20; wave++) {
            final TestNode other = TestNode.host("other" + wave, 0);
            for (int i = 0; i < 60; i++) {
                other.runs("job_" + wave + "_" + i, "user" + i % 7);
            }
            other.report(book);
        }
        settle(host, memory);
        assertThat(memory.runs).hasSize(1200);
        passWith(80_000, host, memory);
        assertThat(memory.runs).isEmpty();
        assertThat(memory.silent).hasSize(1200);
    }

    @Test
    void aClockThatGoesBackStandsStill() throws FetchException {
        final TestNode memory = TestNode.memory("m1", 1000).runs(JOB, "alice");
        settle(memory);
        memory.commit(JOB, "o1", 100);
        memory.report(book);
        pass(-3_600_000);
        assertThat(locate("o1")).hasSize(1);
        memory.report(book);
        assertThat(lease("o2", 10)).hasSize(1);
        pass(3_600_000);
        assertThat(locate("o1")).hasSize(1);
        memory.report(book);
        assertThat(memory.ended).isEmpty();
    }

    @Test
    void settingsAreChecked() {
        assertThatThrownBy(() -> new BookSettings(0, 1, 1, 1_000, BookQuota.ALL, BookQuota.ALL, 1))
                .hasMessageContaining("nodeTimeoutMillis=0");
        assertThatThrownBy(() -> new BookSettings(1, 1, 1, 1, BookQuota.ALL, BookQuota.ALL, 1))
                .hasMessageContaining("reportIntervalMillis=1");
        assertThatThrownBy(() -> new BookQuota(0, 1)).hasMessageContaining("share=0.0");
        assertThatThrownBy(() -> new BookQuota(1.01, 1)).hasMessageContaining("share=1.01");
        assertThatThrownBy(() -> new BookQuota(1, -1)).hasMessageContaining("bytes=-1");
        assertThatThrownBy(
                        () ->
                                new BookSettings(
                                        1, 1, 1, 1_000, BookQuota.ALL, BookQuota.ALL, Double.NaN))
                .hasMessageContaining("highWater=NaN");
    }
}
