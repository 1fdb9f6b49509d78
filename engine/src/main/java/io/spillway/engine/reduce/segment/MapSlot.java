// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.engine.reduce.memory.Claim;
import io.spillway.engine.spi.OutputId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
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

        private long notBeforeMillis;

        /** Null as long as it is not known to be unfit. */
        private String unfit;

        public Candidate(final OutputId attempt, final Node node) {
            this.attempt = attempt;
            this.node = node;
        }

        /** It has failed, and is not to be fetched from before a time. */
        public void restUntil(final long millis) {
            notBeforeMillis = millis;
        }

        /** Until when it rests; 0 when it has never failed. */
        public long notBeforeMillis() {
            return notBeforeMillis;
        }

        public boolean rests(final long nowMillis) {
            return notBeforeMillis > nowMillis;
        }

        /**
         * Its output cannot take the place of that whose records are being merged.
         *
         * @param why for the log
         */
        public void markUnfit(final String why) {
            unfit = why;
        }
    }

    /** One for each run that its output may have. */
    public final List<Claim> claims;

    private final Deque<Candidate> candidates = new ArrayDeque<>();
    private final Collection<Candidate> candidatesView =
            Collections.unmodifiableCollection(candidates);

    private final List<SegmentFetch> fetches = new ArrayList<>();
    private final List<SegmentFetch> fetchesView = Collections.unmodifiableList(fetches);

    private boolean copied;
    private boolean counted;
    private boolean abandoned;

    public MapSlot(final List<Claim> claims) {
        this.claims = List.copyOf(claims);
    }

    // ---- state ---------------------------------------------------------------------------------

    /**
     * Every run is copied as far as the merge needs it.
     *
     * @return whether this is the first time, whatever became of its attempts since
     * @throws IllegalStateException when it is copied, or was abandoned
     */
    public boolean markCopied() {
        require(!copied && !abandoned, "copied");
        copied = true;
        final boolean first = !counted;
        counted = true;
        return first;
    }

    /** What was copied is gone. */
    public void markLost() {
        require(copied, "lost");
        copied = false;
    }

    /** The map failed for good and the job goes on without it. */
    public void abandon() {
        require(!abandoned && !isBegun(), "abandoned");
        candidates.clear();
        abandoned = true;
    }

    private void require(final boolean allowed, final String next) {
        if (!allowed) {
            throw new IllegalStateException(
                    "map with fetches="
                            + fetches
                            + " copied="
                            + copied
                            + " abandoned="
                            + abandoned
                            + " cannot be "
                            + next);
        }
    }

    /** Whether the merge needs no more of it: every run's whole or head is here. */
    public boolean isCopied() {
        return copied;
    }

    public boolean isAbandoned() {
        return abandoned;
    }

    // ---- attempts ------------------------------------------------------------------------------

    /** The successful attempts, the first known first; to be read only. */
    public Collection<Candidate> candidates() {
        return candidatesView;
    }

    public void add(final Candidate candidate) {
        candidates.addLast(candidate);
    }

    public void remove(final Candidate candidate) {
        candidates.remove(candidate);
    }

    /** The candidate of an attempt, if it is known. */
    public Optional<Candidate> candidate(final OutputId attempt) {
        return candidates.stream().filter(known -> known.attempt.equals(attempt)).findFirst();
    }

    /**
     * A successful attempt that the incomplete fetches are not of, and that may replace theirs now.
     */
    public Optional<Candidate> otherCandidate(final long nowMillis) {
        return candidates.stream()
                .filter(candidate -> candidate.unfit == null && !candidate.rests(nowMillis))
                .filter(
                        candidate ->
                                incomplete().noneMatch(f -> f.attempt.equals(candidate.attempt)))
                .findFirst();
    }

    /**
     * Why the attempts that the incomplete fetches are not of cannot replace theirs, if none can.
     */
    public Optional<String> whyNoOtherFits() {
        final List<Candidate> others =
                candidates.stream()
                        .filter(
                                other ->
                                        incomplete()
                                                .noneMatch(f -> f.attempt.equals(other.attempt)))
                        .toList();
        return others.stream().allMatch(other -> other.unfit != null)
                ? others.stream().map(other -> other.unfit).findFirst()
                : Optional.empty();
    }

    /** Whether an attempt is known that may be fetched. */
    public boolean isAnnounced() {
        return abandoned || isBegun() || !candidates.isEmpty();
    }

    // ---- fetches -------------------------------------------------------------------------------

    /**
     * The fetches under way or done, by run, all of one attempt; empty when there is none. The
     * first run's comes first and tells how many there are. To be read only.
     */
    public List<SegmentFetch> fetches() {
        return fetchesView;
    }

    /** Adds the fetch of the next run. */
    public void add(final SegmentFetch fetch) {
        fetches.add(fetch);
    }

    /** The fetch of a run goes on as another one. */
    public void replace(final SegmentFetch fetch, final SegmentFetch successor) {
        fetches.set(fetch.id.run(), successor);
    }

    /** Forgets the fetches, which are dropped. */
    public void clearFetches() {
        fetches.clear();
    }

    /** Whether an attempt is being fetched, or has been. */
    public boolean isBegun() {
        return !fetches.isEmpty();
    }

    /** Whether this attempt is being fetched, or has been. */
    public boolean isOf(final OutputId attempt) {
        return fetches.stream().anyMatch(fetch -> fetch.attempt.equals(attempt));
    }

    /** The fetch of a run, or null. */
    public SegmentFetch fetchOf(final int run) {
        return run < fetches.size() ? fetches.get(run) : null;
    }

    /** The runs of which something is still to be fetched; none that was given up. */
    public Stream<SegmentFetch> incomplete() {
        return fetches.stream().filter(fetch -> !fetch.isComplete() && !fetch.isDropped());
    }

    /** Whether another attempt would be of use while merging. */
    public boolean lacksBytes() {
        return incomplete().findAny().isPresent();
    }

    /** The claims of runs that the output does not have, once it is known which. */
    public List<Claim> unusedClaims() {
        return claims.subList(fetches.size(), claims.size());
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
        return all(SegmentFetch::isComplete);
    }

    /** Whether every run is here as far as the merge needs it. */
    public boolean allCopied() {
        return all(SegmentFetch::isCopied);
    }

    /**
     * What is wrong with the number of runs that the first reply for one of them names, or null.
     */
    String problemOfRuns(final int run, final int runs) {
        if (run > 0 && runs != fetches.get(0).runs()) {
            return "runs=" + runs + ", expected " + fetches.get(0).runs() + " as of the first run";
        }
        return runs > claims.size() ? "runs=" + runs + ", expected at most " + claims.size() : null;
    }
}
