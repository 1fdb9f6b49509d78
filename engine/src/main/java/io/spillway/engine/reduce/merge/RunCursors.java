// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.reduce.memory.ChunkInputStream;
import io.spillway.engine.reduce.memory.ChunkSource;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.ifile.HeadMemory;
import io.spillway.ifile.RecordBuffer;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentInputStream;
import io.spillway.ifile.StreamRecordCursor;
import java.io.IOException;
import org.apache.hadoop.io.compress.CompressionCodec;

/**
 * Opens cursors on the runs of one merge, which share the buffer of its current record. One thread
 * at a time.
 */
public final class RunCursors {
    /** The buffer of decompressed records that each compressed segment has. */
    public static final int RECORD_BUFFER_BYTES = 32 << 10;

    private final CompressionCodec codecOrNull;
    private final int decoderBytes;
    private final RecordBuffer records;

    /**
     * Creates an opener for one merge.
     *
     * @param memory what heads and the current record are accounted for in
     */
    public RunCursors(final CompressionCodec codecOrNull, final HeadMemory memory) {
        this.codecOrNull = codecOrNull;
        this.decoderBytes = codecOrNull == null ? 0 : DecoderMemory.bytesPerSegment(codecOrNull);
        this.records = new RecordBuffer(memory);
    }

    /** The buffer of the merge's current record. */
    public RecordBuffer records() {
        return records;
    }

    /**
     * Opens a segment as it was fetched. At its end the cursor throws {@link MiscountedSegment}
     * where the records are not as many as they must be.
     *
     * @param source of the fetch; belongs to the cursor from here on
     */
    public RecordCursor segment(final SegmentFetch fetch, final ChunkSource source)
            throws IOException {
        final RecordCursor cursor =
                codecOrNull == null
                        ? new ChunkCursor(source, records)
                        : new StreamRecordCursor(
                                new SegmentInputStream(
                                        new ChunkInputStream(source),
                                        source.totalBytes(),
                                        codecOrNull),
                                RECORD_BUFFER_BYTES,
                                records,
                                fetch.rawLength(),
                                decoderBytes);
        cursor.audit(found -> settle(fetch, found));
        return cursor;
    }

    private static void settle(final SegmentFetch fetch, final long found)
            throws MiscountedSegment {
        if (!fetch.records.ended(found)) {
            throw new MiscountedSegment(fetch, found);
        }
    }

    /**
     * Opens a run in memory.
     *
     * @param source gives the run's chunks; belongs to the cursor from here on
     */
    RecordCursor run(final MemoryRun run, final ChunkSource source) throws IOException {
        return run.isSegment()
                ? segment(run.fetch(), source)
                : plain(source, run.records(), run.toString());
    }

    /**
     * Opens a run that is not compressed.
     *
     * @param source belongs to the cursor from here on
     * @param expected the records that it must have
     * @param name of the run, for messages
     */
    RecordCursor plain(final ChunkSource source, final long expected, final String name) {
        final RecordCursor cursor = new ChunkCursor(source, records);
        cursor.audit(found -> RecordCounts.require(name, expected, found));
        return cursor;
    }
}
