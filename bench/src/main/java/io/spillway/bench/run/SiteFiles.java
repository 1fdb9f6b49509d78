package io.spillway.bench.run;

import io.spillway.bench.BenchException;
import io.spillway.bench.engine.Engine;
import io.spillway.bench.site.HadoopSite;
import io.spillway.bench.site.WorkFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Deletes and reads files of a site, by Hadoop's shell where they are not files of this host. */
public final class SiteFiles {
    private static final String SHELL = "org.apache.hadoop.fs.FsShell";

    private final HadoopSite site;

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
            throw new BenchException("cannot delete " + folder + ": " + e, e);
        }
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
            throw new BenchException("cannot read " + folder + ": " + e, e);
        }
    }

    private List<String> shell(final String label, final String... arguments) {
        final JobSpec spec =
                new JobSpec(
                        label,
                        new JobSpec.Program.Main(SHELL),
                        List.of(arguments),
                        Engine.STOCK,
                        Map.of());
        return new JobClient(site).require(spec, JobListener.NONE).output();
    }
}
