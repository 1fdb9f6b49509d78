// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.engine.spi.SegmentForm;
import io.spillway.transport.FetchReply;

/**
 * The lengths of one run of a segment, as its source says.
 *
 * @param part the bytes that are fetched: the stored ones, header and checksum included
 * @param raw the bytes of records and end marker, uncompressed and without the cipher's header
 * @param runs the runs that the segment is of
 */
public record SegmentLengths(long part, long raw, int runs) {
    /** An uncompressed segment's end marker: the least raw length. */
    public static final int MIN_RAW = 2;

    /** The lengths that a reply names; not checked. */
    public static SegmentLengths of(final FetchReply reply, final SegmentForm form) {
        return of(reply.partLength(), reply.rawLength(), reply.runs(), form);
    }

    /** The lengths as an index has them; not checked. */
    public static SegmentLengths of(
            final long part, final long rawAndHeader, final int runs, final SegmentForm form) {
        return new SegmentLengths(part, rawAndHeader - form.cipher().headerLength(), runs);
    }

    /** Whether there is no record. */
    public boolean isEmpty() {
        return raw <= MIN_RAW;
    }

    /**
     * What is wrong with a reply that brings a piece of a fetch, or null.
     *
     * @param wanted the bytes that were asked for
     * @param form of the job's segments
     */
    public static String problemOf(
            final SegmentFetch fetch,
            final FetchReply reply,
            final long offset,
            final int wanted,
            final SegmentForm form) {
        final SegmentLengths found = of(reply, form);
        final String problem =
                fetch.lengthsKnown()
                        ? fetch.lengths.differenceOf(found)
                        : problemOfFirst(fetch, found, form);
        if (problem != null) {
            return problem;
        }
        final String miscount = problemOfRecords(fetch, found, reply.records());
        if (miscount != null) {
            return miscount;
        }
        final long expected = Math.min(wanted, reply.partLength() - offset);
        return reply.length() == expected
                ? null
                : "length=" + reply.length() + " at offset=" + offset + ", expected " + expected;
    }

    /** A record has two bytes at least, its lengths, and only an empty segment has none. */
    private static String problemOfRecords(
            final SegmentFetch fetch, final SegmentLengths found, final long records) {
        if (records == FetchReply.UNKNOWN_RECORDS) {
            return null;
        }
        final long most = (found.raw - MIN_RAW) / 2;
        if (records < Math.min(1, most) || records > most) {
            return "records="
                    + records
                    + ", expected "
                    + Math.min(1, most)
                    + " to "
                    + most
                    + " of rawLength="
                    + found.raw;
        }
        return fetch.records.contradicts(records)
                ? "records=" + records + ", expected " + fetch.records.expected() + " as before"
                : null;
    }

    private static String problemOfFirst(
            final SegmentFetch fetch, final SegmentLengths found, final SegmentForm form) {
        final String problem = fetch.map.problemOfRuns(fetch.id.run(), found.runs);
        return problem == null ? found.problem(form) : problem;
    }

    /** What is wrong with a segment's lengths, or null. */
    public String problem(final SegmentForm form) {
        if (part <= form.overhead() || raw < MIN_RAW) {
            return "partLength="
                    + part
                    + " rawLength="
                    + raw
                    + ", expected more than "
                    + form.overhead()
                    + " and at least "
                    + MIN_RAW;
        }
        if (!form.compressed() && part != raw + form.overhead()) {
            return "partLength="
                    + part
                    + " rawLength="
                    + raw
                    + ", expected a difference of "
                    + form.overhead()
                    + " in uncompressed map output";
        }
        return null;
    }

    /** Describes the difference to other lengths of the same segment; null where there is none. */
    private String differenceOf(final SegmentLengths found) {
        return equals(found) ? null : found + ", expected " + this + " as before";
    }

    @Override
    public String toString() {
        return "partLength=" + part + " rawLength=" + raw + " runs=" + runs;
    }
}
