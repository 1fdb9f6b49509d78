package io.spillway.engine.segment;

import io.spillway.engine.memory.ChunkPool;
import io.spillway.engine.spi.OutputId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** One map of the job, as the reducer sees it. Owned by the loop's thread. */
public final class MapSlot {
    /** A successful attempt of the map, and where its output is. */
    public static final class Candidate {
        public final OutputId attempt;
        public final Node node;

        /** A failed candidate rests until then. */
        public long notBeforeMillis;

        /** Its output cannot take the place of that whose records are being merged. */
        public boolean unfit;

        public Candidate(final OutputId attempt, final Node node) {
            this.attempt = attempt;
            this.node = node;
        }
    }

    /** One for each run that its output may have. */
    public final List<ChunkPool.Claim> claims;

    public final Deque<Candidate> candidates = new ArrayDeque<>();

    /**
     * The fetches under way or done, by run, all of one attempt; empty when there is none. The
     * first run's comes first and tells how many there are.
     */
    public final List<SegmentFetch> fetches = new ArrayList<>();

    /** Copied as far as the merge needs it: every run's whole or head. */
    public boolean copied;

    /** Counted in SHUFFLED_MAPS: once, whatever becomes of its attempts. */
    public boolean counted;

    /** The map failed for good and the job goes on without it. */
    public boolean abandoned;

    public MapSlot(final List<ChunkPool.Claim> claims) {
        this.claims = List.copyOf(claims);
    }

    /** Whether an attempt is being fetched, or has been. */
    public boolean isBegun() {
        return !fetches.isEmpty();
    }

    /** Whether an attempt is being fetched, or has been. */
    public boolean isOf(final OutputId attempt) {
        return fetches.stream().anyMatch(fetch -> fetch.attempt.equals(attempt));
    }

    /**
     * A successful attempt that the incomplete fetches are not of, and that may replace theirs now.
     */
    public Optional<Candidate> otherCandidate(final long nowMillis) {
        return candidates.stream()
                .filter(candidate -> !candidate.unfit && candidate.notBeforeMillis <= nowMillis)
                .filter(
                        candidate ->
                                incomplete().noneMatch(f -> f.attempt.equals(candidate.attempt)))
                .findFirst();
    }

    /** The runs of which something is still to be fetched; none that was given up. */
    public Stream<SegmentFetch> incomplete() {
        return fetches.stream().filter(fetch -> !fetch.complete && !fetch.dropped);
    }

    /** Whether another attempt would be of use while merging. */
    public boolean lacksBytes() {
        return incomplete().findAny().isPresent();
    }

    /** The claims of runs that the output does not have, once it is known which. */
    public List<ChunkPool.Claim> unusedClaims() {
        return claims.subList(fetches.size(), claims.size());
    }

    /** The fetch of a run, or null. */
    public SegmentFetch fetchOf(final int run) {
        return run < fetches.size() ? fetches.get(run) : null;
    }

    /** Whether the number of runs is known, and the fetches of all of them satisfy a condition. */
    private boolean all(final Predicate<SegmentFetch> condition) {
        return isBegun()
                && fetches.get(0).lengthsKnown()
                && fetches.size() == fetches.get(0).runs()
                && fetches.stream().allMatch(condition);
    }

    /** Whether every run is here as a whole, and stays whatever becomes of its attempt. */
    public boolean isComplete() {
        return all(fetch -> fetch.complete);
    }

    /** Whether every run is here as far as the merge needs it. */
    public boolean allCopied() {
        return all(fetch -> fetch.copied);
    }

    /** Whether an attempt is known that may be fetched. */
    public boolean isAnnounced() {
        return abandoned || isBegun() || !candidates.isEmpty();
    }
}
