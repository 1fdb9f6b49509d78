// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.ifile.RecordBuffer;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.VInts;
import io.spillway.sort.MergeQueue;
import java.io.IOException;
import java.util.List;

/**
 * Reads what is left of a merge as a run, record by record where they lie: nothing is copied. One
 * thread at a time.
 */
final class QueueCursor extends RecordCursor {
    private static final byte[] END_MARKER = {VInts.END, VInts.END};

    private final MergeQueue queue;
    private final RecordBuffer records;

    /**
     * Creates a cursor.
     *
     * @param queue belongs to the cursor from here on
     * @param records shared by the queue's runs, and by no others
     */
    QueueCursor(final MergeQueue queue, final RecordBuffer records) {
        super();
        this.queue = queue;
        this.records = records;
        this.data = END_MARKER;
    }

    /** Goes to the next record once the current one is consumed; each lies whole in its buffer. */
    @Override
    protected boolean ensure(final int count) throws IOException {
        if (position == limit) {
            step();
        }
        return limit - position >= count;
    }

    private void step() throws IOException {
        if (!queue.next()) {
            data = END_MARKER;
            position = 0;
            limit = END_MARKER.length;
            return;
        }
        final RecordCursor record = queue.current();
        data = record.buffer();
        position = record.recordStart();
        limit = position + record.recordLength();
    }

    /**
     * The runs that the queue merges, to be merged by others; right after a head for which there
     * was no memory.
     */
    List<RecordCursor> runs() {
        return queue.runs();
    }

    @Override
    public long heldBytes() {
        return records.memory().keptHeadBytes();
    }

    @Override
    public void close() throws IOException {
        records.release();
        queue.close();
    }
}
