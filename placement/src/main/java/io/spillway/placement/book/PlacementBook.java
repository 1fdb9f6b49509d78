// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.CommittedOutput;
import io.spillway.placement.message.JobOutputs;
import io.spillway.placement.message.LeaseRequest;
import io.spillway.placement.message.NodeOrders;
import io.spillway.placement.message.NodeReport;
import io.spillway.placement.message.SealedJob;
import io.spillway.placement.message.TableChanges;
import io.spillway.placement.status.JobFill;
import io.spillway.placement.status.NodeFill;
import io.spillway.placement.status.PlacementStatus;
import io.spillway.placement.status.ServiceFigures;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentPlace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Knows which node has how much room and which outputs, and leases places for new ones. All that it
 * knows is what nodes report: a book that is started again learns it anew, and until the hosts have
 * had their time for that it takes no job for ended. Thread-safe; no method waits for anything but
 * the others.
 */
public final class PlacementBook {
    /** Time-outs are looked at so often within the shortest of them. */
    private static final int CHECKS_PER_TIMEOUT = 8;

    private final NodeChoice choice = new NodeChoice();
    private final BookLedger ledger = new BookLedger(choice);
    private final JobTable table;
    private final BookJobs jobs;
    private final BookNodes nodes;
    private final BookLeases leases;
    private final DroppedJobs dropped;
    private final LongSupplier clock;
    private final int intervalMillis;
    private final double highWater;
    private final long settleNanos;
    private final long jobExpiryNanos;
    private final long checkNanos;
    private final long deafNanos;
    private long nowNanos;
    private long checkedNanos;

    /** When the last report came, and since when they have come without a long pause. */
    private long heardNanos;

    private long hearingNanos;

    /**
     * Creates an empty book.
     *
     * @param clock of nanoseconds, such as {@link System#nanoTime}
     * @param incarnation a random number: nodes tell by it that they speak with another book
     */
    public PlacementBook(
            final BookSettings settings, final LongSupplier clock, final long incarnation) {
        this(settings, clock, incarnation, BookLeases.mostPlacesOfHeap());
    }

    /**
     * Creates an empty book.
     *
     * @param mostPlaces that it knows before it leases no more
     */
    PlacementBook(
            final BookSettings settings,
            final LongSupplier clock,
            final long incarnation,
            final long mostPlaces) {
        this.clock = clock;
        table = new JobTable(incarnation);
        jobs = new BookJobs(table, ledger);
        nodes = new BookNodes(choice, ledger, settings);
        dropped = new DroppedJobs(nodes, jobs);
        leases = new BookLeases(nodes, choice, ledger, settings, mostPlaces);
        intervalMillis = settings.reportIntervalMillis();
        highWater = settings.highWater();
        settleNanos = TimeUnit.MILLISECONDS.toNanos(settings.settleMillis());
        jobExpiryNanos = TimeUnit.MILLISECONDS.toNanos(settings.jobExpiryMillis());
        checkNanos =
                TimeUnit.MILLISECONDS.toNanos(
                                Math.min(
                                        settings.leaseMillis(),
                                        Math.min(
                                                settings.nodeTimeoutMillis(),
                                                settings.settleMillis())))
                        / CHECKS_PER_TIMEOUT;
        deafNanos = TimeUnit.MILLISECONDS.toNanos(settings.nodeTimeoutMillis());
        nowNanos = clock.getAsLong();
        checkedNanos = nowNanos;
        heardNanos = nowNanos;
        hearingNanos = nowNanos;
    }

    // ---- nodes ---------------------------------------------------------------------------------

    /**
     * Takes a node's report, or a part of one.
     *
     * @throws FetchException with {@code CONFLICT} where a younger node of the same name lives
     */
    public synchronized NodeOrders report(final NodeReport report) throws FetchException {
        heard();
        final long now = tick();
        final BookNode node = nodes.admit(report, jobs, now);
        nodes.reported(node, report, table.appliedOf(report.applied()), now);
        jobs.shareSecrets(nodes.hasFormer());
        report.content().jobs().forEach(job -> jobs.announced(job, now));
        report.content().knownJobs().forEach(jobId -> jobs.known(jobId, now));
        dropped.reported(node, report);
        final boolean accepted = node.accepts(report.part());
        if (accepted) {
            report.content().outputs().forEach(held -> hold(node, held, report, now));
        }
        if (node.ended(report.part(), accepted)) {
            forgetUnlisted(node);
        }
        choice.update(node);
        if (isHearing(now, settleNanos) && nodes.areSteady(now, settleNanos)) {
            dropped.end();
        }
        jobs.removeLeftovers();
        // Not before its outputs are known: a table without their jobs would make it forget them.
        final TableChanges changes =
                node.isListed()
                        ? table.changesFor(report.applied())
                        : TableChanges.later(report.applied());
        return new NodeOrders(changes, !accepted, intervalMillis);
    }

    /**
     * After a pause of all reports, in this process or in the network, jobs have their time anew.
     */
    private void heard() {
        final long now = read();
        if (now - heardNanos >= deafNanos) {
            hearingNanos = now;
        }
        heardNanos = now;
    }

    private void hold(
            final BookNode node, final JobOutputs held, final NodeReport report, final long now) {
        if (jobs.hasEndedSince(report.applied(), held.jobId())) {
            return;
        }
        final BookJob job = jobs.findOrKeep(held.jobId(), now);
        for (final CommittedOutput output : held.outputs()) {
            ledger.hold(node, job.findOrAdd(output.name()), output.bytes()).listing(node.listing());
        }
    }

    /** The node does not hold any more what is not in the list that it has just ended. */
    private void forgetUnlisted(final BookNode node) {
        BookPlace next = node.first();
        while (next != null) {
            final BookPlace place = next;
            next = place.nextOfNode();
            if (place.isHeld() && place.listing() != node.listing()) {
                ledger.remove(place);
            }
        }
    }

    // ---- jobs ----------------------------------------------------------------------------------

    /**
     * Leases places for an output: on as many nodes as copies are asked for, or fewer where no
     * other node has room, lives and knows the job. Asked again for the same output, it answers the
     * same, but for nodes that the request excludes.
     *
     * @return empty where there is no place, or the job is not known (yet)
     */
    public synchronized List<SegmentPlace> lease(final String jobId, final LeaseRequest request) {
        final long now = tick();
        final BookJob job = jobs.find(jobId);
        if (job == null || !job.isAnnounced()) {
            leases.refusedUnknown(request.copies());
            return List.of();
        }
        return leases.grant(job, request, now);
    }

    /**
     * Where outputs of a job are held as a whole.
     *
     * @return the places of each, in the order of the question
     */
    public synchronized List<List<SegmentPlace>> locate(
            final String jobId, final List<String> outputs) {
        final long now = tick();
        final BookJob job = jobs.find(jobId);
        final List<List<SegmentPlace>> places = new ArrayList<>(outputs.size());
        for (final String output : outputs) {
            places.add(placesOf(job == null ? null : job.find(output), now));
        }
        return places;
    }

    private List<SegmentPlace> placesOf(final BookOutput output, final long now) {
        if (output == null) {
            return List.of();
        }
        final List<SegmentPlace> places = new ArrayList<>(1);
        for (BookPlace p = output.first(); p != null; p = p.nextOfOutput()) {
            if (p.isHeld()
                    && nodes.isAlive(p.node(), now)
                    && places.size() < LeaseRequest.MAX_COPIES) {
                places.add(p.node().identity().place());
            }
        }
        return List.copyOf(places);
    }

    /**
     * The secret of a job that a host has reported, sealed; null where none has. Threads of
     * connections ask for it: it does not wait for what others do here.
     */
    public SealedJob sealed(final String jobId) {
        return table.sealed(jobId);
    }

    // ---- time ----------------------------------------------------------------------------------

    /**
     * Gives up nodes that are silent, jobs that no host reports, and leases whose time is up. The
     * other methods do so too, from time to time.
     */
    public synchronized void expire() {
        expire(read());
    }

    private long tick() {
        final long now = read();
        if (now - checkedNanos >= checkNanos) {
            expire(now);
        }
        jobs.removeLeftovers();
        return now;
    }

    /** A clock that goes back stands still here. */
    private long read() {
        final long now = clock.getAsLong();
        if (now - nowNanos > 0) {
            nowNanos = now;
        }
        return nowNanos;
    }

    private void expire(final long now) {
        checkedNanos = now;
        nodes.removeSilent(now);
        leases.endOld(now);
        if (isHearing(now, settleNanos)) {
            table.settle();
        }
        if (isHearing(now, jobExpiryNanos)) {
            jobs.giveUpSilent(dropped, now, jobExpiryNanos);
        }
    }

    /** Whether reports have come for so long without a pause of all. */
    private boolean isHearing(final long now, final long nanos) {
        return now - heardNanos < deafNanos && now - hearingNanos >= nanos;
    }

    /** What is known at this moment. */
    public synchronized PlacementStatus status() {
        final long now = tick();
        final Map<String, Long> bytesByUser = new HashMap<>();
        jobs.users().forEach(user -> bytesByUser.put(user.name(), user.bytes()));
        return new PlacementStatus(
                figures(),
                nodes.all().stream().map(node -> statusOf(node, now)).toList(),
                jobs.all().stream().map(PlacementBook::statusOf).toList(),
                bytesByUser);
    }

    private ServiceFigures figures() {
        return new ServiceFigures(
                table.isSettled(),
                intervalMillis,
                highWater,
                leases.jobLimit(),
                leases.userLimit(),
                jobs.all().stream().mapToLong(BookJob::leases).sum(),
                leases.granted(),
                leases.refused());
    }

    private static NodeFill statusOf(final BookNode node, final long now) {
        return new NodeFill(
                node.identity(),
                node.space(),
                node.leased(),
                node.outputs(),
                TimeUnit.NANOSECONDS.toMillis(node.silentNanos(now)));
    }

    private static JobFill statusOf(final BookJob job) {
        return new JobFill(
                job.id(),
                job.isAnnounced() ? job.user().name() : "",
                job.bytes(),
                job.outputs().size(),
                job.refused());
    }
}
