package io.spillway.hadoop.tier;

import io.spillway.conf.Location;
import io.spillway.conf.MemoryBounds;
import io.spillway.conf.Mode;
import io.spillway.conf.Setting;
import io.spillway.conf.SpillMerging;
import io.spillway.conf.SpillwayKeys;
import io.spillway.conf.TierPreference;
import io.spillway.store.EmulatedNvm;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Where a task keeps what it makes. Immutable.
 *
 * @param spillTiers where spills go, in order
 * @param outputTiers where the map output goes, in order
 * @param alwaysMerges whether all records are spilled before they are merged
 * @param tierPreference which tier of a chain takes a spill
 * @param slowBytesPerSecond below this speed a tier is slow
 * @param heapLimit the most bytes of spills in the heap
 * @param directories of tiers whose files the task makes itself
 * @param memoryReserve what the memory tier leaves free, in bytes
 * @param emulation of NVM
 */
public record StoreSettings(
        List<String> spillTiers,
        List<String> outputTiers,
        boolean alwaysMerges,
        TierPreference tierPreference,
        long slowBytesPerSecond,
        long heapLimit,
        Map<String, Path> directories,
        long memoryReserve,
        EmulatedNvm emulation) {
    private static final Map<String, Setting<Location>> DIRECTORIES =
            Map.of(
                    TaskTiers.MEMORY, SpillwayKeys.STORE_MEMORY_DIR,
                    TaskTiers.NVM, SpillwayKeys.STORE_NVM_DIR,
                    TaskTiers.LUSTRE, SpillwayKeys.STORE_LUSTRE_DIR);

    /**
     * Reads settings.
     *
     * @throws io.spillway.conf.InvalidSettingException for one that does not hold
     */
    public static StoreSettings of(final Function<String, String> lookup) {
        final Mode mode = SpillwayKeys.MODE.get(lookup);
        final Map<String, Path> directories = new TreeMap<>();
        DIRECTORIES.forEach(
                (tier, setting) ->
                        setting.get(lookup).path().ifPresent(path -> directories.put(tier, path)));
        return new StoreSettings(
                orElse(SpillwayKeys.SPILL_TIERS.get(lookup), mode.spillTiers()),
                orElse(SpillwayKeys.OUTPUT_TIERS.get(lookup), mode.outputTiers()),
                SpillwayKeys.SPILL_MERGE
                        .get(lookup)
                        .map(SpillMerging.ALWAYS::equals)
                        .orElse(mode.alwaysMerges()),
                SpillwayKeys.TIER_SELECTION.get(lookup).orElse(mode.tierPreference()),
                SpillwayKeys.TIER_SLOW.get(lookup),
                SpillwayKeys.SPILL_HEAP_LIMIT.get(lookup),
                Map.copyOf(directories),
                SpillwayKeys.STORE_MEMORY_RESERVE.get(lookup),
                new EmulatedNvm(
                        SpillwayKeys.NVM_EMULATION_WRITE.get(lookup),
                        SpillwayKeys.NVM_EMULATION_READ.get(lookup)));
    }

    private static List<String> orElse(final List<String> tiers, final List<String> ofMode) {
        return tiers.equals(List.of(SpillwayKeys.AUTO)) ? ofMode : tiers;
    }

    /**
     * Insists that what spills may take of the heap is there, where they go to the heap.
     *
     * @param heap in bytes
     * @param taken of the heap by the sort buffer, in bytes
     * @throws io.spillway.conf.InvalidSettingException that names what would fit
     */
    public void requireInHeap(final long heap, final long taken) {
        if (spillTiers.contains(TaskTiers.HEAP)) {
            MemoryBounds.requireInHeap(
                    SpillwayKeys.SPILL_HEAP_LIMIT, heapLimit, heap, heap - taken);
        }
    }

    Optional<Path> directory(final String tier) {
        return Optional.ofNullable(directories.get(tier));
    }

    /** The name of the setting that gives a tier its directory. */
    String setting(final String tier) {
        return DIRECTORIES.get(tier).name();
    }

    /** What a tier leaves free, in bytes. */
    long reserve(final String tier) {
        return TaskTiers.MEMORY.equals(tier) ? memoryReserve : 0;
    }
}
