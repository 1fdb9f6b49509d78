// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.reduce.merge.MergedRecords;
import io.spillway.ifile.RecordCursor;
import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * Streams the merge of all segments into {@code reduce()}. Task thread.
 *
 * <p>Key and value are read in place: they are valid until the following {@link #next}, as Hadoop's
 * contract says.
 */
final class MergeIterator implements RawKeyValueIterator {
    private final MergedRecords records;
    private final Progress progress;
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();

    /**
     * Creates an iterator.
     *
     * @param progress how much was merged, which others set
     */
    MergeIterator(final MergedRecords records, final Progress progress) {
        this.records = records;
        this.progress = progress;
    }

    @Override
    public boolean next() throws IOException {
        if (!records.next()) {
            return false;
        }
        final RecordCursor record = records.current();
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
    public void close() throws IOException {
        records.close();
    }
}
