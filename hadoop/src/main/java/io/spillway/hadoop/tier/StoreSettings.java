// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.tier;

import io.spillway.conf.CommonKeys;
import io.spillway.conf.Mode;
import io.spillway.conf.Placement;
import io.spillway.conf.Setting;
import io.spillway.conf.SpillMerging;
import io.spillway.conf.TierPreference;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.store.tier.Tier;
import io.spillway.store.tier.Tiers;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where a task keeps what it makes. Immutable.
 *
 * @param spillTiers where spills go, in order
 * @param outputTiers where the map output goes, in order
 * @param alwaysMerges whether all records are spilled before they are merged
 * @param tierPreference which tier of a chain takes a spill
 * @param slowBytesPerSecond below this speed a tier is slow
 * @param lookup gives each tier its own settings, by name; every one of them holds
 */
public record StoreSettings(
        List<Tier> spillTiers,
        List<Tier> outputTiers,
        boolean alwaysMerges,
        TierPreference tierPreference,
        long slowBytesPerSecond,
        Function<String, String> lookup) {
    private static final List<Tier> MEMORY_FIRST = List.of(Tiers.MEMORY, Tiers.DISK);

    /**
     * Reads settings.
     *
     * @throws io.spillway.conf.InvalidSettingException for one that does not hold
     */
    public static StoreSettings of(final Function<String, String> lookup) {
        final Mode mode = CommonKeys.MODE.get(lookup);
        for (final Tier tier : Tiers.all()) {
            tier.check(lookup);
        }
        final boolean inMemory = HadoopKeys.PLACEMENT.get(lookup) == Placement.RAMDISK;
        return new StoreSettings(
                inMemory
                        ? MEMORY_FIRST
                        : tiers(HadoopKeys.SPILL_TIERS.get(lookup), mode.spillTiers()),
                inMemory
                        ? MEMORY_FIRST
                        : tiers(HadoopKeys.OUTPUT_TIERS.get(lookup), mode.outputTiers()),
                alwaysMerges(HadoopKeys.SPILL_MERGE.get(lookup), mode),
                HadoopKeys.TIER_SELECTION.get(lookup).orElse(mode.tierPreference()),
                HadoopKeys.TIER_SLOW.get(lookup),
                lookup);
    }

    private static boolean alwaysMerges(final Optional<SpillMerging> set, final Mode mode) {
        return set.isPresent() ? set.get() == SpillMerging.ALWAYS : mode.alwaysMerges();
    }

    private static List<Tier> tiers(final List<String> set, final List<String> ofMode) {
        return Tiers.named(set.equals(List.of(Setting.AUTO)) ? ofMode : set);
    }

    /**
     * Insists that what spills may take of the heap is there.
     *
     * @param heap in bytes
     * @param taken of the heap by the sort buffer, in bytes
     * @throws io.spillway.conf.InvalidSettingException that names what would fit
     */
    public void requireInHeap(final long heap, final long taken) {
        for (final Tier tier : spillTiers) {
            tier.requireInHeap(lookup, heap, taken);
        }
    }
}
