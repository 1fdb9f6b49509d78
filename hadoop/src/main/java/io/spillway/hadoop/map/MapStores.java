package io.spillway.hadoop.map;

import io.spillway.hadoop.tier.DiskSpillStore;
import io.spillway.hadoop.tier.StoreSettings;
import io.spillway.hadoop.tier.TaskTiers;
import io.spillway.store.Spill;
import io.spillway.store.SpillStore;
import io.spillway.store.tier.Tier;
import io.spillway.store.tier.TieredSpillStore;
import io.spillway.store.tier.Tiers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapOutputFile;

/**
 * The tiers of one map task: those that its settings name, as its node offers them. One thread at a
 * time.
 */
final class MapStores implements AutoCloseable {
    private final StoreSettings settings;
    private final MapOutputFile files;
    private final TaskTiers tiers;
    private final SpillStore spills;
    private final SpillStore output;

    private MapStores(final MapOutputCollector.Context context, final StoreSettings settings)
            throws IOException {
        this.settings = settings;
        this.files = context.getMapTask().getMapOutputFile();
        this.tiers =
                new TaskTiers(context.getJobConf(), context.getMapTask().getTaskID(), settings);
        this.spills = new TieredSpillStore(spillTiers(), tiers.selection());
        this.output = new TieredSpillStore(outputTiers(), tiers.selection());
    }

    static MapStores open(final MapOutputCollector.Context context, final StoreSettings settings)
            throws IOException {
        return new MapStores(context, settings);
    }

    /** Where spills go. */
    SpillStore spills() {
        return spills;
    }

    /** Where the map output goes. */
    SpillStore output() {
        return output;
    }

    private List<SpillStore> spillTiers() throws IOException {
        final List<SpillStore> chain = new ArrayList<>();
        for (final Tier tier : settings.spillTiers()) {
            chain.add(tiers.own(tier, files::getSpillFileForWrite));
        }
        return chain;
    }

    /** The tiers that others can open: without an offer of the node, that is the disk. */
    private List<SpillStore> outputTiers() throws IOException {
        final List<SpillStore> chain = new ArrayList<>();
        final DiskSpillStore.SpillFiles where =
                (number, bytes) -> files.getOutputFileForWrite(bytes);
        for (final Tier tier : settings.outputTiers()) {
            if (!Tiers.DISK.equals(tier)) {
                tiers.served(tier, where).ifPresent(chain::add);
            }
        }
        chain.add(tiers.disk(where));
        return chain;
    }

    /**
     * Whether a spill can become the map output as it is, where it is.
     *
     * @param tier of the spill
     */
    boolean canAdopt(final Tier tier) {
        return Tiers.DISK.equals(tier)
                || (tiers.isLeased(tier) && settings.outputTiers().contains(tier));
    }

    /** Whether the node can serve a spill where it is. */
    boolean canServeInPlace(final Spill spill) {
        return spill.holder().isPresent()
                && !Tiers.DISK.label().equals(spill.store())
                && canAdopt(Tiers.named(spill.store()));
    }

    /** Whether the first tier that spills go to is one that the node can serve them from. */
    boolean servesSpillsInPlace() {
        final Tier first = settings.spillTiers().get(0);
        return !Tiers.DISK.equals(first) && canAdopt(first);
    }

    /** Keeps what is left in the node's folders, the map output, until the job ends. */
    void keepOutput() throws IOException {
        tiers.keep();
    }

    /** Frees spills and, unless it is kept, the map output. Idempotent. */
    @Override
    public void close() {
        spills.close();
        output.close();
    }
}
