// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.hadoop.job.ShuffleTls;
import io.spillway.hadoop.job.StockReason;
import java.util.Optional;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;

/**
 * Decides whether a reducer can use Spillway's shuffle, and with which settings. The memory that it
 * finds decides nothing: with little of it windows are smaller and compressed outputs are merged in
 * levels. Immutable.
 */
public final class ShuffleChoice {
    private final JobSettings settings;
    private final String stockReason;

    private ShuffleChoice(final JobSettings settings, final String stockReason) {
        this.settings = settings;
        this.stockReason = stockReason;
    }

    /** Decides for one task, with this JVM's heap. */
    public static ShuffleChoice of(final ShuffleConsumerPlugin.Context<?, ?> context) {
        return of(context, Runtime.getRuntime().maxMemory());
    }

    static ShuffleChoice of(
            final ShuffleConsumerPlugin.Context<?, ?> context, final long heapBytes) {
        return reasonOfTask(context)
                .map(why -> new ShuffleChoice(null, why))
                .orElseGet(() -> new ShuffleChoice(new JobSettings(context, heapBytes), null));
    }

    private static Optional<String> reasonOfTask(
            final ShuffleConsumerPlugin.Context<?, ?> context) {
        if (context.getLocalMapFiles() != null) {
            return Optional.of("map outputs are local files (uber task or LocalJobRunner)");
        }
        if (context.getReduceTask().getShuffleSecret() == null) {
            return Optional.of("the task has no shuffle secret");
        }
        return StockReason.of(context.getJobConf());
    }

    /** Why the stock shuffle is to be used, or null when Spillway's is. */
    public String stockReason() {
        return stockReason;
    }

    /** TLS of shuffle ports; nothing where they have none. */
    public Optional<ShuffleTls> tls() {
        return settings.tls;
    }

    JobSettings settings() {
        return settings;
    }
}
