// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentId;

/**
 * The segments that a commit lists, by partition and run, as its parts come: in arrays, as an
 * output may have millions. One thread at a time.
 */
final class ListedSegments {
    /** What stays in {@link HeldSegments}, of each segment. */
    private static final int KEPT_BYTES = 3 * Long.BYTES;

    private static final int SEGMENT_BYTES = KEPT_BYTES + Long.BYTES + Integer.BYTES;

    /** The object and the headers of its arrays. */
    private static final int OVERHEAD = 160;

    private final String output;

    /** Partition and run of each segment. */
    final long[] keys;

    final long[] rawLengths;
    final long[] records;
    final long[] partLengths;
    final int[] checksums;
    private int count;

    /** Creates a list of which nothing has come. */
    ListedSegments(final String output, final int total) {
        this.output = output;
        keys = new long[total];
        rawLengths = new long[total];
        records = new long[total];
        partLengths = new long[total];
        checksums = new int[total];
    }

    /** What such a list takes of the heap, in bytes. */
    static long heapBytes(final int total) {
        return OVERHEAD + (long) total * SEGMENT_BYTES;
    }

    /** What of that a committed output keeps. */
    static long keptBytes(final int total) {
        return (long) total * KEPT_BYTES;
    }

    int total() {
        return keys.length;
    }

    int count() {
        return count;
    }

    /**
     * Requires that a part leaves no gap. One that comes late, over a connection that its client
     * has given up, is refused and changes nothing.
     *
     * @param count of the segments that are listed
     * @throws FetchException with {@code INCOMPLETE}
     */
    static void requireFollows(final OutputSummary part, final int count) throws FetchException {
        if (part.first() > count) {
            throw new FetchException(
                    Reason.INCOMPLETE,
                    part.output()
                            + ": a part of its commit begins at segment "
                            + part.first()
                            + ", expected at most "
                            + count);
        }
    }

    /**
     * Adds a part that {@linkplain #requireFollows follows}. What was listed behind its beginning
     * has to come again.
     *
     * @throws FetchException with {@code OUT_OF_RANGE} where segments are not in order
     */
    void add(final OutputSummary part) throws FetchException {
        count = part.first();
        for (final OutputSummary.Segment segment : part.sorted()) {
            add(segment);
        }
    }

    private void add(final OutputSummary.Segment segment) throws FetchException {
        final long key = HeldSegments.key(segment.partition(), segment.run());
        if (count > 0 && keys[count - 1] >= key) {
            throw new FetchException(
                    Reason.OUT_OF_RANGE,
                    new SegmentId(output, segment.partition(), segment.run())
                            + ": listed behind partition="
                            + (keys[count - 1] >> Integer.SIZE)
                            + " run="
                            + (int) keys[count - 1]
                            + ", expected the order of partitions and runs");
        }
        keys[count] = key;
        rawLengths[count] = segment.rawLength();
        records[count] = segment.records();
        partLengths[count] = segment.partLength();
        checksums[count] = segment.checksum();
        count++;
    }
}
