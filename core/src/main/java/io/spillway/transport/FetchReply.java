package io.spillway.transport;

/**
 * What a completed fetch tells, beside the bytes. Immutable.
 *
 * @param partLength the segment's length in the file and on the wire, its checksum included
 * @param rawLength the segment's length uncompressed, its end marker included, as the index says
 * @param length the bytes that this fetch brought, 0 to the length asked for; less only at the end
 */
public record FetchReply(long partLength, long rawLength, int length) {}
