// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.store.pool.AbandonedFolders;
import io.spillway.store.pool.AbandonedFolders.Found;
import io.spillway.store.pool.AbandonedFolders.Mode;
import io.spillway.store.shared.SharedFolders;
import io.spillway.store.tier.StoreKeys;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Frees what this user's nodes that are gone have left in the tiers of this host. Thread-safe. */
public final class StoreCleaner {
    private static final double MEGABYTE = 1e6;

    private final List<AbandonedFolders> tiers;
    private final Optional<SharedFolders> shared;

    /**
     * Looks at the tiers of some settings.
     *
     * @throws io.spillway.conf.InvalidSettingException for a wrong one
     */
    public StoreCleaner(final Function<String, String> settings) {
        tiers =
                Stream.of(
                                StoreKeys.memoryDirectory(settings),
                                StoreKeys.STORE_NVM_DIR.get(settings).path())
                        .flatMap(Optional::stream)
                        .distinct()
                        .map(AbandonedFolders::new)
                        .toList();
        shared =
                StoreKeys.STORE_LUSTRE_DIR
                        .get(settings)
                        .path()
                        .map(SharedOutputs::new)
                        .map(SharedFolders::new);
    }

    /** Reclaims what has no owner; prints nothing. */
    void reclaim() {
        tiers.forEach(tier -> tier.reclaim(Mode.RECLAIM));
    }

    /**
     * Reclaims what has no owner.
     *
     * @param waiting whether also what waits for a NodeManager to come back
     * @param dryRun whether only to look
     * @return a line for each folder that was found, and one for the sum
     */
    public List<String> clean(final boolean waiting, final boolean dryRun) {
        final List<String> lines = new ArrayList<>();
        long freed = 0;
        for (final AbandonedFolders tier : tiers) {
            for (final Found found : tier.reclaim(mode(waiting, dryRun))) {
                lines.add(line(found, dryRun));
                freed += found.freed();
            }
        }
        lines.add(verb(dryRun) + " " + megabytes(freed) + " in all");
        return lines;
    }

    /**
     * Deletes the map outputs on the shared file system of jobs in which nothing has changed for a
     * long time. Whether such a job still runs is not known: its maps would run again.
     *
     * @param idle for how long nothing has changed, by the clocks of this host and of the file
     *     system
     * @param dryRun whether only to look
     * @return a line for each job that has outputs there; none without such a directory
     * @throws IOException where the directory cannot be read
     */
    public List<String> cleanShared(final Duration idle, final boolean dryRun) throws IOException {
        final List<String> lines = new ArrayList<>();
        if (shared.isEmpty()) {
            return lines;
        }
        for (final String job : shared.get().jobs()) {
            lines.add(shared.get().directory() + ": " + job + ": " + clean(job, idle, dryRun));
        }
        return lines;
    }

    private String clean(final String job, final Duration idle, final boolean dryRun) {
        final SharedFolders folders = shared.orElseThrow();
        try {
            final Duration age = Duration.between(folders.changed(job), Instant.now());
            final String bytes = megabytes(folders.bytes(job));
            if (age.compareTo(idle) < 0) {
                return "kept " + bytes + ": changed within " + idle.toHours() + " h";
            }
            if (!dryRun && !folders.delete(job)) {
                return "not all deleted: in its folder are other files";
            }
            return verb(dryRun) + " " + bytes;
        } catch (final IOException e) {
            return "not deleted: " + e;
        }
    }

    private static Mode mode(final boolean waiting, final boolean dryRun) {
        if (dryRun) {
            return waiting ? Mode.LOOK_WAITING : Mode.LOOK;
        }
        return waiting ? Mode.RECLAIM_WAITING : Mode.RECLAIM;
    }

    private static String line(final Found found, final boolean dryRun) {
        final StringBuilder line = new StringBuilder(found.root().toString()).append(": ");
        if (found.freed() > 0 || found.kept() == 0) {
            line.append(verb(dryRun)).append(' ').append(megabytes(found.freed()));
        }
        if (found.kept() > 0) {
            line.append(found.freed() > 0 ? ", " : "")
                    .append("kept ")
                    .append(megabytes(found.kept()))
                    .append(": ")
                    .append(found.reason());
        }
        return line.toString();
    }

    private static String verb(final boolean dryRun) {
        return dryRun ? "would free" : "freed";
    }

    private static String megabytes(final long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / MEGABYTE);
    }
}
