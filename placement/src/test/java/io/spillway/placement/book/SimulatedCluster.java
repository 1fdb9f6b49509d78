// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.LeasePolicy;
import io.spillway.placement.message.LeaseRequest;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Hosts and memory nodes around a book: maps of ten jobs lease places for outputs of mixed sizes,
 * and the nodes take and report them.
 */
final class SimulatedCluster {
    /** The outputs between two rounds of reports. */
    static final int WAVE = 20_000;

    /** The bytes of a million outputs, about: most are some megabytes, a few are large. */
    static final long EXPECTED_BYTES = 24L << 40;

    private static final int JOBS = 10;
    private static final long MIN_BYTES = 1 << 20;
    private static final double MEAN_LOG = Math.log(16 << 20);
    private static final double DEVIATION_LOG = 0.8;
    private static final long MAX_BYTES = 128 << 20;

    private record Output(TestNode node, String job, String name, long bytes) {}

    private final AtomicLong clock = new AtomicLong();

    /** More than any simulation leases, whatever the heap of the tests. */
    private static final long MOST_PLACES = 4_000_000;

    private final PlacementBook book =
            new PlacementBook(BookSettings.DEFAULTS, clock::get, 1, MOST_PLACES);
    private final List<TestNode> nodes = new ArrayList<>();
    private final Map<NodeAddress, TestNode> byAddress = new HashMap<>();
    private final List<Output> leased = new ArrayList<>();
    private final Random random = new Random(17);
    private int outputs;
    private long questions;
    private long reports;

    /**
     * Starts all of them.
     *
     * @param hostBytes the capacity of each host
     * @param mixed whether memory nodes are of three sizes, of one otherwise
     */
    SimulatedCluster(
            final int hosts, final long hostBytes, final int memoryNodes, final boolean mixed)
            throws FetchException {
        for (int i = 0; i < hosts; i++) {
            final TestNode host = TestNode.host("host" + i, hostBytes);
            for (int job = i % 7; job < JOBS; job += 7) {
                host.runs("job_" + job, "user" + job % 3);
            }
            nodes.add(host);
        }
        final long memoryBytes = EXPECTED_BYTES * 5 / 4 / memoryNodes;
        for (int i = 0; i < memoryNodes; i++) {
            final long bytes = mixed ? memoryBytes / 2 * (1 + i % 3) : memoryBytes;
            nodes.add(TestNode.memory("memory" + i, bytes));
        }
        for (final TestNode node : nodes) {
            byAddress.put(node.identity.address(), node);
        }
        commitAndReport();
        commitAndReport();
        commitAndReport();
    }

    List<TestNode> nodes() {
        return nodes;
    }

    /** Leases places for some outputs; how many have got one. */
    int lease(final LeasePolicy policy, final int count) {
        for (int i = 0; i < count; i++) {
            final String job = "job_" + outputs % JOBS;
            final String name = "attempt_1700000000000_0001_m_" + outputs + "_0";
            final long bytes = nextBytes();
            questions++;
            final List<SegmentPlace> places =
                    book.lease(job, new LeaseRequest(name, bytes, 1, policy, "h", List.of()));
            for (final SegmentPlace place : places) {
                leased.add(new Output(byAddress.get(place.address()), job, name, bytes));
            }
            outputs++;
        }
        return leased.size();
    }

    private long nextBytes() {
        final double bytes = Math.exp(MEAN_LOG + DEVIATION_LOG * random.nextGaussian());
        return Math.max(MIN_BYTES, Math.min(MAX_BYTES, (long) bytes));
    }

    /** Every output leased is put and committed, and every node reports. */
    void commitAndReport() throws FetchException {
        for (final Output output : leased) {
            output.node().commit(output.job(), output.name(), output.bytes());
        }
        leased.clear();
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_000));
        for (final TestNode node : nodes) {
            node.report(book);
            reports++;
        }
    }

    PlacementBook book() {
        return book;
    }

    /** The leases that were asked for: each is a message of a task, and its answer. */
    long questions() {
        return questions;
    }

    /** The reports of nodes, each a message and its answer; this many a second. */
    long reports() {
        return reports;
    }
}
