// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.Setting;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.store.FreeSpace;
import io.spillway.store.pool.AbandonedFolders;
import io.spillway.store.pool.FilePool;
import io.spillway.store.tier.NodeFolder;
import io.spillway.store.tier.Tiers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A tier that a node can offer.
 *
 * @param text its name
 * @param place where and how large its folder may be
 */
record NodeTier(String text, NodeFolder place) {
    private static final Logger LOG = LoggerFactory.getLogger(NodeTier.class);

    /** All tiers of a node. */
    static List<NodeTier> all() {
        return Tiers.all().stream()
                .flatMap(tier -> tier.folder().map(at -> new NodeTier(tier.label(), at)).stream())
                .toList();
    }

    /** Its directory, where it is wanted. */
    Optional<Path> where(final Configuration conf) {
        return place.directory().apply(new Lookup(conf));
    }

    /** Makes the folder of a node; nothing where the tier is not wanted or cannot be used. */
    Optional<TierFolder> create(final Configuration conf, final String name) {
        final Optional<Path> where = where(conf);
        if (where.isEmpty()) {
            LOG.info("No {} tier: {} is none", text, place.setting());
            return Optional.empty();
        }
        place.limit()
                .get(new Lookup(conf)); // What is no size at all is an error of the whole node.
        try {
            return create(conf, where.get(), name);
        } catch (final IOException e) {
            LOG.warn("No {} tier ({}={}): {}", text, place.setting(), where.get(), e.getMessage());
        } catch (final InvalidSettingException e) {
            LOG.error("No {} tier: {}", text, e.getMessage());
        }
        return Optional.empty();
    }

    /** What {@link #create} would offer; makes nothing. */
    TierForecast forecast(final Configuration conf) {
        final Optional<Path> where = where(conf);
        if (where.isEmpty()) {
            return new TierForecast(text, Setting.NONE, 0, place.setting() + " is none", false);
        }
        final String directory = where.get().toString();
        try {
            final Path made = madeAlready(where.get());
            if (place.inMemory()) {
                FreeSpace.requireMemory(made);
            }
            final TierSize most =
                    TierSize.of(place, conf, Files.getFileStore(made).getTotalSpace());
            return new TierForecast(text, directory, most.bytes(), most.why(), false);
        } catch (final IOException | InvalidSettingException e) {
            return new TierForecast(text, directory, 0, e.getMessage(), true);
        }
    }

    /** The directory, or what is there of its path. */
    private static Path madeAlready(final Path directory) {
        Path made = directory.toAbsolutePath();
        while (!Files.exists(made) && made.getParent() != null) {
            made = made.getParent();
        }
        return made;
    }

    /** Makes the tier's directory where there is none, and insists that it is what it must be. */
    void prepare(final Path directory) throws IOException {
        Files.createDirectories(directory);
        if (place.inMemory()) {
            FreeSpace.requireMemory(directory);
        }
    }

    private Optional<TierFolder> create(
            final Configuration conf, final Path where, final String name) throws IOException {
        prepare(where);
        final TierSize most = TierSize.of(place, conf, Files.getFileStore(where).getTotalSpace());
        if (most.bytes() == 0) {
            LOG.info("No {} tier: at most 0 bytes, {}", text, most.why());
            return Optional.empty();
        }
        final Path root = AbandonedFolders.ofUser(where).resolve(text + "-" + name);
        final FilePool files = FilePool.create(root, most.bytes(), keep(conf));
        LOG.info(
                "Offering the {} tier in {}, at most {} bytes, {}",
                text,
                root,
                most.bytes(),
                most.why());
        return Optional.of(new TierFolder(this, where, files, most.bytes()));
    }

    /**
     * For how long after its last sign of life a tier's files wait for a NodeManager that is gone:
     * with recovery, as long as the ResourceManager waits for it, and as long as a sign may be old
     * when it goes; else not at all, for it forgets its jobs.
     */
    private static Duration keep(final Configuration conf) {
        final boolean recovers =
                conf.getBoolean(
                        YarnConfiguration.NM_RECOVERY_ENABLED,
                        YarnConfiguration.DEFAULT_NM_RECOVERY_ENABLED);
        if (!recovers) {
            return Duration.ZERO;
        }
        final long patience =
                conf.getLong(
                        YarnConfiguration.RM_NM_EXPIRY_INTERVAL_MS,
                        YarnConfiguration.DEFAULT_RM_NM_EXPIRY_INTERVAL_MS);
        return Duration.ofMillis(Math.max(0, patience)).plusSeconds(NodeStores.RECLAIM_SECONDS);
    }
}
