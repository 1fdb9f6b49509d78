package io.spillway.hadoop.reduce;

import java.util.List;

/**
 * A sorted run that lies in memory as a whole: a segment that was fetched and verified, or what a
 * partial merge made of several. Owned by the loop's thread until its chunks are taken.
 */
final class MemoryRun {
    private final SegmentFetch fetch;
    private final List<HeldChunk> chunks;
    private final int level;
    private final long rawLength;
    private final long storedLength;

    private MemoryRun(
            final SegmentFetch fetch,
            final List<HeldChunk> chunks,
            final int level,
            final long rawLength,
            final long storedLength) {
        this.fetch = fetch;
        this.chunks = chunks;
        this.level = level;
        this.rawLength = rawLength;
        this.storedLength = storedLength;
    }

    /** A complete segment. It stays in the fetch's queue until {@link #take}. */
    static MemoryRun of(final SegmentFetch fetch) {
        return new MemoryRun(fetch, null, 0, fetch.rawLength(), fetch.partLength());
    }

    /**
     * What a partial merge has written: IFile records and end marker, neither compressed nor with a
     * checksum.
     *
     * @param level how often its records were merged, at least once
     */
    static MemoryRun merged(final List<HeldChunk> chunks, final int level) {
        final long bytes = chunks.stream().mapToLong(held -> held.chunk().length()).sum();
        return new MemoryRun(null, chunks, level, bytes, bytes);
    }

    /** How often its records were merged: 0 for a segment. */
    int level() {
        return level;
    }

    /** Whether it is a segment as it was fetched. */
    boolean isSegment() {
        return fetch != null;
    }

    /** The bytes of its records and end marker. */
    long rawLength() {
        return rawLength;
    }

    /** The bytes that it has in memory; for a segment its length, checksum included. */
    long storedLength() {
        return storedLength;
    }

    /** Takes the chunks out, for one reader. A segment is from here on not its fetch's any more. */
    List<HeldChunk> take() {
        if (fetch == null) {
            return chunks;
        }
        fetch.merged = true;
        return fetch.drain().stream().map(chunk -> new HeldChunk(fetch, chunk)).toList();
    }
}
