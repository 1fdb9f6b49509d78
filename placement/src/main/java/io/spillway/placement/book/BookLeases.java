// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.conf.CommonKeys;
import io.spillway.placement.conf.PlacementKeys;
import io.spillway.placement.message.LeaseRequest;
import io.spillway.placement.status.LeaseRefusal;
import io.spillway.transport.SegmentPlace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Grants leases, and takes them back when their time is up. Guarded by the book. */
final class BookLeases {
    private static final Logger LOG = LoggerFactory.getLogger(BookLeases.class);

    /** What a place takes of the heap, with its output, about. */
    private static final int PLACE_BYTES = 512;

    private static final int PART_OF_HEAP_FOR_ALL = 4;

    private static final int PART_OF_HEAP = 8;

    /**
     * The most places that are leased to a job at a time and not committed: 65,536, and more where
     * an eighth of the heap has room for more.
     */
    static final int MAX_LEASES_OF_JOB =
            (int)
                    Math.min(
                            1 << 24,
                            Math.max(
                                    1 << 16,
                                    Runtime.getRuntime().maxMemory() / PART_OF_HEAP / PLACE_BYTES));

    /** A lease is prolonged when this part of its time has passed, and not with each question. */
    private static final int PARTS_OF_LEASE = 16;

    /** When a lease ends, where it has not been granted again since. */
    private record End(BookPlace place, long nanos) {}

    private final BookNodes nodes;
    private final NodeChoice choice;
    private final BookLedger ledger;
    private final long mostPlaces;
    private final BookQuota ofJob;
    private final BookQuota ofUser;
    private final long leaseNanos;

    /** In the order of time, for all leases are equally long. */
    private final Deque<End> ends = new ArrayDeque<>();

    private final Map<LeaseRefusal, Long> refusedPlaces = new EnumMap<>(LeaseRefusal.class);
    private long grantedPlaces;
    private boolean hasWarned;

    BookLeases(
            final BookNodes nodes,
            final NodeChoice choice,
            final BookLedger ledger,
            final BookSettings settings,
            final long mostPlaces) {
        this.nodes = nodes;
        this.choice = choice;
        this.ledger = ledger;
        this.mostPlaces = mostPlaces;
        this.ofJob = settings.ofJob();
        this.ofUser = settings.ofUser();
        this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(settings.leaseMillis());
    }

    /** The most places of all jobs, leased and held, that this process's heap has room for. */
    static long mostPlacesOfHeap() {
        return Runtime.getRuntime().maxMemory() / PART_OF_HEAP_FOR_ALL / PLACE_BYTES;
    }

    /** Places leased since the start, each once. */
    long granted() {
        return grantedPlaces;
    }

    /** Places asked for since the start that were not granted, by cause. */
    Map<LeaseRefusal, Long> refused() {
        return refusedPlaces;
    }

    /** What one job may take now, in bytes. */
    long jobLimit() {
        return ofJob.limit(nodes.capacity());
    }

    /** What one user may take now, in bytes. */
    long userLimit() {
        return ofUser.limit(nodes.capacity());
    }

    /** Takes back the leases whose time is up. */
    void endOld(final long now) {
        for (End end = ends.peek(); end != null && now - end.nanos() >= 0; end = ends.peek()) {
            ends.remove();
            if (end.place().isLeased() && end.place().deadlineNanos() == end.nanos()) {
                ledger.remove(end.place());
            }
        }
    }

    /** The places of an output: those that it has, then new ones. */
    List<SegmentPlace> grant(final BookJob job, final LeaseRequest request, final long now) {
        final List<BookNode> granted = new ArrayList<>(request.copies());
        final BookOutput output = job.find(request.output());
        if (output != null) {
            grantAgain(output, request, granted, now);
        }
        LeaseRefusal refusal = null;
        while (granted.size() < request.copies() && refusal == null) {
            refusal = grantAnother(job, request, granted, now);
        }
        if (refusal != null) {
            refused(job, request, refusal, request.copies() - granted.size());
        }
        return granted.stream()
                .limit(request.copies())
                .map(node -> node.identity().place())
                .toList();
    }

    /** Null where a place was granted, else why not. */
    private LeaseRefusal grantAnother(
            final BookJob job,
            final LeaseRequest request,
            final List<BookNode> granted,
            final long now) {
        if (job.leases() >= MAX_LEASES_OF_JOB) {
            return LeaseRefusal.LEASES;
        }
        if (ledger.places() >= mostPlaces) {
            warnOfHeap();
            return LeaseRefusal.NO_ROOM;
        }
        final LeaseRefusal quota = quotaAgainst(job, request.bytes());
        if (quota != null) {
            return quota;
        }
        final NodeShare share = choose(job, request, granted, now);
        if (share == null) {
            return LeaseRefusal.NO_ROOM;
        }
        // Found anew: an output whose last place was taken back is no longer the job's.
        final BookOutput leased = job.findOrAdd(request.output());
        setEnd(ledger.lease(share, leased, request.bytes()), now);
        granted.add(share.node());
        grantedPlaces++;
        return null;
    }

    private void warnOfHeap() {
        if (!hasWarned) {
            hasWarned = true;
            LOG.warn(
                    "{} outputs have places, the heap of this process has room for no more: further"
                            + " outputs stay on the hosts of their maps; raise {}",
                    ledger.places(),
                    CommonKeys.NODE_HEAP);
        }
    }

    /** The job is not known, or not yet. */
    void refusedUnknown(final int places) {
        refusedPlaces.merge(LeaseRefusal.UNKNOWN_JOB, (long) places, Long::sum);
    }

    private void refused(
            final BookJob job,
            final LeaseRequest request,
            final LeaseRefusal cause,
            final int places) {
        refusedPlaces.merge(cause, (long) places, Long::sum);
        if (cause.isQuota()) {
            if (job.refused() == 0) {
                logQuota(job, request, cause);
            }
            job.refused(places);
        }
        LOG.debug(
                "{}: {} of {} places for {} bytes of {}, whose map runs at {}: {}",
                job.id(),
                request.copies() - places,
                request.copies(),
                request.bytes(),
                request.output(),
                request.host(),
                cause);
    }

    /** Once a job: its status counts the others. */
    private void logQuota(final BookJob job, final LeaseRequest request, final LeaseRefusal cause) {
        final boolean isOfJob = cause == LeaseRefusal.JOB_QUOTA;
        LOG.warn(
                "{} of {} has {} bytes{}, and {} more of {} are beyond the quota of {} bytes ({},"
                        + " {}): such outputs stay on the hosts of their maps",
                job.id(),
                job.user().name(),
                isOfJob ? job.bytes() : job.user().bytes(),
                isOfJob ? "" : " with other jobs of that user",
                request.bytes(),
                request.output(),
                isOfJob ? jobLimit() : userLimit(),
                isOfJob
                        ? PlacementKeys.PLACEMENT_JOB_PERCENT
                        : PlacementKeys.PLACEMENT_USER_PERCENT,
                isOfJob ? PlacementKeys.PLACEMENT_JOB_BYTES : PlacementKeys.PLACEMENT_USER_BYTES);
    }

    private void setEnd(final BookPlace place, final long now) {
        place.deadlineNanos(now + leaseNanos);
        ends.add(new End(place, now + leaseNanos));
    }

    private void grantAgain(
            final BookOutput output,
            final LeaseRequest request,
            final List<BookNode> granted,
            final long now) {
        BookPlace next = output.first();
        while (next != null) {
            final BookPlace place = next;
            next = place.nextOfOutput();
            final boolean wanted = isWanted(place.node(), request, now);
            if (place.isLeased() && !(wanted && canGrow(place, request.bytes()))) {
                ledger.remove(place);
            } else if (wanted) {
                granted.add(place.node());
                growIfLeased(place, request.bytes(), now);
            }
        }
    }

    private boolean isWanted(final BookNode node, final LeaseRequest request, final long now) {
        return nodes.isAlive(node, now) && !request.exclude().contains(node.identity().address());
    }

    private boolean canGrow(final BookPlace place, final long bytes) {
        final long difference = bytes - place.bytes();
        return difference <= 0
                || (difference <= place.share().room()
                        && quotaAgainst(place.output().job(), difference) == null);
    }

    private void growIfLeased(final BookPlace place, final long bytes, final long now) {
        if (place.isLeased()) {
            ledger.resize(place, bytes);
            final long passed = leaseNanos - (place.deadlineNanos() - now);
            if (passed >= leaseNanos / PARTS_OF_LEASE) {
                setEnd(place, now);
            }
        }
    }

    /** Copies are on different hosts where there are such. */
    private NodeShare choose(
            final BookJob job,
            final LeaseRequest request,
            final List<BookNode> granted,
            final long now) {
        final NodeShare elsewhere =
                choice.choose(
                        request.policy(),
                        request.bytes(),
                        job.version(),
                        node ->
                                isWanted(node, request, now)
                                        && granted.stream().noneMatch(g -> isSameHost(g, node)));
        if (elsewhere != null || granted.isEmpty()) {
            return elsewhere;
        }
        return choice.choose(
                request.policy(),
                request.bytes(),
                job.version(),
                node -> isWanted(node, request, now) && !granted.contains(node));
    }

    private static boolean isSameHost(final BookNode one, final BookNode other) {
        return one.identity().address().host().equals(other.identity().address().host());
    }

    /** Which quota is against so many more bytes; null where none is. */
    private LeaseRefusal quotaAgainst(final BookJob job, final long bytes) {
        if (job.bytes() + bytes > jobLimit()) {
            return LeaseRefusal.JOB_QUOTA;
        }
        return job.user().bytes() + bytes > userLimit() ? LeaseRefusal.USER_QUOTA : null;
    }
}
