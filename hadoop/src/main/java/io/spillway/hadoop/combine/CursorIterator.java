// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.combine;

import io.spillway.engine.spi.RunCombiner;
import io.spillway.ifile.RecordCursor;
import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/** Gives the records of a run, or of a merge, to a combiner. One thread. */
final class CursorIterator implements RawKeyValueIterator {
    private final RunCombiner.Records source;
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private final Progress progress = new Progress();

    CursorIterator(final RunCombiner.Records source) {
        this.source = source;
    }

    @Override
    public boolean next() throws IOException {
        final RecordCursor record = source.next();
        if (record == null) {
            return false;
        }
        key.reset(record.buffer(), record.keyStart(), record.keyLength());
        value.reset(record.buffer(), record.valueStart(), record.valueLength());
        return true;
    }

    @Override
    public DataInputBuffer getKey() {
        return key;
    }

    @Override
    public DataInputBuffer getValue() {
        return value;
    }

    @Override
    public Progress getProgress() {
        return progress;
    }

    @Override
    public void close() {}
}
