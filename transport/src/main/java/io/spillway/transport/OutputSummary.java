// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What a whole output consists of, or a part of that: by it a node that was put the bytes tells
 * that it has all of them. Immutable.
 *
 * @param output the name of the output, as in {@link SegmentId}
 * @param first the segments of all parts before; 0 of a whole output
 * @param total the segments of the whole output
 * @param segments every segment of the part once, empty ones included. Parts are in the order of
 *     partitions and runs; within one there is any order
 */
public record OutputSummary(String output, int first, int total, List<Segment> segments) {
    private static final Comparator<Segment> ORDER =
            Comparator.comparingInt(Segment::partition).thenComparingInt(Segment::run);

    /**
     * One segment, or one run of it.
     *
     * @param partition the reducer's number, from 0
     * @param run from 0
     * @param partLength the bytes put, the segment's own checksum included
     * @param rawLength the segment's length uncompressed, its end marker included
     * @param checksum the CRC32C of the bytes put
     * @param records how many there are; {@link FetchReply#UNKNOWN_RECORDS} where they were not
     *     counted
     */
    public record Segment(
            int partition, int run, long partLength, long rawLength, int checksum, long records) {
        /** A segment whose records were not counted. */
        public Segment(
                final int partition,
                final int run,
                final long partLength,
                final long rawLength,
                final int checksum) {
            this(partition, run, partLength, rawLength, checksum, FetchReply.UNKNOWN_RECORDS);
        }

        /** Checks the fields. */
        public Segment {
            if (partition < 0 || run < 0 || partLength < 0 || rawLength < 0) {
                throw new IllegalArgumentException(
                        "partition="
                                + partition
                                + " run="
                                + run
                                + " partLength="
                                + partLength
                                + " rawLength="
                                + rawLength
                                + ", expected none below 0");
            }
        }
    }

    /**
     * Checks the fields and copies the list.
     *
     * @throws IllegalArgumentException where a segment is in it twice, or there are more than all
     */
    public OutputSummary {
        OpaqueId.require("output", output);
        segments = List.copyOf(segments);
        if (first < 0 || first > total - segments.size()) {
            throw new IllegalArgumentException(
                    output
                            + ": segments="
                            + segments.size()
                            + " from "
                            + first
                            + " on, expected an end of at most "
                            + total);
        }
        requireOnce(output, segments);
    }

    /** A whole output. */
    public OutputSummary(final String output, final List<Segment> segments) {
        this(output, 0, segments.size(), segments);
    }

    /** Whether no part follows. */
    public boolean isLast() {
        return first + segments.size() == total;
    }

    /** Its segments, by partition and run. */
    public List<Segment> sorted() {
        return segments.stream().sorted(ORDER).toList();
    }

    /** The parts of a whole output, each of at most so many segments; at least one. */
    public List<OutputSummary> parts(final int most) {
        if (segments.size() <= most) {
            return List.of(this);
        }
        final List<Segment> sorted = sorted();
        final List<OutputSummary> parts = new ArrayList<>();
        for (int from = 0; from < total; from += most) {
            final int end = Math.min(total, from + most);
            parts.add(new OutputSummary(output, from, total, sorted.subList(from, end)));
        }
        return parts;
    }

    private static void requireOnce(final String output, final List<Segment> segments) {
        final long[] keys =
                segments.stream()
                        .mapToLong(s -> (long) s.partition() << Integer.SIZE | s.run())
                        .sorted()
                        .toArray();
        for (int i = 1; i < keys.length; i++) {
            if (keys[i] == keys[i - 1]) {
                throw new IllegalArgumentException(
                        new SegmentId(output, (int) (keys[i] >> Integer.SIZE), (int) keys[i])
                                + " is listed twice, expected once");
            }
        }
    }
}
