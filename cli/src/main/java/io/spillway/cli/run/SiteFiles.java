// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.WorkFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Deletes, reads and counts files of a site, by Hadoop's shell where they are not files of this
 * host.
 */
public final class SiteFiles {
    private static final String SHELL = "org.apache.hadoop.fs.FsShell";
    private static final int COUNT_FIELDS = 4;
    private static final System.Logger LOG = System.getLogger(SiteFiles.class.getName());

    private final HadoopSite site;

    /**
     * What a folder holds.
     *
     * @param files how many files, in folders below it too
     * @param bytes of all of them
     */
    public record Totals(long files, long bytes) {}

    /** The files of a site. */
    public SiteFiles(final HadoopSite site) {
        this.site = site;
    }

    /** Deletes a folder, if it is there. */
    public void delete(final String folder) {
        if (!site.dataOnLocalFiles()) {
            shell("delete", "-rm", "-r", "-f", "-skipTrash", folder);
            return;
        }
        try {
            WorkFolder.deleteTree(Path.of(folder));
        } catch (final IOException e) {
            throw new CommandException("cannot delete " + folder + ": " + e, e);
        }
    }

    /** What a folder holds; nothing where it is not there, or cannot be read. */
    public Optional<Totals> totals(final String folder) {
        return site.dataOnLocalFiles() ? localTotals(Path.of(folder)) : shellTotals(folder);
    }

    private static Optional<Totals> localTotals(final Path folder) {
        long files = 0;
        long bytes = 0;
        try (Stream<Path> tree = Files.walk(folder)) {
            for (final Path file : tree.filter(Files::isRegularFile).toList()) {
                files++;
                bytes += Files.size(file);
            }
            return Optional.of(new Totals(files, bytes));
        } catch (final IOException | UncheckedIOException e) {
            LOG.log(System.Logger.Level.DEBUG, "no " + folder, e);
            return Optional.empty();
        }
    }

    /** The shell prints the number of folders, that of files, the bytes, and the path. */
    private Optional<Totals> shellTotals(final String folder) {
        final JobResult result =
                new JobClient(site).run(command("count", "-count", folder), JobListener.NONE);
        if (!result.succeeded() || result.output().isEmpty()) {
            return Optional.empty();
        }
        final String[] fields = result.output().get(0).trim().split("\\s+", COUNT_FIELDS);
        return fields.length == COUNT_FIELDS && isNumber(fields[1]) && isNumber(fields[2])
                ? Optional.of(new Totals(Long.parseLong(fields[1]), Long.parseLong(fields[2])))
                : Optional.empty();
    }

    private static boolean isNumber(final String text) {
        return text.matches("\\d{1,18}");
    }

    /** The lines of all part files of a small output. */
    public List<String> readParts(final String folder) {
        if (!site.dataOnLocalFiles()) {
            return shell("read", "-cat", folder + "/part-*");
        }
        final List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of(folder))) {
            for (final Path file : files.sorted().toList()) {
                if (file.getFileName().toString().startsWith("part-")) {
                    lines.addAll(Files.readAllLines(file));
                }
            }
            return lines;
        } catch (final IOException e) {
            throw new CommandException("cannot read " + folder + ": " + e, e);
        }
    }

    private List<String> shell(final String label, final String... arguments) {
        return new JobClient(site).require(command(label, arguments), JobListener.NONE).output();
    }

    private static JobSpec command(final String label, final String... arguments) {
        return new JobSpec(
                label,
                new JobSpec.Program.Main(SHELL),
                List.of(arguments),
                Engine.STOCK,
                Map.of(),
                List.of());
    }
}
