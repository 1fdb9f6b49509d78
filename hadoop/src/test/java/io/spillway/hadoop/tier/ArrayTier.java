// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.tier;

import io.spillway.report.ShuffleCounter;
import io.spillway.store.HeapSpillStore;
import io.spillway.store.SpillStore;
import io.spillway.store.tier.TaskSite;
import io.spillway.store.tier.Tier;
import java.util.function.Function;

/**
 * A tier of the tests alone, as a user may bring one. This class and its line in {@code
 * META-INF/services} are all that there is of it.
 */
public final class ArrayTier implements Tier {
    static final String LIMIT = "test.array.limit";

    @Override
    public String label() {
        return "array";
    }

    @Override
    public void check(final Function<String, String> settings) {
        limit(settings);
    }

    private static long limit(final Function<String, String> settings) {
        final String set = settings.apply(LIMIT);
        return set == null ? Long.MAX_VALUE : Long.parseLong(set);
    }

    @Override
    public SpillStore own(final TaskSite site) {
        return new HeapSpillStore(label(), limit(site.settings()));
    }

    @Override
    public ShuffleCounter spilled(final Function<String, String> settings) {
        return ShuffleCounter.SPILL_MEMORY_BYTES;
    }

    @Override
    public ShuffleCounter written(final Function<String, String> settings) {
        return ShuffleCounter.OUTPUT_MEMORY_BYTES;
    }
}
