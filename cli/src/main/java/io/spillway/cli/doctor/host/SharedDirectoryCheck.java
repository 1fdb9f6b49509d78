// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.store.shared.LustreStripes;
import io.spillway.store.tier.StoreKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Checks that the path on the shared file system is a directory, has room and answers soon, and
 * that Lustre lays out files as jobs request. It writes a file of 4 kB there, makes a folder on
 * Lustre, and deletes both.
 */
final class SharedDirectoryCheck implements Check {
    private static final Set<String> LOCAL = Set.of("ext4", "ext3", "xfs", "btrfs", "tmpfs", "zfs");
    private static final String LUSTRE = "lustre";
    private static final String PROBE = ".spillway-doctor-";
    private static final long LEAST_FREE = 1L << 30;
    private static final int PROBE_BYTES = 4096;
    private static final long SLOW_MILLIS = 200;

    private final HostFiles files;
    private final SiteFacts site;
    private final String path;

    /**
     * Creates it.
     *
     * @param path where commands are looked for, as the variable PATH
     */
    SharedDirectoryCheck(final HostFiles files, final SiteFacts site, final String path) {
        this.files = files;
        this.site = site;
        this.path = path;
    }

    @Override
    public String name() {
        return "shared-directory";
    }

    @Override
    public List<Finding> look() throws IOException {
        final Optional<Path> directory =
                StoreKeys.STORE_LUSTRE_DIR.get(site.properties()::get).path();
        if (directory.isEmpty()) {
            return List.of();
        }
        final String what = StoreKeys.STORE_LUSTRE_DIR + "=" + directory.get();
        if (!Files.isDirectory(directory.get()) || !Files.isWritable(directory.get())) {
            return List.of(
                    Finding.error(
                            what + ": no directory that can be written",
                            "the lustre tier is of no use here",
                            "mount the file system, or: chmod 1777 " + directory.get()));
        }
        final List<Finding> findings = new ArrayList<>();
        ofMount(what, directory.get(), findings);
        final long free = Files.getFileStore(directory.get()).getUsableSpace();
        if (free < LEAST_FREE) {
            findings.add(
                    Finding.warning(
                            what + " has " + (free >> 20) + " MiB left",
                            "spills overflow to the next tier",
                            "make room there; lfs quota shows what a user may take"));
        }
        slow(what, directory.get()).ifPresent(findings::add);
        return findings;
    }

    private void ofMount(final String what, final Path directory, final List<Finding> findings)
            throws IOException {
        final Optional<Mounts.Mount> mount = Mounts.of(files).of(directory.toRealPath());
        final String type = mount.map(Mounts.Mount::type).orElse("");
        if (LOCAL.contains(type)) {
            findings.add(
                    Finding.warning(
                            what + " is on " + type + ", a file system of this host alone",
                            "other hosts do not see what lies there",
                            "name a directory on the shared file system"));
        }
        if (type.equals(LUSTRE)) {
            stripes(what, directory).ifPresent(findings::add);
        }
    }

    private Optional<Finding> stripes(final String what, final Path directory) throws IOException {
        final Optional<Path> lfs = command(LustreStripes.COMMAND);
        if (lfs.isEmpty()) {
            return Optional.of(
                    Finding.warning(
                            what + " is on Lustre, and there is no command lfs",
                            "the stripes of its directories cannot be set",
                            "install lustre-client, or add its folder to PATH"));
        }
        final int count = StoreKeys.LUSTRE_STRIPE_COUNT.get(site.properties()::get);
        final Path folder = Files.createTempDirectory(directory, PROBE);
        try {
            new LustreStripes(lfs.get().toString(), count).prove(folder);
            return Optional.empty();
        } catch (final IOException e) {
            return Optional.of(
                    Finding.warning(
                            what + ": " + e.getMessage(),
                            "map outputs have the stripes of the directory above them",
                            "ask its operator who may run lfs setstripe there, or set its default:"
                                    + " lfs setstripe -S 256M -c "
                                    + count
                                    + " "
                                    + directory));
        } finally {
            Files.deleteIfExists(folder);
        }
    }

    private Optional<Path> command(final String name) {
        return Stream.of(path.split(":", -1))
                .filter(folder -> folder.startsWith("/"))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Optional<Finding> slow(final String what, final Path directory)
            throws IOException {
        final Path file = Files.createTempFile(directory, PROBE, "");
        final long written;
        final long opened;
        try {
            final long begun = System.nanoTime();
            Files.write(file, new byte[PROBE_BYTES]);
            final long between = System.nanoTime();
            Files.readAllBytes(file);
            written = TimeUnit.NANOSECONDS.toMillis(between - begun);
            opened = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - between);
        } finally {
            Files.deleteIfExists(file);
        }
        return Math.max(written, opened) < SLOW_MILLIS
                ? Optional.empty()
                : Optional.of(
                        Finding.warning(
                                String.format(
                                        Locale.ROOT,
                                        "%s: writing 4 kB took %d ms, opening and reading it %d ms",
                                        what,
                                        written,
                                        opened),
                                "its metadata server is slow: each spill pays that",
                                "leave lustre out of spillway.spill.tiers, or ask its operator"));
    }
}
