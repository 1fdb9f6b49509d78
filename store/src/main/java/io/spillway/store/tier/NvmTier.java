// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.conf.Location;
import io.spillway.conf.Setting;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.EmulatedNvm;
import io.spillway.store.FileSpillStore;
import io.spillway.store.SpillFiles;
import io.spillway.store.SpillStore;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Byte-addressable memory: files that are mapped, with READ_WRITE_SYNC on a DAX mount. */
public final class NvmTier extends FolderTier {
    private static final Logger LOG = LoggerFactory.getLogger(NvmTier.class);
    private static final int CODE = 3;

    @Override
    public String label() {
        return "nvm";
    }

    @Override
    public int code() {
        return CODE;
    }

    @Override
    Setting<Location> directory() {
        return StoreKeys.STORE_NVM_DIR;
    }

    @Override
    public void check(final Function<String, String> settings) {
        super.check(settings);
        emulation(settings);
    }

    private static EmulatedNvm emulation(final Function<String, String> settings) {
        return new EmulatedNvm(StoreKeys.NVM_EMULATION_WRITE.get(settings));
    }

    @Override
    SpillStore store(final SpillFiles files, final Function<String, String> settings) {
        final EmulatedNvm emulation = emulation(settings);
        final boolean sync = FileSpillStore.canSync(files);
        LOG.info(
                "The nvm tier is mapped {} sync{}",
                sync ? "with" : "without",
                emulation.isOn() ? "; NVM is emulated: " + emulation : "");
        return FileSpillStore.ofMappedFiles(label(), files, sync, emulation);
    }

    @Override
    public Optional<NodeFolder> folder() {
        return Optional.of(
                new NodeFolder(
                        directory(),
                        settings -> directory().get(settings).path(),
                        StoreKeys.STORE_NVM_LIMIT,
                        false));
    }

    @Override
    public ShuffleCounter spilled(final Function<String, String> settings) {
        return emulation(settings).isOn()
                ? ShuffleCounter.SPILL_EMULATED_NVM_BYTES
                : ShuffleCounter.SPILL_NVM_BYTES;
    }

    @Override
    public ShuffleCounter written(final Function<String, String> settings) {
        return emulation(settings).isOn()
                ? ShuffleCounter.OUTPUT_EMULATED_NVM_BYTES
                : ShuffleCounter.OUTPUT_MEMORY_BYTES;
    }
}
