// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.install.SiteXml.Property;
import io.spillway.cli.site.PlugIn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What must change in a configuration folder to turn Spillway on. Immutable.
 *
 * @param folder with the configuration
 * @param changes of its files; empty where Spillway is on already
 * @param conflicts what the administrator must settle first, a sentence each
 * @param notes what else the administrator should know
 */
record InstallPlan(
        Path folder, List<SiteChange> changes, List<String> conflicts, List<String> notes) {
    private static final String MANIFEST = "yarn.nodemanager.aux-services.manifest.enabled";
    private static final List<String> GENERATED = List.of("Cloudera Manager", "Ambari");

    /**
     * Looks at a folder, and changes nothing.
     *
     * @throws BadInputException for a file that is not a Hadoop configuration file
     */
    static InstallPlan of(final Path folder) throws IOException {
        final List<SiteChange> changes = new ArrayList<>();
        final List<String> conflicts = new ArrayList<>();
        final List<String> notes = new ArrayList<>();
        for (final Map.Entry<String, List<WantedProperty>> file : byFile().entrySet()) {
            final Path path = folder.resolve(file.getKey());
            final Optional<String> before = read(path);
            final SiteXml now = SiteXml.of(path.toString(), before.orElse(SiteXml.EMPTY));
            SiteXml then = now;
            for (final WantedProperty wanted : file.getValue()) {
                final List<Property> known = now.definitions(wanted.name());
                final Optional<String> value = wanted.missing(known);
                if (value.isEmpty()) {
                    continue;
                }
                final Optional<String> obstacle =
                        known.isEmpty() && now.hasInclude()
                                ? Optional.of(mayBeIncluded(path, wanted))
                                : wanted.obstacle(known);
                if (obstacle.isPresent()) {
                    conflicts.add(obstacle.get());
                } else {
                    then = then.with(wanted.name(), value.get());
                }
            }
            if (!then.text().equals(now.text())) {
                changes.add(new SiteChange(path, before, then.text()));
            }
            conflicts.addAll(manifest(now));
            generator(now)
                    .ifPresent(
                            manager ->
                                    notes.add(
                                            path
                                                    + " is written by "
                                                    + manager
                                                    + ", which overwrites changes: set the"
                                                    + " properties there"));
        }
        return new InstallPlan(folder, changes, conflicts, notes);
    }

    private static Map<String, List<WantedProperty>> byFile() {
        final Map<String, List<WantedProperty>> byFile = new LinkedHashMap<>();
        for (final WantedProperty wanted : WantedProperty.all()) {
            byFile.computeIfAbsent(wanted.file(), file -> new ArrayList<>()).add(wanted);
        }
        return byFile;
    }

    /**
     * A file's bytes as characters; empty where there is no file.
     *
     * @throws BadInputException for a symbolic link to nothing: writing would replace the link
     */
    static Optional<String> read(final Path file) throws IOException {
        if (Files.exists(file)) {
            return Optional.of(Files.readString(file, StandardCharsets.ISO_8859_1));
        }
        if (Files.isSymbolicLink(file)) {
            throw new BadInputException(
                    file
                            + " is a symbolic link to "
                            + Files.readSymbolicLink(file)
                            + ", which does not exist: create that file or remove the link");
        }
        return Optional.empty();
    }

    /** With a manifest NodeManagers ignore yarn.nodemanager.aux-services. */
    private static List<String> manifest(final SiteXml site) {
        return site.definitions(MANIFEST).stream()
                .filter(one -> one.value().equals("true"))
                .map(
                        one ->
                                MANIFEST
                                        + "=true: NodeManagers take their services from a manifest"
                                        + " and not from yarn-site.xml; name "
                                        + PlugIn.HANDLER
                                        + " there by hand")
                .toList();
    }

    /** A definition in this file would hide the included one, and the services it names. */
    private static String mayBeIncluded(final Path path, final WantedProperty wanted) {
        return path
                + " includes other files, which may define "
                + wanted.name()
                + ": "
                + wanted.byHand()
                + " in the file that defines it, or define it in this one";
    }

    private static Optional<String> generator(final SiteXml site) {
        return GENERATED.stream().filter(site.text()::contains).findFirst();
    }
}
