// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.tier;

import io.spillway.engine.spi.RunStores;
import io.spillway.store.SpillStore;
import io.spillway.store.tier.Tier;
import io.spillway.store.tier.TieredSpillStore;
import io.spillway.store.tier.Tiers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Opens the tiers for runs of merges in levels: those of the job's spills in their order, as the
 * node offers them, and local disk at last. Not the heap: what has to leave it is what these are
 * for.
 */
public final class LevelStores implements RunStores {
    private static final long SIZE_UNKNOWN = -1;

    private final ShuffleConsumerPlugin.Context<?, ?> context;
    private final StoreSettings settings;

    public LevelStores(
            final ShuffleConsumerPlugin.Context<?, ?> context, final StoreSettings settings) {
        this.context = context;
        this.settings = settings;
    }

    /** Opens the chain; it holds the attempt's lock in the node's folders until it is closed. */
    @Override
    public SpillStore open() throws IOException {
        final TaskAttemptID attempt = (TaskAttemptID) context.getReduceId();
        final TaskTiers tiers =
                new TaskTiers(
                        context.getJobConf(),
                        attempt,
                        settings,
                        context.getReduceTask().getShuffleSecret());
        final List<SpillStore> chain = new ArrayList<>();
        final DiskSpillStore.SpillFiles files = (number, bytes) -> file(attempt, number);
        for (final Tier tier : settings.spillTiers()) {
            if (tier.leavesHeap() && !Tiers.DISK.equals(tier)) {
                chain.add(tiers.own(tier, files));
            }
        }
        chain.add(tiers.disk(files));
        return new TieredSpillStore(chain, tiers.selection());
    }

    @Override
    public boolean isDisk(final String tier) {
        return Tiers.DISK.label().equals(tier);
    }

    private Path file(final TaskAttemptID attempt, final int number) throws IOException {
        return context.getMapOutputFile()
                .getInputFileForWrite(attempt.getTaskID(), SIZE_UNKNOWN)
                .suffix(".level" + number + ".spillway");
    }
}
