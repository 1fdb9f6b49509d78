package io.spillway.hadoop.handler;

import io.spillway.conf.Setting;
import io.spillway.conf.SpillwayKeys;
import io.spillway.store.AbandonedFolders;
import io.spillway.store.RecycledFolder;
import io.spillway.store.Room;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A tier that a node can offer.
 *
 * @param limit in bytes, 0 for the default
 * @param inMemory whether it has to be on tmpfs
 */
record NodeTier(
        String text,
        Setting<String> directory,
        Setting<Long> limit,
        LongSupplier defaultLimit,
        boolean inMemory) {
    private static final Logger LOG = LoggerFactory.getLogger(NodeTier.class);

    /** The memory tier's default share of the host. */
    private static final int MEMORY_FRACTION = 4;

    /** All tiers of a node. */
    static List<NodeTier> all() {
        return List.of(
                new NodeTier(
                        "memory",
                        SpillwayKeys.STORE_MEMORY_DIR,
                        SpillwayKeys.STORE_MEMORY_LIMIT,
                        () -> hostMemory() / MEMORY_FRACTION,
                        true),
                new NodeTier(
                        "nvm",
                        SpillwayKeys.STORE_NVM_DIR,
                        SpillwayKeys.STORE_NVM_LIMIT,
                        () -> Long.MAX_VALUE,
                        false));
    }

    private static long hostMemory() {
        return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
                .getTotalMemorySize();
    }

    /** The most bytes of its files. */
    long limit(final Configuration conf) {
        final long set = limit.get(conf::getTrimmed);
        return set == 0 ? defaultLimit.getAsLong() : set;
    }

    /** Its directory, where it is wanted. */
    Optional<Path> where(final Configuration conf) {
        return SpillwayKeys.directory(directory, conf::getTrimmed);
    }

    /** Makes the folder of a node; nothing where the tier is not wanted or cannot be used. */
    Optional<RecycledFolder> create(final Configuration conf, final String name) {
        final Optional<Path> where = where(conf);
        if (where.isEmpty()) {
            LOG.info("No {} tier: {} is not set", text, directory);
            return Optional.empty();
        }
        final Path root = AbandonedFolders.ofUser(where.get()).resolve(text + "-" + name);
        try {
            Files.createDirectories(where.get());
            if (inMemory) {
                Room.requireMemory(where.get());
            }
            final RecycledFolder folder = RecycledFolder.create(root, limit(conf), keep(conf));
            LOG.info("Offering the {} tier in {}, at most {} bytes", text, root, limit(conf));
            return Optional.of(folder);
        } catch (final IOException e) {
            LOG.warn("No {} tier ({}={}): {}", text, directory, where.get(), e.getMessage());
            return Optional.empty();
        }
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
