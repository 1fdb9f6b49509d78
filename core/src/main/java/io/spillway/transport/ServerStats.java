package io.spillway.transport;

/**
 * What a {@link SegmentServer} has done since its start. Immutable.
 *
 * @param connections served now
 * @param accepted connections since the start, refused ones included
 * @param refused connections since the start: no room, no proof, garbage
 * @param requests answered, with bytes or with a failure
 * @param failures requests answered with a failure
 * @param bytes of segments sent
 */
public record ServerStats(
        int connections, long accepted, long refused, long requests, long failures, long bytes) {}
