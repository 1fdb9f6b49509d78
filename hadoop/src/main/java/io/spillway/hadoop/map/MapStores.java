// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import io.spillway.conf.Placement;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.hadoop.job.SpillwayReducers;
import io.spillway.hadoop.tier.StoreSettings;
import io.spillway.hadoop.tier.TaskTiers;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.tier.Tier;
import io.spillway.store.tier.TieredSpillStore;
import io.spillway.store.tier.Tiers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapOutputFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tiers of one map task: those that its settings name, as its node offers them. One thread at a
 * time.
 */
final class MapStores implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MapStores.class);

    private final StoreSettings settings;
    private final MapOutputFile files;
    private final TaskTiers tiers;

    /** Stock's reducers cannot fetch outputs in files of another user. */
    private final boolean hasSpillwayReducers;

    private final SpillStore spills;
    private final List<SpillStore> outputChain;
    private final SpillStore output;
    private final SpillStore servedMemory;

    private MapStores(final MapOutputCollector.Context context, final StoreSettings settings)
            throws IOException {
        this.settings = settings;
        this.files = context.getMapTask().getMapOutputFile();
        this.tiers =
                new TaskTiers(
                        context.getJobConf(),
                        context.getMapTask().getTaskID(),
                        settings,
                        context.getMapTask().getShuffleSecret());
        this.hasSpillwayReducers = SpillwayReducers.areSureOf(context.getJobConf());
        this.spills = new TieredSpillStore(spillTiers(), tiers.selection());
        this.outputChain = outputTiers();
        this.output = new TieredSpillStore(outputChain, tiers.selection());
        this.servedMemory = prefersMemoryHere() ? memoryTier() : null;
    }

    private boolean prefersMemoryHere() {
        return HadoopKeys.PLACEMENT.get(settings.lookup()) == Placement.AUTO
                && settings.outputTiers().contains(Tiers.MEMORY);
    }

    private SpillStore memoryTier() {
        return served(Tiers.MEMORY).orElse(null);
    }

    /** Opens a tier for the output; empty where the reducers cannot read it there. */
    private Optional<SpillStore> served(final Tier tier) {
        final Optional<SpillStore> served =
                tiers.served(tier, (number, bytes) -> files.getOutputFileForWrite(bytes));
        return served.filter(store -> hasSpillwayReducers || !tiers.isLent(tier));
    }

    /** Whether a tier's files lie in folders that this task's user cannot enter. */
    boolean isLent(final Tier tier) {
        return tiers.isLent(tier);
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

    /**
     * Where the map output goes when a tier could not keep it after all.
     *
     * @param failed the tier's name; it is not the disk's
     */
    SpillStore outputWithout(final String failed) {
        return new TieredSpillStore(
                outputChain.stream().filter(store -> !store.name().equals(failed)).toList(),
                tiers.selection());
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
        for (final Tier tier : settings.outputTiers()) {
            if (!Tiers.DISK.equals(tier)) {
                served(tier).ifPresent(chain::add);
            }
        }
        chain.add(tiers.disk((number, bytes) -> files.getOutputFileForWrite(bytes)));
        return chain;
    }

    /**
     * Whether a spill can become the map output as it is, where it is.
     *
     * @param tier of the spill
     */
    boolean canAdopt(final Tier tier) {
        return Tiers.DISK.equals(tier)
                || (tiers.isLeased(tier)
                        && settings.outputTiers().contains(tier)
                        && (hasSpillwayReducers || !tiers.isLent(tier)));
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

    /**
     * Whether an output is to stay here although other nodes may have room: it fits into memory
     * that the node serves. The room is looked at, and not kept.
     */
    boolean keepsHere(final long expectedBytes) {
        if (servedMemory == null) {
            return false;
        }
        try (SpillSink probe = servedMemory.create("probe", expectedBytes)) {
            probe.abort();
            return true;
        } catch (final IOException e) {
            LOG.info("Memory here has no room for {} bytes: {}", expectedBytes, e.getMessage());
            return false;
        }
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
        if (servedMemory != null) {
            servedMemory.close();
        }
    }
}
