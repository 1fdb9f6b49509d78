// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.conf.Location;
import io.spillway.conf.Setting;
import io.spillway.conf.WireTier;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.FreeSpace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/** Files on tmpfs. */
public final class MemoryTier extends FolderTier {
    static final String LABEL = "memory";

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public int code() {
        return WireTier.MEMORY.code();
    }

    @Override
    Setting<Location> directory() {
        return StoreKeys.STORE_MEMORY_DIR;
    }

    @Override
    long reserve(final Function<String, String> settings) {
        return StoreKeys.STORE_MEMORY_RESERVE.get(settings);
    }

    @Override
    void require(final Path directory) throws IOException {
        FreeSpace.requireMemory(directory);
    }

    @Override
    public Optional<NodeFolder> folder() {
        return Optional.of(
                new NodeFolder(
                        directory(),
                        StoreKeys::memoryDirectory,
                        StoreKeys.STORE_MEMORY_LIMIT,
                        true));
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
