// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.combine;

import io.spillway.engine.spi.RunCombiner;
import io.spillway.ifile.RecordCursor;
import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * Gives the records of a run, or of a merge, to a combiner or to {@code reduce()}. One thread.
 *
 * <p>Key and value are read in place: they are valid until the following {@link #next}, as Hadoop's
 * contract says.
 */
public final class CursorIterator implements RawKeyValueIterator {
    private final RunCombiner.Records source;
    private final Progress progress;
    private final Closeable onClose;
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();

    CursorIterator(final RunCombiner.Records source) {
        this(source, new Progress(), () -> {});
    }

    /**
     * Creates an iterator.
     *
     * @param progress how many of the records were read, which others set
     * @param onClose frees the source
     */
    public CursorIterator(
            final RunCombiner.Records source, final Progress progress, final Closeable onClose) {
        this.source = source;
        this.progress = progress;
        this.onClose = onClose;
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
    public void close() throws IOException {
        onClose.close();
    }
}
