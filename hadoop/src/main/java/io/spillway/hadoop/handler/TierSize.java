// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.conf.MemoryBounds;
import io.spillway.conf.Setting;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.store.tier.NodeFolder;
import io.spillway.store.tier.StoreKeys;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.util.NodeManagerHardwareUtils;

/**
 * How large a tier of a node may become. Immutable.
 *
 * @param bytes the most bytes of its files, 0 for no tier
 * @param why what decides on it, for the log
 */
record TierSize(long bytes, String why) {
    /** The memory tier's default share of the host. */
    private static final int MEMORY_FRACTION = 4;

    /**
     * Of a tier.
     *
     * @throws io.spillway.conf.InvalidSettingException when more is set than there is
     */
    static TierSize of(
            final NodeFolder tier, final Configuration conf, final long fileSystemBytes) {
        return tier.inMemory()
                ? ofMemory(tier.limit(), conf, MemoryBounds.hostBytes(), fileSystemBytes)
                : ofMount(tier.limit(), conf, fileSystemBytes);
    }

    /**
     * Of a tier in memory: what is set or, by default, what neither YARN's containers nor the
     * host's other programs have been promised.
     *
     * @param setting of its size
     * @param conf the NodeManager's
     * @param hostBytes the host's memory
     * @param fileSystemBytes the size of the file system that the tier is on
     * @throws io.spillway.conf.InvalidSettingException when more is set than the host or the file
     *     system has
     */
    static TierSize ofMemory(
            final Setting<Optional<Long>> setting,
            final Configuration conf,
            final long hostBytes,
            final long fileSystemBytes) {
        final Optional<Long> set = setting.get(new Lookup(conf));
        if (set.isEmpty()) {
            return defaultOfMemory(conf, hostBytes, fileSystemBytes);
        }
        final long reserve = StoreKeys.STORE_MEMORY_RESERVE.get(new Lookup(conf));
        requireAtMost(
                setting,
                set.get(),
                Math.max(0, hostBytes - reserve),
                "the host has "
                        + MemoryBounds.megabytes(hostBytes)
                        + " of memory, and "
                        + MemoryBounds.megabytes(reserve)
                        + " of it are "
                        + StoreKeys.STORE_MEMORY_RESERVE);
        return asSet(setting, set.get(), fileSystemBytes);
    }

    private static TierSize defaultOfMemory(
            final Configuration conf, final long hostBytes, final long fileSystemBytes) {
        if (conf.getBoolean(
                YarnConfiguration.NM_MEMORY_RESOURCE_ENABLED,
                YarnConfiguration.DEFAULT_NM_MEMORY_RESOURCE_ENABLED)) {
            return byDefault(
                    0,
                    YarnConfiguration.NM_MEMORY_RESOURCE_ENABLED
                            + "=true, so the kernel charges the tier's pages to containers");
        }
        final long containers =
                NodeManagerHardwareUtils.getNodeResources(conf).getMemorySize() << 20;
        final long reserve = StoreKeys.STORE_MEMORY_RESERVE.get(new Lookup(conf));
        final long left = Math.max(0, hostBytes - containers - reserve);
        final long quarter = hostBytes / MEMORY_FRACTION;
        if (fileSystemBytes < Math.min(left, quarter)) {
            return byDefault(fileSystemBytes, "its file system has no more");
        }
        if (quarter <= left) {
            return byDefault(
                    quarter, "a quarter of the host's " + MemoryBounds.megabytes(hostBytes));
        }
        return byDefault(
                left,
                "what the host's "
                        + MemoryBounds.megabytes(hostBytes)
                        + " leave beside "
                        + MemoryBounds.megabytes(containers)
                        + " of YARN's containers ("
                        + YarnConfiguration.NM_PMEM_MB
                        + ") and "
                        + MemoryBounds.megabytes(reserve)
                        + " of "
                        + StoreKeys.STORE_MEMORY_RESERVE);
    }

    private static TierSize byDefault(final long bytes, final String why) {
        return new TierSize(bytes, StoreKeys.STORE_MEMORY_LIMIT + "=auto: " + why);
    }

    /**
     * Of a tier on a mount of its own: what is set, or all that the mount has.
     *
     * @param setting of its size
     * @param conf the NodeManager's
     * @param fileSystemBytes the size of the file system that the tier is on
     * @throws io.spillway.conf.InvalidSettingException when more is set than the file system has
     */
    static TierSize ofMount(
            final Setting<Optional<Long>> setting,
            final Configuration conf,
            final long fileSystemBytes) {
        final Optional<Long> set = setting.get(new Lookup(conf));
        return set.map(bytes -> asSet(setting, bytes, fileSystemBytes))
                .orElseGet(
                        () ->
                                new TierSize(
                                        Long.MAX_VALUE, setting + "=auto: all that its mount has"));
    }

    private static TierSize asSet(
            final Setting<Optional<Long>> setting, final long bytes, final long fileSystemBytes) {
        requireAtMost(
                setting,
                bytes,
                fileSystemBytes,
                "the file system of its directory has " + MemoryBounds.megabytes(fileSystemBytes));
        return new TierSize(bytes, setting + " is set");
    }

    private static void requireAtMost(
            final Setting<Optional<Long>> setting,
            final long bytes,
            final long most,
            final String because) {
        if (bytes > most) {
            throw setting.tooLarge(
                    Optional.of(bytes), Optional.of(MemoryBounds.wholeMegabytes(most)), because);
        }
    }
}
