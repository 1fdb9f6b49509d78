// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.conf.MemoryBounds;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.HeapSpillStore;
import io.spillway.store.SpillStore;
import java.util.function.Function;

/** Chunks of the task's heap. */
public final class HeapTier implements Tier {
    @Override
    public String label() {
        return "heap";
    }

    @Override
    public boolean leavesHeap() {
        return false;
    }

    @Override
    public void check(final Function<String, String> settings) {
        StoreKeys.SPILL_HEAP_LIMIT.get(settings);
    }

    @Override
    public void requireInHeap(
            final Function<String, String> settings, final long heap, final long taken) {
        MemoryBounds.requireInHeap(
                StoreKeys.SPILL_HEAP_LIMIT,
                StoreKeys.SPILL_HEAP_LIMIT.get(settings),
                heap,
                heap - taken);
    }

    @Override
    public SpillStore own(final TaskSite site) {
        return new HeapSpillStore(label(), StoreKeys.SPILL_HEAP_LIMIT.get(site.settings()));
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
