package io.spillway.hadoop.reduce;

import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.mapred.TaskAttemptID;

/** One map of the job, as the reducer sees it. Owned by the loop's thread. */
final class MapSlot {
    /** A successful attempt of the map, and where its output is. */
    static final class Candidate {
        final TaskAttemptID attempt;
        final Node node;

        /** A failed candidate rests until then. */
        long notBeforeMillis;

        Candidate(final TaskAttemptID attempt, final Node node) {
            this.attempt = attempt;
            this.node = node;
        }
    }

    final ChunkPool.Claim claim;
    final Deque<Candidate> candidates = new ArrayDeque<>();

    /** The fetch under way or done, or null. */
    SegmentFetch current;

    /** Copied as far as the merge needs it: the whole segment or its head. */
    boolean copied;

    /** Counted in SHUFFLED_MAPS: once, whatever becomes of its attempts. */
    boolean counted;

    /** The map failed for good and the job goes on without it. */
    boolean abandoned;

    MapSlot(final ChunkPool.Claim claim) {
        this.claim = claim;
    }

    /** Whether the segment is here as a whole, and stays whatever becomes of its attempt. */
    boolean isComplete() {
        return current != null && current.complete;
    }

    /** Whether an attempt is known that may be fetched. */
    boolean isAnnounced() {
        return abandoned || current != null || !candidates.isEmpty();
    }
}
