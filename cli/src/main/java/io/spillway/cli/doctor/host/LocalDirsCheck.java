// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Whether the disks that map outputs go to are there, can be written and have room. */
final class LocalDirsCheck implements Check {
    private static final String DIRS = "yarn.nodemanager.local-dirs";
    private static final String MOST =
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage";
    private static final double DEFAULT_MOST = 90;
    private static final double PERCENT = 100;

    private final HostFiles files;
    private final SiteFacts site;

    LocalDirsCheck(final HostFiles files, final SiteFacts site) {
        this.files = files;
        this.site = site;
    }

    @Override
    public String name() {
        return "local-dirs";
    }

    @Override
    public List<Finding> look() throws IOException {
        final List<Finding> findings = new ArrayList<>();
        for (final String text : site.list(DIRS)) {
            final Path folder = Path.of(text.replaceFirst("^file:(//)?", ""));
            if (Files.isDirectory(folder)) {
                of(folder).ifPresent(findings::add);
            } else if (!HadoopDaemon.all(files).isEmpty()) {
                findings.add(
                        Finding.warning(
                                folder + " of " + DIRS + " is not there",
                                "the NodeManager goes on without that disk",
                                "mount it, or take it out of " + DIRS));
            }
        }
        return findings;
    }

    private Optional<Finding> of(final Path folder) throws IOException {
        final Optional<Mounts.Mount> mount = Mounts.of(files).of(folder);
        if (mount.isPresent() && mount.get().options().contains("ro")) {
            return Optional.of(
                    Finding.error(
                            folder + " of " + DIRS + " is mounted read-only",
                            "the kernel does so after errors of a disk: no map output goes there",
                            "dmesg names the error; then: mount -o remount,rw "
                                    + mount.get().path()));
        }
        if (!Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OWNER_WRITE)) {
            return Optional.of(
                    Finding.error(
                            folder + " of " + DIRS + " cannot be written by its owner",
                            "the NodeManager takes the disk for bad",
                            "chmod u+w " + folder));
        }
        final FileStore store = Files.getFileStore(folder);
        final double used =
                PERCENT - PERCENT * store.getUsableSpace() / Math.max(1, store.getTotalSpace());
        final double most =
                site.property(MOST)
                        .filter(value -> value.matches("\\d+(\\.\\d*)?"))
                        .map(Double::valueOf)
                        .orElse(DEFAULT_MOST);
        return used < most
                ? Optional.empty()
                : Optional.of(
                        Finding.error(
                                String.format(
                                        Locale.ROOT,
                                        "%s of %s is %.0f %% full, %s=%.0f",
                                        folder,
                                        DIRS,
                                        used,
                                        MOST,
                                        most),
                                "the NodeManager takes the disk for bad, and without disks runs"
                                        + " nothing",
                                "make room there, or raise " + MOST));
    }
}
