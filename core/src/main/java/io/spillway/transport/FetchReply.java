package io.spillway.transport;

/**
 * What a completed fetch tells, beside the bytes. Immutable.
 *
 * @param partLength the segment's length in the file and on the wire, its checksum included
 * @param rawLength the segment's length uncompressed, its end marker included, as the index says
 * @param runs of how many sorted runs the segment is; the lengths are those of the one asked for
 * @param length the bytes that this fetch brought, 0 to the length asked for; less only at the end
 */
public record FetchReply(long partLength, long rawLength, int runs, int length) {
    /** A reply about a segment of one run. */
    public FetchReply(final long partLength, final long rawLength, final int length) {
        this(partLength, rawLength, 1, length);
    }
}
