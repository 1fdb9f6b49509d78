package io.spillway.node.placement.book;

import io.spillway.node.placement.message.LeaseRequest;
import io.spillway.transport.SegmentPlace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Grants leases, and takes them back when their time is up. Guarded by the book. */
final class BookLeases {
    private static final Logger LOG = LoggerFactory.getLogger(BookLeases.class);

    /** The most places that are leased to a job at a time: far more than maps run. */
    static final int MAX_LEASES_OF_JOB = 1 << 16;

    /** A lease is prolonged when this part of its time has passed, and not with each question. */
    private static final int PARTS_OF_LEASE = 16;

    /** When a lease ends, where it has not been granted again since. */
    private record End(BookPlace place, long nanos) {}

    private final BookNodes nodes;
    private final NodeChoice choice;
    private final BookLedger ledger;
    private final double jobShare;
    private final double userShare;
    private final long leaseNanos;

    /** In the order of time, for all leases are equally long. */
    private final Deque<End> ends = new ArrayDeque<>();

    private long grantedPlaces;
    private long refusedPlaces;

    BookLeases(
            final BookNodes nodes,
            final NodeChoice choice,
            final BookLedger ledger,
            final BookSettings settings) {
        this.nodes = nodes;
        this.choice = choice;
        this.ledger = ledger;
        this.jobShare = settings.jobShare();
        this.userShare = settings.userShare();
        this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(settings.leaseMillis());
    }

    /** Places leased since the start, each once. */
    long granted() {
        return grantedPlaces;
    }

    /** Places asked for since the start that there was no node for. */
    long refused() {
        return refusedPlaces;
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
        while (granted.size() < request.copies()
                && job.leases() < MAX_LEASES_OF_JOB
                && isWithinShares(job, request.bytes())) {
            final BookNode node = choose(job, request, granted, now);
            if (node == null) {
                break;
            }
            // Found anew: an output whose last place was taken back is no longer the job's.
            final BookOutput leased = job.findOrAdd(request.output());
            setEnd(ledger.lease(node, leased, request.bytes()), now);
            granted.add(node);
            grantedPlaces++;
        }
        if (granted.size() < request.copies()) {
            refusedPlaces += request.copies() - granted.size();
            LOG.debug(
                    "{}: {} of {} places for {} bytes of {}, whose map runs at {}",
                    job.id(),
                    granted.size(),
                    request.copies(),
                    request.bytes(),
                    request.output(),
                    request.host());
        }
        return granted.stream()
                .limit(request.copies())
                .map(node -> node.identity().place())
                .toList();
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
                || (difference <= place.node().room()
                        && isWithinShares(place.output().job(), difference));
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
    private BookNode choose(
            final BookJob job,
            final LeaseRequest request,
            final List<BookNode> granted,
            final long now) {
        final BookNode elsewhere =
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

    private boolean isWithinShares(final BookJob job, final long bytes) {
        return isWithin(jobShare, job.bytes(), bytes)
                && isWithin(userShare, job.user().bytes(), bytes);
    }

    private boolean isWithin(final double share, final long taken, final long bytes) {
        return share >= 1 || (double) taken + bytes <= share * nodes.capacity();
    }
}
