// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.transport.FetchReply;

/**
 * The lengths of one run of a segment, as its source says.
 *
 * @param part the bytes that are fetched, checksum included
 * @param raw the bytes of records and end marker, uncompressed
 * @param runs the runs that the segment is of
 */
public record SegmentLengths(long part, long raw, int runs) {
    /** An uncompressed segment's end marker: the least raw length. */
    public static final int MIN_RAW = 2;

    /** The lengths that a reply names; not checked. */
    static SegmentLengths of(final FetchReply reply) {
        return new SegmentLengths(reply.partLength(), reply.rawLength(), reply.runs());
    }

    /** Whether there is no record. */
    public boolean isEmpty() {
        return raw <= MIN_RAW;
    }

    /**
     * What is wrong with a reply that brings a piece of a fetch, or null.
     *
     * @param wanted the bytes that were asked for
     * @param compressed whether the segment is
     */
    public static String problemOf(
            final SegmentFetch fetch,
            final FetchReply reply,
            final long offset,
            final int wanted,
            final boolean compressed) {
        final String problem =
                fetch.lengthsKnown()
                        ? fetch.lengths.differenceOf(reply)
                        : problemOfFirst(fetch, reply, compressed);
        if (problem != null) {
            return problem;
        }
        final String miscount = problemOfRecords(fetch, reply);
        if (miscount != null) {
            return miscount;
        }
        final long expected = Math.min(wanted, reply.partLength() - offset);
        return reply.length() == expected
                ? null
                : "length=" + reply.length() + " at offset=" + offset + ", expected " + expected;
    }

    /** A record has two bytes at least, its lengths, and only an empty segment has none. */
    private static String problemOfRecords(final SegmentFetch fetch, final FetchReply reply) {
        final long records = reply.records();
        if (records == FetchReply.UNKNOWN_RECORDS) {
            return null;
        }
        final long most = (reply.rawLength() - MIN_RAW) / 2;
        if (records < Math.min(1, most) || records > most) {
            return "records="
                    + records
                    + ", expected "
                    + Math.min(1, most)
                    + " to "
                    + most
                    + " of rawLength="
                    + reply.rawLength();
        }
        return fetch.records.contradicts(records)
                ? "records=" + records + ", expected " + fetch.records.expected() + " as before"
                : null;
    }

    private static String problemOfFirst(
            final SegmentFetch fetch, final FetchReply reply, final boolean compressed) {
        final String problem = fetch.map.problemOfRuns(fetch.id.run(), reply.runs());
        return problem == null
                ? problemOf(reply.partLength(), reply.rawLength(), compressed)
                : problem;
    }

    /** What is wrong with a segment's lengths, or null. */
    public static String problemOf(final long part, final long raw, final boolean compressed) {
        if (part <= SegmentChecksum.LENGTH || raw < MIN_RAW) {
            return "partLength="
                    + part
                    + " rawLength="
                    + raw
                    + ", expected more than "
                    + SegmentChecksum.LENGTH
                    + " and at least "
                    + MIN_RAW;
        }
        if (!compressed && part != raw + SegmentChecksum.LENGTH) {
            return "partLength="
                    + part
                    + " rawLength="
                    + raw
                    + ", expected a difference of "
                    + SegmentChecksum.LENGTH
                    + " in uncompressed map output";
        }
        return null;
    }

    /** Why a reply does not belong to a segment of these lengths, or null. */
    String differenceOf(final FetchReply reply) {
        return equals(of(reply)) ? null : of(reply) + ", expected " + this + " as before";
    }

    @Override
    public String toString() {
        return "partLength=" + part + " rawLength=" + raw + " runs=" + runs;
    }
}
