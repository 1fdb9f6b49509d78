package io.spillway.hadoop.combine;

import io.spillway.sort.MergeQueue;
import io.spillway.sort.RecordCursor;
import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/** Gives the records of a cursor, or of a merge, to a combiner. One thread. */
public final class CursorIterator implements RawKeyValueIterator {
    /** Where the records come from; each call makes the next one current. */
    @FunctionalInterface
    public interface Source {
        /** The next record's cursor, or null at the end. */
        RecordCursor next() throws IOException;
    }

    private final Source source;
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private final Progress progress = new Progress();

    private CursorIterator(final Source source) {
        this.source = source;
    }

    /** Of one run. */
    public static CursorIterator of(final RecordCursor cursor) {
        return new CursorIterator(() -> cursor.next() ? cursor : null);
    }

    /** Of a merge. */
    public static CursorIterator of(final MergeQueue queue) {
        return new CursorIterator(() -> queue.next() ? queue.current() : null);
    }

    /** Of what {@code source} gives. */
    public static CursorIterator of(final Source source) {
        return new CursorIterator(source);
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
