// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.CommittedOutput;
import io.spillway.placement.message.JobOutputs;
import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeOrders;
import io.spillway.placement.message.NodeReport;
import io.spillway.placement.message.NodeSpace;
import io.spillway.placement.message.ReportContent;
import io.spillway.placement.message.ReportPart;
import io.spillway.placement.message.SealedJob;
import io.spillway.placement.message.TableChanges;
import io.spillway.placement.message.TableVersion;
import io.spillway.placement.secret.SealedSecret;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A node that holds what it is given, and reports to a book when a test says so. */
final class TestNode {
    static final int PORT = 13_562;

    final NodeIdentity identity;
    final Set<String> runs = new LinkedHashSet<>();
    final Set<String> ended = new LinkedHashSet<>();

    /** Jobs of which nothing is heard: it keeps what it holds for as long as they have users. */
    final Set<String> silent = new LinkedHashSet<>();

    private boolean memoryOnly;
    private final List<JobOutputs> held = new ArrayList<>();
    private final List<JobOutputs> unreported = new ArrayList<>();
    private final List<SealedJob> hostJobs = new ArrayList<>();
    private long capacity;
    private long used;
    private long overflowCapacity;
    private long overflowUsed;
    private TableVersion applied = TableVersion.NONE;
    private boolean listed;

    /** What the parts of a list of all jobs have had; null while there is none. */
    private Set<String> all;

    TestNode(final String name, final long epoch, final boolean memoryOnly, final long capacity) {
        this.identity = new NodeIdentity(name, new NodeAddress(name, PORT), epoch);
        this.memoryOnly = memoryOnly;
        this.capacity = capacity;
    }

    static TestNode memory(final String name, final long capacity) {
        return new TestNode(name, 1, true, capacity);
    }

    static TestNode host(final String name, final long capacity) {
        return new TestNode(name, 1, false, capacity);
    }

    static SealedJob job(final String id, final String user) {
        return new SealedJob(id, user, new SealedSecret(new byte[40]));
    }

    SegmentPlace place() {
        return identity.place();
    }

    /** Its NodeManager has a job. */
    TestNode runs(final String jobId, final String user) {
        hostJobs.add(job(jobId, user));
        return this;
    }

    void endJob(final String jobId) {
        hostJobs.removeIf(job -> job.id().equals(jobId));
    }

    void used(final long bytes) {
        used = bytes;
    }

    void capacity(final long bytes) {
        capacity = bytes;
    }

    void memoryOnly(final boolean only) {
        memoryOnly = only;
    }

    /** It has files behind its memory. */
    TestNode overflow(final long bytes, final long inUse) {
        overflowCapacity = bytes;
        overflowUsed = inUse;
        return this;
    }

    long used() {
        return used;
    }

    long capacity() {
        return capacity;
    }

    boolean holds(final String jobId, final String output) {
        return held.stream()
                .filter(outputs -> outputs.jobId().equals(jobId))
                .flatMap(outputs -> outputs.outputs().stream())
                .anyMatch(o -> o.name().equals(output));
    }

    /** How many outputs of a job it holds. */
    int held(final String jobId) {
        return held.stream()
                .filter(outputs -> outputs.jobId().equals(jobId))
                .mapToInt(outputs -> outputs.outputs().size())
                .sum();
    }

    /** The jobs that its NodeManager has. */
    Set<String> hostJobs() {
        return hostJobs.stream().map(SealedJob::id).collect(Collectors.toSet());
    }

    /** An output was put and committed here. */
    void commit(final String jobId, final String output, final long bytes) {
        final JobOutputs one = new JobOutputs(jobId, List.of(new CommittedOutput(output, bytes)));
        held.add(one);
        unreported.add(one);
        used += bytes;
    }

    /** Its process was started again, and has lost what it held. */
    TestNode restarted() {
        final TestNode young =
                new TestNode(identity.name(), identity.epoch() + 1, memoryOnly, capacity);
        young.hostJobs.addAll(hostJobs);
        return young;
    }

    /** Its next report has all that it holds. */
    void listAgain() {
        listed = false;
    }

    /** Sends what is new, or all where the book wants that. */
    NodeOrders report(final PlacementBook book) throws FetchException {
        final NodeOrders orders =
                send(book, new ReportPart(!listed, 0, false), listed ? unreported : held);
        unreported.clear();
        listed = !orders.wantsListing();
        return orders;
    }

    /** Reports until there is nothing to add. */
    void settle(final PlacementBook book) throws FetchException {
        NodeOrders orders = report(book);
        TableVersion told;
        do {
            told = applied;
            orders = report(book);
        } while (!told.equals(applied) || orders.changes().more() || orders.wantsListing());
    }

    NodeOrders send(final PlacementBook book, final ReportPart part, final List<JobOutputs> outputs)
            throws FetchException {
        final NodeOrders orders =
                book.report(
                        new NodeReport(
                                identity,
                                new NodeSpace(
                                        memoryOnly, capacity, used, overflowCapacity, overflowUsed),
                                applied,
                                part,
                                new ReportContent(List.of(), hostJobs, outputs)));
        apply(orders.changes());
        return orders;
    }

    private void apply(final TableChanges changes) {
        applied = changes.version();
        if (changes.reset()) {
            all = new HashSet<>();
        }
        changes.kept().forEach(this::silent);
        changes.jobs().forEach(job -> runs.add(job.id()));
        changes.jobs().forEach(job -> silent.remove(job.id()));
        changes.ended().forEach(this::ended);
        if (all == null) {
            return;
        }
        changes.jobs().forEach(job -> all.add(job.id()));
        all.addAll(changes.kept());
        if (!changes.more()) {
            endAbsent(changes.complete());
        }
    }

    private void endAbsent(final boolean complete) {
        if (complete) {
            final Set<String> absent = new LinkedHashSet<>(runs);
            held.forEach(outputs -> absent.add(outputs.jobId()));
            absent.removeAll(all);
            absent.forEach(this::silent);
        }
        all = null;
    }

    private void silent(final String jobId) {
        runs.remove(jobId);
        silent.add(jobId);
    }

    private void ended(final String jobId) {
        runs.remove(jobId);
        silent.remove(jobId);
        ended.add(jobId);
        held.removeIf(outputs -> outputs.jobId().equals(jobId));
        used = heldBytes();
    }

    long heldBytes() {
        return held.stream()
                .flatMap(outputs -> outputs.outputs().stream())
                .mapToLong(CommittedOutput::bytes)
                .sum();
    }
}
