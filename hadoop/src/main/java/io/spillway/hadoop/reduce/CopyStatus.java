// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.spi.CopyProgress;
import java.io.IOException;
import java.util.Locale;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.util.Progress;

/**
 * Tells how far the copy phase is, in stock's words. Owned by the loop's thread, but {@link #end}.
 */
final class CopyStatus implements CopyProgress {
    private static final double MIB = 1 << 20;

    private final ShuffleConsumerPlugin.Context<?, ?> context;
    private final TaskStatus status;
    private final Progress phase;
    private final int total;

    private long bytes;
    private int inFlight;
    private long busySinceNanos;
    private long busyNanos;

    CopyStatus(final ShuffleConsumerPlugin.Context<?, ?> context, final int total) {
        this.context = context;
        this.status = context.getStatus();
        this.phase = context.getCopyPhase();
        this.total = total;
    }

    /** The rate counts the time in which at least one request is in flight. */
    @Override
    public void began(final long nowNanos) {
        if (inFlight++ == 0) {
            busySinceNanos = nowNanos;
        }
    }

    @Override
    public void ended(final long count, final long nowNanos) {
        bytes += count;
        if (--inFlight == 0) {
            busyNanos += nowNanos - busySinceNanos;
        }
    }

    @Override
    public void copied(final int done, final long nowNanos) {
        final long busy = busyNanos + (inFlight > 0 ? nowNanos - busySinceNanos : 0);
        final double rate = bytes / MIB / (Math.max(1_000_000, busy) / 1e9);
        phase.set((float) done / total);
        status.setStateString(done + " / " + total + " copied.");
        phase.setStatus(
                String.format(Locale.ROOT, "copy(%d of %d at %.2f MB/s)", done, total, rate));
    }

    @Override
    public void end() throws IOException {
        phase.complete();
        status.setPhase(TaskStatus.Phase.SORT);
        context.getReduceTask().statusUpdate(context.getUmbilical());
    }
}
