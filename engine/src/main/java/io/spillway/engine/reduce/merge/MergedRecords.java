// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.ifile.RecordCursor;
import java.io.IOException;
import java.util.function.DoubleConsumer;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The merge of all segments, record by record. Task thread.
 *
 * <p>Records are read in place, in the buffer of the segment they come from: they are valid until
 * the following {@link #next}.
 */
public final class MergedRecords {
    private static final Logger LOG = LoggerFactory.getLogger(MergedRecords.class);

    /** Progress is reported each time this many bytes have been merged. */
    private static final long PROGRESS_BYTES = 1 << 20;

    /** Learns of the merge's milestones. */
    public interface Listener {
        /** The first record goes to the reducer. */
        void onFirstRecord();

        /**
         * Every record was given out.
         *
         * @throws IOException when they are not as many as there must be
         */
        void onAllGiven(long records) throws IOException;

        /** No record is left, or the merge was closed. */
        void onEnd();

        /** The merge cannot go on, and has given back what it read from. */
        void onFailure(Throwable cause);
    }

    private final BoundedMerge merge;
    private final long totalBytes;
    private final Progressable heartbeat;
    private final DoubleConsumer progress;
    private final Listener listener;
    private long mergedBytes;
    private long records;
    private long nextProgressAt;
    private boolean started;
    private boolean ended;
    private boolean released;

    /**
     * Creates the merge.
     *
     * @param totalBytes the raw bytes of all segments
     * @param progress takes the part that was merged, of 1
     */
    public MergedRecords(
            final BoundedMerge merge,
            final long totalBytes,
            final Progressable heartbeat,
            final DoubleConsumer progress,
            final Listener listener) {
        this.merge = merge;
        this.totalBytes = totalBytes;
        this.heartbeat = heartbeat;
        this.progress = progress;
        this.listener = listener;
    }

    /**
     * Makes the next record current.
     *
     * @return false at the end
     */
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
        records++;
        mergedBytes += merge.current().recordLength();
        if (mergedBytes >= nextProgressAt) {
            tellProgress();
        }
        return true;
    }

    /** The current record. */
    public RecordCursor current() {
        return merge.current();
    }

    private boolean advance() throws IOException {
        try {
            if (merge.next()) {
                return true;
            }
            listener.onAllGiven(records);
            return false;
        } catch (final IOException | RuntimeException | Error e) {
            // Codecs and comparators answer to damaged bytes with any of these.
            release();
            listener.onFailure(e);
            throw e;
        }
    }

    /** Gives back what the merge reads from; no record can be read any more. Idempotent. */
    public void release() {
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
        progress.accept((double) mergedBytes / totalBytes);
        heartbeat.progress();
    }

    private void end() throws IOException {
        ended = true;
        progress.accept(1);
        merge.close();
        listener.onEnd();
    }

    /** Ends the merge, at whatever record. Idempotent. */
    public void close() throws IOException {
        if (!ended && !released) {
            end();
        }
    }
}
