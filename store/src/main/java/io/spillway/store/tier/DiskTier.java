// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.conf.WireTier;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.SpillStore;
import java.io.IOException;
import java.util.function.Function;

/** The framework's local directories, where stock puts spills and map outputs. */
public final class DiskTier implements Tier {
    static final String LABEL = "disk";

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public int code() {
        return WireTier.DISK.code();
    }

    @Override
    public void check(final Function<String, String> settings) {}

    @Override
    public SpillStore own(final TaskSite site) throws IOException {
        return site.localDisk();
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
