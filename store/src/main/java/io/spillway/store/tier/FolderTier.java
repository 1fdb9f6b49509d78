// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.conf.Location;
import io.spillway.conf.Setting;
import io.spillway.store.FileSpillStore;
import io.spillway.store.FreeSpace;
import io.spillway.store.SpillFiles;
import io.spillway.store.SpillStore;
import io.spillway.store.UnnamedFiles;
import io.spillway.store.UnusableStore;
import io.spillway.store.pool.Lease;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * A tier of files in a directory of its own: leased from the node where it offers them, else
 * without a name, in the directory that a setting gives the task.
 */
abstract class FolderTier implements Tier {
    /** The setting of the directory. */
    abstract Setting<Location> directory();

    /** The bytes to leave free. */
    long reserve(final Function<String, String> settings) {
        return 0;
    }

    /** Insists on a directory of the right kind. */
    void require(final Path directory) throws IOException {}

    /** A store in files. */
    SpillStore store(final SpillFiles files, final Function<String, String> settings) {
        return FileSpillStore.ofFiles(label(), files);
    }

    @Override
    public void check(final Function<String, String> settings) {
        directory().get(settings);
        reserve(settings);
    }

    @Override
    public Optional<SpillStore> served(final TaskSite site) {
        final Optional<Lease> files = site.lease(this, reserve(site.settings()));
        return files.isEmpty()
                ? Optional.empty()
                : Optional.of(store(files.get(), site.settings()));
    }

    @Override
    public SpillStore own(final TaskSite site) {
        final Optional<SpillStore> served = served(site);
        return served.isPresent() ? served.get() : ofTheTask(site.settings());
    }

    /** A store in files without a name. */
    final SpillStore ofTheTask(final Function<String, String> settings) {
        final Optional<Path> where = directory().get(settings).path();
        if (where.isEmpty()) {
            return new UnusableStore(
                    label(), "the node offers none, and " + directory() + " names no directory");
        }
        try {
            require(where.get());
        } catch (final IOException e) {
            return new UnusableStore(label(), directory() + ": " + describe(e));
        }
        final FreeSpace room = new FreeSpace(where.get(), reserve(settings));
        return store(new UnnamedFiles(where.get(), room), settings);
    }

    private static String describe(final IOException cause) {
        return cause instanceof NoSuchFileException
                ? cause.getMessage() + " does not exist"
                : cause.getMessage();
    }
}
