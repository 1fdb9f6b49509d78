package io.spillway.hadoop.reduce;

import io.spillway.ifile.SegmentInputStream;
import io.spillway.ifile.StreamRecordCursor;
import io.spillway.sort.RecordCursor;
import java.io.IOException;
import org.apache.hadoop.io.compress.CompressionCodec;

/** Opens cursors on segments of one job. Immutable; any thread. */
final class RunCursors {
    private final CompressionCodec codecOrNull;

    RunCursors(final CompressionCodec codecOrNull) {
        this.codecOrNull = codecOrNull;
    }

    /**
     * Opens a segment as it was fetched.
     *
     * @param source belongs to the cursor from here on
     * @param partLength the stored length, checksum included
     */
    RecordCursor segment(final ChunkSource source, final long partLength) throws IOException {
        if (codecOrNull == null) {
            return new ChunkCursor(source);
        }
        return new StreamRecordCursor(
                new SegmentInputStream(new ChunkInputStream(source), partLength, codecOrNull),
                DecoderMemory.RECORD_BUFFER_BYTES);
    }

    /**
     * Opens a run in memory.
     *
     * @param source gives the run's chunks; belongs to the cursor from here on
     */
    RecordCursor run(final MemoryRun run, final ChunkSource source) throws IOException {
        return run.isSegment() ? segment(source, run.storedLength()) : new ChunkCursor(source);
    }
}
