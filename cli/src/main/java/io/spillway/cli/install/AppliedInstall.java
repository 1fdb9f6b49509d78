// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.WholeFile;
import io.spillway.version.Release;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Changes of a configuration folder that can be undone. Each original lies beside its file, and a
 * record says what was written. Both are on disk before the first file is changed. Not thread-safe.
 */
final class AppliedInstall {
    /** The record's file name. */
    static final String RECORD = "spillway-install.json";

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final Path folder;

    /** What was written, as JSON. */
    record Applied(String version, String time, List<AppliedFile> files) {}

    /**
     * A changed file.
     *
     * @param backup the name of its original; null for a file that was created
     * @param applied its text as it was written, a character for each byte
     */
    record AppliedFile(String name, String backup, String applied) {}

    AppliedInstall(final Path folder) {
        this.folder = folder;
    }

    /**
     * Changes files, each by an atomic rename.
     *
     * @return where the originals are
     * @throws BadInputException where an earlier change was not undone, the folder cannot be
     *     written to, or a file is not what the change was made from; nothing is changed then
     * @throws CommandException where the originals cannot be kept, nothing is changed then; or
     *     where a file cannot be replaced, undo restores those before it then
     */
    List<Path> apply(final List<SiteChange> changes, final Instant now) throws IOException {
        requireReady(changes);
        final List<AppliedFile> files =
                changes.stream().map(change -> appliedFile(change, now)).toList();
        final List<Path> backups =
                files.stream()
                        .filter(file -> file.backup() != null)
                        .map(file -> folder.resolve(file.backup()))
                        .toList();
        try {
            keepOriginals(changes, new Applied(Release.VERSION, now.toString(), files));
        } catch (final IOException e) {
            for (final Path backup : backups) {
                Files.deleteIfExists(backup);
            }
            throw new CommandException(
                    "cannot keep the originals in " + folder + ": " + e + ". Nothing was changed",
                    e);
        }
        for (final SiteChange change : changes) {
            try {
                replace(change.file(), change.after());
            } catch (final IOException e) {
                throw new CommandException(
                        "cannot replace "
                                + change.file()
                                + ": "
                                + e
                                + ". Run --undo: it restores what was replaced before it",
                        e);
            }
        }
        return backups;
    }

    private static AppliedFile appliedFile(final SiteChange change, final Instant now) {
        final String name = change.file().getFileName().toString();
        return new AppliedFile(
                name,
                change.before().isPresent() ? name + ".spillway-" + DATE.format(now) : null,
                change.after());
    }

    private void keepOriginals(final List<SiteChange> changes, final Applied applied)
            throws IOException {
        for (int i = 0; i < changes.size(); i++) {
            final SiteChange change = changes.get(i);
            if (change.before().isPresent()) {
                write(
                        folder.resolve(applied.files().get(i).backup()),
                        change.before().get(),
                        change.file());
            }
        }
        // Only its owner may read it: it holds the text of files that others may not read.
        WholeFile.replace(record(), MAPPER.writeValueAsBytes(applied), partial -> {});
    }

    private void requireReady(final List<SiteChange> changes) throws IOException {
        if (Files.exists(record())) {
            throw new BadInputException(
                    record() + " exists: run --undo first, an earlier --apply left it");
        }
        if (!Files.isWritable(folder)) {
            throw new BadInputException(
                    "cannot write to "
                            + folder
                            + ": run this as a user who can (its owner is "
                            + Files.getOwner(folder).getName()
                            + "), or write a copy with --overlay DIR");
        }
        for (final SiteChange change : changes) {
            if (!InstallPlan.read(change.file()).equals(change.before())) {
                throw new BadInputException(
                        change.file()
                                + " was changed by someone else at this moment: nothing was"
                                + " written; run this again");
            }
        }
    }

    private Path record() {
        return folder.resolve(RECORD);
    }

    /**
     * Restores the originals.
     *
     * @return the restored files
     * @throws BadInputException where nothing was applied
     * @throws CommandException where a file was changed since, with the differences, or an original
     *     is missing, nothing is changed then; or where a file cannot be written, another undo
     *     continues then
     */
    List<Path> undo() throws IOException {
        if (!Files.exists(record())) {
            throw new BadInputException(
                    "no " + record() + ": --apply has written nothing here, nothing to undo");
        }
        final List<AppliedFile> files = MAPPER.readValue(record().toFile(), Applied.class).files();
        final List<String> changed = new ArrayList<>();
        for (final AppliedFile file : files) {
            final String original = original(file).orElse("");
            final String now = InstallPlan.read(path(file)).orElse("");
            if (!now.equals(file.applied()) && !now.equals(original)) {
                changed.add(
                        SiteChange.diff(
                                path(file) + " (as applied)",
                                file.applied(),
                                path(file).toString(),
                                now));
            }
        }
        if (!changed.isEmpty()) {
            throw new CommandException(
                    "files were changed after --apply: nothing was restored. Either take these"
                            + " changes out and run --undo again, or keep them, reset Spillway's"
                            + " properties by hand and delete "
                            + record()
                            + "\n"
                            + String.join("\n", changed));
        }
        try {
            return restore(files);
        } catch (final IOException e) {
            throw new CommandException(
                    "cannot restore a file of "
                            + folder
                            + ": "
                            + e
                            + ". Mend this and run --undo again: the originals are still there",
                    e);
        }
    }

    private List<Path> restore(final List<AppliedFile> files) throws IOException {
        final List<Path> restored = new ArrayList<>();
        for (final AppliedFile file : files) {
            final Optional<String> original = original(file);
            // A file that --apply did not reach may be one that cannot be replaced.
            if (original.equals(InstallPlan.read(path(file)))) {
                continue;
            }
            if (original.isPresent()) {
                replace(path(file), original.get());
            } else {
                Files.delete(path(file));
            }
            restored.add(path(file));
        }
        Files.delete(record());
        for (final AppliedFile file : files) {
            if (file.backup() != null) {
                Files.deleteIfExists(folder.resolve(file.backup()));
            }
        }
        return restored;
    }

    private Path path(final AppliedFile file) {
        return folder.resolve(file.name());
    }

    /** A file's original text; empty for a file that was created. */
    private Optional<String> original(final AppliedFile file) throws IOException {
        if (file.backup() == null) {
            return Optional.empty();
        }
        final Path backup = folder.resolve(file.backup());
        final Optional<String> text = InstallPlan.read(backup);
        if (text.isEmpty()) {
            throw new CommandException(
                    "no "
                            + backup
                            + ", the original of "
                            + path(file)
                            + ": nothing was restored. Bring it back, or reset Spillway's"
                            + " properties by hand and delete "
                            + record());
        }
        return text;
    }

    /**
     * Replaces a file, or creates it with the owner and mode of yarn-site.xml beside it. Where the
     * path is a symbolic link it replaces the link's target.
     */
    static void replace(final Path file, final String text) throws IOException {
        if (Files.exists(file)) {
            final Path real = file.toRealPath();
            write(real, text, real);
        } else {
            write(file, text, file.resolveSibling(ConfFolder.YARN_SITE));
        }
    }

    /**
     * Writes a file.
     *
     * @param text a character for each byte
     * @param like the file whose owner, group and mode it gets
     */
    private static void write(final Path file, final String text, final Path like)
            throws IOException {
        WholeFile.replace(
                file,
                text.getBytes(StandardCharsets.ISO_8859_1),
                partial -> copyOwnerAndMode(like, partial));
    }

    private static void copyOwnerAndMode(final Path from, final Path to) throws IOException {
        final PosixFileAttributes wanted = Files.readAttributes(from, PosixFileAttributes.class);
        final PosixFileAttributeView view =
                Files.getFileAttributeView(to, PosixFileAttributeView.class);
        final PosixFileAttributes current = view.readAttributes();
        if (!current.owner().equals(wanted.owner())) {
            view.setOwner(wanted.owner());
        }
        if (!current.group().equals(wanted.group())) {
            view.setGroup(wanted.group());
        }
        view.setPermissions(wanted.permissions());
    }
}
