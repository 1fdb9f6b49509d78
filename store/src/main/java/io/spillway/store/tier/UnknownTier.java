// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.conf.WireTier;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.SpillStore;
import io.spillway.store.UnusableStore;
import java.util.function.Function;

/** Where a node does not say where its bytes are, or a newer node says what is not known here. */
final class UnknownTier implements Tier {
    @Override
    public String label() {
        return WireTier.UNKNOWN.label();
    }

    @Override
    public void check(final Function<String, String> settings) {}

    @Override
    public SpillStore own(final TaskSite site) {
        return new UnusableStore(label(), "it is not known here");
    }

    @Override
    public ShuffleCounter spilled(final Function<String, String> settings) {
        return ShuffleCounter.SPILL_DISK_BYTES;
    }

    @Override
    public ShuffleCounter written(final Function<String, String> settings) {
        return ShuffleCounter.OUTPUT_DISK_BYTES;
    }
}
