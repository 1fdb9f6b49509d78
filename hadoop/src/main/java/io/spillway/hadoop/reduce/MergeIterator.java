package io.spillway.hadoop.reduce;

import io.spillway.sort.RecordCursor;
import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams the merge of all segments into {@code reduce()}. Task thread.
 *
 * <p>Key and value are read in place, in the buffer of the segment they come from: they are valid
 * until the following {@link #next}, as Hadoop's contract says.
 */
final class MergeIterator implements RawKeyValueIterator {
    private static final Logger LOG = LoggerFactory.getLogger(MergeIterator.class);

    /** Progress is told whenever this many bytes have been merged. */
    private static final long PROGRESS_BYTES = 1 << 20;

    /** Learns of the merge's milestones. */
    interface Listener {
        /** The first record goes to {@code reduce()}. */
        void onFirstRecord();

        /** No record is left, or the iterator was closed. */
        void onEnd();

        /** The merge cannot go on, and has given back what it read from. */
        void onFailure(Throwable cause);
    }

    private final BoundedMerge merge;
    private final long totalBytes;
    private final Progressable reporter;
    private final Listener listener;
    private final Progress progress = new Progress();
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private long mergedBytes;
    private long nextProgressAt;
    private boolean started;
    private boolean ended;
    private boolean released;

    /**
     * Creates an iterator.
     *
     * @param totalBytes the raw bytes of all segments
     */
    MergeIterator(
            final BoundedMerge merge,
            final long totalBytes,
            final Progressable reporter,
            final Listener listener) {
        this.merge = merge;
        this.totalBytes = totalBytes;
        this.reporter = reporter;
        this.listener = listener;
    }

    @Override
    public boolean next() throws IOException {
        if (released) {
            throw new IOException("The merge of map outputs was given up before its end");
        }
        if (ended) {
            return false;
        }
        if (!advance()) {
            end();
            return false;
        }
        final RecordCursor record = merge.current();
        key.reset(record.buffer(), record.keyStart(), record.keyLength());
        value.reset(record.buffer(), record.valueStart(), record.valueLength());
        mergedBytes += record.recordLength();
        if (mergedBytes >= nextProgressAt) {
            tellProgress();
        }
        return true;
    }

    private boolean advance() throws IOException {
        try {
            return merge.next();
        } catch (final IOException | RuntimeException | Error e) {
            // Codecs and comparators answer to damaged bytes with any of these.
            release();
            listener.onFailure(e);
            throw e;
        }
    }

    /** Gives back what the merge reads from; no record can be read any more. Idempotent. */
    void release() {
        if (ended || released) {
            return;
        }
        released = true;
        try {
            merge.close();
        } catch (final IOException | RuntimeException e) {
            LOG.warn("Closing map outputs failed", e);
        }
    }

    private void tellProgress() {
        if (!started) {
            started = true;
            listener.onFirstRecord();
        }
        nextProgressAt = mergedBytes + PROGRESS_BYTES;
        progress.set((float) ((double) mergedBytes / totalBytes));
        reporter.progress();
    }

    private void end() throws IOException {
        ended = true;
        progress.set(1);
        merge.close();
        listener.onEnd();
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
        if (!ended && !released) {
            end();
        }
    }
}
