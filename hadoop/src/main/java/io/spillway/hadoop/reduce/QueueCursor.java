package io.spillway.hadoop.reduce;

import io.spillway.ifile.VInts;
import io.spillway.sort.MergeQueue;
import io.spillway.sort.RecordCursor;
import java.io.IOException;

/**
 * Reads what is left of a merge as a run, record by record where they lie: nothing is copied. One
 * thread at a time.
 */
final class QueueCursor extends RecordCursor {
    private static final byte[] END_MARKER = {VInts.END, VInts.END};

    private final MergeQueue queue;

    /** Creates a cursor; the queue belongs to it from here on. */
    QueueCursor(final MergeQueue queue) {
        super();
        this.queue = queue;
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

    @Override
    public void close() throws IOException {
        queue.close();
    }
}
