package io.spillway.store.tier;

import io.spillway.conf.Location;
import io.spillway.conf.Setting;
import io.spillway.conf.SpillwayKeys;
import io.spillway.report.ShuffleFigure;
import java.util.function.Function;

/** Files in a directory of the shared file system. */
public final class LustreTier extends FolderTier {
    @Override
    public String label() {
        return "lustre";
    }

    @Override
    Setting<Location> directory() {
        return SpillwayKeys.STORE_LUSTRE_DIR;
    }

    @Override
    public ShuffleFigure spilled(final Function<String, String> settings) {
        return ShuffleFigure.SPILL_LUSTRE_BYTES;
    }

    @Override
    public ShuffleFigure written(final Function<String, String> settings) {
        return ShuffleFigure.OUTPUT_DISK_BYTES;
    }
}
