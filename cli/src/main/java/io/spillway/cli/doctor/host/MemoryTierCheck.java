// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.conf.Location;
import io.spillway.conf.MemoryBounds;
import io.spillway.store.FreeSpace;
import io.spillway.store.tier.StoreKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether a NodeManager of this configuration can keep map outputs in memory or NVM here. */
final class MemoryTierCheck implements Check {
    private static final String MEMORY = "memory";

    private final SiteFacts site;

    MemoryTierCheck(final SiteFacts site) {
        this.site = site;
    }

    @Override
    public String name() {
        return "memory-tier";
    }

    @Override
    public List<Finding> look() throws IOException {
        final List<Finding> findings = new ArrayList<>();
        for (final SiteFacts.Tier tier : site.tiers()) {
            if (tier.refused()) {
                findings.add(
                        Finding.error(
                                "no " + tier.tier() + " tier: " + tier.why(),
                                "map outputs go to the local directories",
                                "correct the setting, or the mount of " + tier.directory()));
            } else if (tier.tier().equals(MEMORY)) {
                findings.addAll(ofMemory(tier));
            }
        }
        return findings;
    }

    private List<Finding> ofMemory(final SiteFacts.Tier tier) throws IOException {
        if (isSwitchedOff()) {
            return List.of();
        }
        if (tier.bytes() == 0) {
            return List.of(
                    Finding.warning(
                            "no memory tier: " + tier.why(),
                            "map outputs go to the local directories",
                            "lower yarn.nodemanager.resource.memory-mb, or set "
                                    + StoreKeys.STORE_MEMORY_LIMIT
                                    + " (docs/operating.md, Memory for map output)"));
        }
        final Path directory = Path.of(tier.directory());
        final long reserve = StoreKeys.STORE_MEMORY_RESERVE.get(site.properties()::get);
        if (!Files.isDirectory(directory) || new FreeSpace(directory, reserve).free() > 0) {
            return List.of();
        }
        return List.of(
                Finding.warning(
                        directory
                                + " has less than "
                                + MemoryBounds.megabytes(reserve)
                                + " left, in its file system, the host or the control groups of"
                                + " this process",
                        "the memory tier is full: map outputs go to the local directories",
                        "spillway node clean --dry-run shows what dead nodes have left; else give"
                                + " containers less (yarn.nodemanager.resource.memory-mb)"));
    }

    private boolean isSwitchedOff() {
        return StoreKeys.STORE_MEMORY_LIMIT.get(site.properties()::get).equals(Optional.of(0L))
                || StoreKeys.STORE_MEMORY_DIR.get(site.properties()::get).equals(Location.NONE);
    }
}
