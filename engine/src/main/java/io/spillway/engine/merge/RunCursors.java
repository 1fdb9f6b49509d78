package io.spillway.engine.merge;

import io.spillway.engine.memory.ChunkInputStream;
import io.spillway.engine.memory.ChunkSource;
import io.spillway.ifile.HeadMemory;
import io.spillway.ifile.RecordBuffer;
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
     * Opens a segment as it was fetched.
     *
     * @param source belongs to the cursor from here on
     * @param partLength the stored length, checksum included
     * @param rawLength the length of its records and end marker
     */
    public RecordCursor segment(
            final ChunkSource source, final long partLength, final long rawLength)
            throws IOException {
        if (codecOrNull == null) {
            return plain(source);
        }
        return new StreamRecordCursor(
                new SegmentInputStream(new ChunkInputStream(source), partLength, codecOrNull),
                RECORD_BUFFER_BYTES,
                records,
                rawLength,
                decoderBytes);
    }

    /**
     * Opens a run in memory.
     *
     * @param source gives the run's chunks; belongs to the cursor from here on
     */
    RecordCursor run(final MemoryRun run, final ChunkSource source) throws IOException {
        return run.isSegment()
                ? segment(source, run.storedLength(), run.rawLength())
                : plain(source);
    }

    /**
     * Opens a run that is not compressed.
     *
     * @param source belongs to the cursor from here on
     */
    RecordCursor plain(final ChunkSource source) {
        return new ChunkCursor(source, records);
    }
}
