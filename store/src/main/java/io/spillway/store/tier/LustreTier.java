// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.conf.Location;
import io.spillway.conf.Setting;
import io.spillway.report.ShuffleCounter;
import java.util.function.Function;

/** Files in a directory of the shared file system. */
public final class LustreTier extends FolderTier {
    @Override
    public String label() {
        return "lustre";
    }

    @Override
    Setting<Location> directory() {
        return StoreKeys.STORE_LUSTRE_DIR;
    }

    @Override
    public ShuffleCounter spilled(final Function<String, String> settings) {
        return ShuffleCounter.SPILL_LUSTRE_BYTES;
    }

    @Override
    public ShuffleCounter written(final Function<String, String> settings) {
        return ShuffleCounter.OUTPUT_DISK_BYTES;
    }
}
