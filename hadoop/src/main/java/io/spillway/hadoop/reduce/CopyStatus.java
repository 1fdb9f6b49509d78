package io.spillway.hadoop.reduce;

import java.util.Locale;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.util.Progress;

/** Tells how far the copy phase is, in stock's words. Owned by the loop's thread. */
final class CopyStatus {
    private static final double MIB = 1 << 20;

    private final TaskStatus status;
    private final Progress phase;
    private final int total;

    private long bytes;
    private int inFlight;
    private long busySinceNanos;
    private long busyNanos;

    CopyStatus(final TaskStatus status, final Progress phase, final int total) {
        this.status = status;
        this.phase = phase;
        this.total = total;
    }

    /** A fetch begins. The rate counts the time in which at least one is in flight. */
    void began(final long nowNanos) {
        if (inFlight++ == 0) {
            busySinceNanos = nowNanos;
        }
    }

    /** A fetch has ended and brought {@code count} bytes. */
    void ended(final long count, final long nowNanos) {
        bytes += count;
        if (--inFlight == 0) {
            busyNanos += nowNanos - busySinceNanos;
        }
    }

    void copied(final int done, final long nowNanos) {
        final long busy = busyNanos + (inFlight > 0 ? nowNanos - busySinceNanos : 0);
        final double rate = bytes / MIB / (Math.max(1_000_000, busy) / 1e9);
        phase.set((float) done / total);
        status.setStateString(done + " / " + total + " copied.");
        phase.setStatus(
                String.format(Locale.ROOT, "copy(%d of %d at %.2f MB/s)", done, total, rate));
    }
}
