// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.conf.Location;
import io.spillway.conf.Setting;
import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.SpillStore;
import io.spillway.store.UnusableStore;
import io.spillway.store.shared.LustreStripes;
import io.spillway.store.shared.SharedOutput;
import io.spillway.store.shared.SharedOutputFiles;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * Files in a directory of the shared file system: spills without a name, and map outputs under the
 * names by which every host finds them.
 */
public final class LustreTier extends FolderTier {
    static final String LABEL = "lustre";

    private static final int CODE = 4;

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public int code() {
        return CODE;
    }

    @Override
    Setting<Location> directory() {
        return StoreKeys.STORE_LUSTRE_DIR;
    }

    /** The node leases nothing here: the file system gives room to all hosts alike. */
    @Override
    public SpillStore own(final TaskSite site) {
        return ofTheTask(site.settings());
    }

    @Override
    public Optional<SpillStore> served(final TaskSite site) {
        return site.output().map(output -> store(site, output));
    }

    private SpillStore store(final TaskSite site, final SharedOutput output) {
        final Optional<Path> where = directory().get(site.settings()).path();
        if (where.isEmpty()) {
            return unusable(directory() + " names no directory");
        }
        if (!site.serves(where.get())) {
            return unusable(
                    directory()
                            + "="
                            + where.get()
                            + " is not what this host's NodeManager has: set it there, too");
        }
        if (!output.isPlain()) {
            return unusable(output + " has a name that cannot be that of a folder");
        }
        final int stripes = StoreKeys.LUSTRE_STRIPE_COUNT.get(site.settings());
        return store(
                new SharedOutputFiles(
                        new SharedOutputs(where.get()), output, new LustreStripes(stripes)),
                site.settings());
    }

    private SpillStore unusable(final String why) {
        return new UnusableStore(LABEL, why);
    }

    @Override
    public void check(final Function<String, String> settings) {
        super.check(settings);
        final int unused = StoreKeys.LUSTRE_STRIPE_COUNT.get(settings);
    }

    @Override
    public ShuffleCounter spilled(final Function<String, String> settings) {
        return ShuffleCounter.SPILL_LUSTRE_BYTES;
    }

    @Override
    public ShuffleCounter written(final Function<String, String> settings) {
        return ShuffleCounter.OUTPUT_LUSTRE_BYTES;
    }
}
