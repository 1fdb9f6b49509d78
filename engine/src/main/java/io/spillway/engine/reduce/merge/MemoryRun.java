// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.memory.Claim;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.ifile.RecordCounts;
import java.util.List;

/**
 * A sorted run that lies in memory as a whole: a segment that was fetched and verified, or what a
 * merge in memory made of several. It knows its place in the order of the maps. Immutable; its
 * chunks are owned by the loop's thread until they are taken.
 *
 * <p>Places are {@link SegmentFetch#number numbers of fetches}: by map, then by run.
 */
final class MemoryRun {
    /**
     * How much of it there is.
     *
     * @param segments of how many it was made
     * @param level how often its records were merged, about
     * @param records of a run that is no segment
     */
    private record Size(int segments, int level, long rawLength, long storedLength, long records) {}

    private final SegmentFetch fetch;
    private final List<Chunk> chunks;
    private final int first;
    private final int last;
    private final Size size;

    private MemoryRun(
            final SegmentFetch fetch,
            final List<Chunk> chunks,
            final int first,
            final int last,
            final Size size) {
        this.fetch = fetch;
        this.chunks = chunks;
        this.first = first;
        this.last = last;
        this.size = size;
    }

    /** A complete segment. It stays in the fetch's queue until {@link #take}. */
    static MemoryRun of(final SegmentFetch fetch) {
        final Size size = new Size(1, 0, fetch.rawLength(), fetch.partLength(), 0);
        return new MemoryRun(fetch, null, fetch.number, fetch.number, size);
    }

    /** Stands for places of which it is known that there are no records. */
    static MemoryRun empty(final int first, final int last) {
        return new MemoryRun(null, List.of(), first, last, new Size(0, 0, 0, 0, 0));
    }

    /**
     * What a merge in memory has written: IFile records and end marker, neither compressed nor with
     * a checksum. Without chunks an {@link #empty} one.
     *
     * @param inputs the neighbours it was made of, in their order
     * @param level how often its records were merged, about
     * @param records how many there are
     */
    static MemoryRun merged(
            final List<Chunk> chunks,
            final List<MemoryRun> inputs,
            final int level,
            final long records) {
        final int first = inputs.get(0).first;
        final int last = inputs.get(inputs.size() - 1).last;
        if (chunks.isEmpty()) {
            return empty(first, last);
        }
        final int segments = inputs.stream().mapToInt(MemoryRun::segments).sum();
        final long bytes = chunks.stream().mapToLong(Chunk::length).sum();
        final Size size = new Size(segments, level, bytes, bytes, records);
        return new MemoryRun(null, chunks, first, last, size);
    }

    /** The same run over its own places and those of an adjacent one; one of the two is empty. */
    MemoryRun joined(final MemoryRun next) {
        final MemoryRun run = isEmpty() ? next : this;
        return new MemoryRun(run.fetch, run.chunks, first, next.last, run.size);
    }

    /** Whether the other one's places begin where this one's end. */
    boolean isBefore(final MemoryRun other) {
        return last + 1 == other.first;
    }

    /** The first of its places. */
    int first() {
        return first;
    }

    /** Whether it only holds places. */
    boolean isEmpty() {
        return size.segments == 0;
    }

    /** Of how many segments it was made. */
    int segments() {
        return size.segments;
    }

    /** How often its records were merged, about: 0 for a segment. */
    int level() {
        return size.level;
    }

    /** Whether it is a segment as it was fetched. */
    boolean isSegment() {
        return fetch != null;
    }

    /** The fetch of a segment. */
    SegmentFetch fetch() {
        return fetch;
    }

    /** The records that it must have, or {@link RecordCounts#UNKNOWN}. */
    long records() {
        return fetch == null ? size.records : fetch.records.expected();
    }

    @Override
    public String toString() {
        return fetch == null
                ? "a run merged in memory of places " + first + " to " + last
                : fetch.toString();
    }

    /** The bytes of its records and end marker. */
    long rawLength() {
        return size.rawLength;
    }

    /** The bytes that it has in memory; for a segment its length, checksum included. */
    long storedLength() {
        return size.storedLength;
    }

    /** The chunks of a run that is no segment, for one reader; they are the merges' claim's. */
    List<Chunk> chunks() {
        return chunks;
    }

    /**
     * Takes the chunks out, for one reader. Those of a segment are from here on not its fetch's any
     * more. Loop's thread.
     *
     * @param claim of the merges, which has the chunks from here on
     */
    List<Chunk> take(final ChunkPool pool, final Claim claim) {
        if (fetch == null) {
            return chunks;
        }
        fetch.mergeAhead();
        final List<Chunk> taken = fetch.drain();
        taken.forEach(chunk -> pool.transfer(fetch.claim, claim, chunk));
        return taken;
    }
}
