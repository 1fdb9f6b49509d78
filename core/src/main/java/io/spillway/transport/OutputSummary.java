package io.spillway.transport;

import java.util.List;

/**
 * What a whole output consists of: by it a node that was put the bytes tells that it has all of
 * them. Immutable.
 *
 * @param output the name of the output, as in {@link SegmentId}
 * @param segments every segment of it once, empty ones included, in any order
 */
public record OutputSummary(String output, List<Segment> segments) {
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
     * @throws IllegalArgumentException where a segment is in it twice
     */
    public OutputSummary {
        OpaqueId.require("output", output);
        segments = List.copyOf(segments);
        requireOnce(output, segments);
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
