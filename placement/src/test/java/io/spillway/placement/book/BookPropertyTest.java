// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.placement.message.LeasePolicy;
import io.spillway.placement.message.LeaseRequest;
import io.spillway.placement.status.JobFill;
import io.spillway.placement.status.NodeFill;
import io.spillway.placement.status.PlacementStatus;
import io.spillway.placement.status.ServiceFigures;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Leases, commits, restarts and silence in any order: sums stay true and no node is overfull. */
class BookPropertyTest {
    private static final int STEPS = 1500;
    private static final long CAPACITY = 100_000;
    private static final BookSettings SETTINGS =
            new BookSettings(
                    10_000,
                    60_000,
                    30_000,
                    1_000,
                    new BookQuota(0.7, ServiceFigures.UNLIMITED),
                    new BookQuota(0.9, ServiceFigures.UNLIMITED),
                    0.95);

    private final AtomicLong clock = new AtomicLong(-5);
    private final List<TestNode> nodes = new ArrayList<>();

    /** The places leased of each output, by job and output. */
    private final Map<String, List<SegmentPlace>> leased = new HashMap<>();

    @Property(tries = 25)
    void sumsStayTrue(@ForAll final long seed) throws FetchException {
        nodes.clear();
        leased.clear();
        clock.set(-5);
        final Random random = new Random(seed);
        PlacementBook book = new PlacementBook(SETTINGS, clock::get, seed);
        for (int i = 0; i < 8; i++) {
            nodes.add(new TestNode("n" + i, 1, i % 2 == 0, CAPACITY));
        }
        for (int i = 0; i < 5; i++) {
            nodes.get(i).runs("job_" + i, "user_" + i % 3);
        }
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> nodes.get(random.nextInt(nodes.size())).report(book);
                case 3 -> commit(random);
                case 4 -> clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1_500)));
                case 5 -> restartNode(random);
                default -> lease(book, random, step);
            }
            if (random.nextInt(500) == 0) {
                book = new PlacementBook(SETTINGS, clock::get, seed + step);
            }
            check(book.status());
        }
        reportAll(book);
        reportAll(book);
        checkHeld(book);
    }

    private void lease(final PlacementBook book, final Random random, final int step) {
        final String job = "job_" + random.nextInt(5);
        final String output = "o" + random.nextInt(step + 1);
        final int copies = 1 + random.nextInt(LeaseRequest.MAX_COPIES);
        final List<NodeAddress> exclude = new ArrayList<>();
        for (final TestNode node : nodes) {
            if (random.nextInt(8) == 0) {
                exclude.add(node.identity.address());
            }
        }
        final LeasePolicy policy = LeasePolicy.values()[random.nextInt(2)];
        final List<SegmentPlace> places =
                book.lease(
                        job,
                        new LeaseRequest(
                                output, random.nextInt(20_000), copies, policy, "h", exclude));
        assertThat(places).hasSizeLessThanOrEqualTo(copies).doesNotHaveDuplicates();
        assertThat(places).noneMatch(place -> exclude.contains(place.address()));
        leased.put(job + " " + output, places);
    }

    private void commit(final Random random) {
        for (final Map.Entry<String, List<SegmentPlace>> lease : Map.copyOf(leased).entrySet()) {
            if (random.nextInt(4) > 0) {
                continue;
            }
            final String[] names = lease.getKey().split(" ", 2);
            for (final TestNode node : nodes) {
                if (lease.getValue().contains(node.place())
                        && node.used() < CAPACITY / 2
                        && !node.holds(names[0], names[1])) {
                    node.commit(names[0], names[1], random.nextInt(20_000));
                }
            }
            leased.remove(lease.getKey());
        }
    }

    private void restartNode(final Random random) {
        if (random.nextInt(10) == 0) {
            nodes.replaceAll(node -> random.nextInt(8) == 0 ? node.restarted() : node);
        }
    }

    private void reportAll(final PlacementBook book) throws FetchException {
        for (final TestNode node : nodes) {
            node.settle(book);
        }
    }

    private static void check(final PlacementStatus status) {
        long leasedBytes = 0;
        for (final NodeFill node : status.nodes()) {
            assertThat(node.leased()).isBetween(0L, (long) (CAPACITY * SETTINGS.highWater()));
            leasedBytes += node.leased();
        }
        final long ofJobs = status.jobs().stream().mapToLong(JobFill::bytes).sum();
        final long ofUsers = status.bytesByUser().values().stream().mapToLong(b -> b).sum();
        final long ofUnknown =
                status.jobs().stream()
                        .filter(job -> job.user().isEmpty())
                        .mapToLong(JobFill::bytes)
                        .sum();
        assertThat(ofUsers + ofUnknown).isEqualTo(ofJobs);
        assertThat(ofJobs).isGreaterThanOrEqualTo(leasedBytes);
    }

    /** All have reported: what is neither leased nor held is not counted. */
    private void checkHeld(final PlacementBook book) {
        final PlacementStatus status = book.status();
        assertThat(status.nodes()).hasSize(nodes.size());
        final long leasedBytes = status.nodes().stream().mapToLong(NodeFill::leased).sum();
        final long held = nodes.stream().mapToLong(TestNode::heldBytes).sum();
        final long ofJobs = status.jobs().stream().mapToLong(JobFill::bytes).sum();
        assertThat(ofJobs).isEqualTo(leasedBytes + held);
        final Set<String> users = new HashSet<>();
        status.jobs().forEach(job -> users.add(job.user()));
        assertThat(users).containsAll(status.bytesByUser().keySet());
    }
}
