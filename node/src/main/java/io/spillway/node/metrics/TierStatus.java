// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.metrics;

import io.spillway.node.control.ManagerHello;
import io.spillway.store.FreeSpace;
import io.spillway.store.pool.FilePool;
import io.spillway.store.pool.FolderStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One tier of a NodeManager at one moment. Immutable.
 *
 * @param tier such as {@code memory}
 * @param folder where it is
 * @param limitBytes the most bytes of its files, on its file system
 * @param freeBytes what its files may still grow by
 * @param files how full it is; nothing where that cannot be read
 */
public record TierStatus(
        String tier, Path folder, long limitBytes, long freeBytes, Optional<FolderStatus> files) {
    private static final Logger LOG = LoggerFactory.getLogger(TierStatus.class);

    /** Checks the fields. */
    public TierStatus {
        Objects.requireNonNull(tier, "tier");
        Objects.requireNonNull(folder, "folder");
        Objects.requireNonNull(files, "files");
    }

    /** Looks at a tier's folder, file by file. */
    public static TierStatus look(final ManagerHello.Store store) {
        try {
            final Optional<FilePool> folder = FilePool.existing(store.root(), store.limit());
            return folder.isPresent() ? look(store, folder.get()) : unknown(store);
        } catch (final IOException e) {
            LOG.debug("Cannot look at {}", store, e);
            return unknown(store);
        }
    }

    private static TierStatus look(final ManagerHello.Store store, final FilePool folder)
            throws IOException {
        final FolderStatus files = folder.status();
        final long size = Files.getFileStore(store.root()).getTotalSpace();
        final long limit = Math.min(store.limit(), size);
        final long free =
                Math.min(limit - files.usedBytes(), new FreeSpace(store.root(), 0).free());
        return new TierStatus(
                store.tier(), store.root(), limit, Math.max(0, free), Optional.of(files));
    }

    private static TierStatus unknown(final ManagerHello.Store store) {
        return new TierStatus(store.tier(), store.root(), store.limit(), 0, Optional.empty());
    }
}
