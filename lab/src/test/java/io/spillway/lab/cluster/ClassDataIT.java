// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.cds.ArchiveRecipe;
import io.spillway.cli.cds.ClassRecorder;
import io.spillway.cli.cds.TaskArchive;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.FailureReport;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.run.MeasuredJobs;
import io.spillway.cli.run.Monitor;
import io.spillway.cli.site.WorkFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An archive of class data for the JVMs of jobs on a local cluster. */
class ClassDataIT {
    private static final String MASTER = "org.apache.hadoop.mapreduce.v2.app.MRAppMaster";
    private static final String TASK = "org.apache.hadoop.mapred.YarnChild";
    private static final String COLLECTOR = "io.spillway.hadoop.SpillwayCollector";
    private static final String SHUFFLE = "io.spillway.hadoop.SpillwayShuffle";
    private static final String STOCK_COLLECTOR =
            "org.apache.hadoop.mapred.MapTask$MapOutputBuffer";
    private static final String STOCK_SHUFFLE = "org.apache.hadoop.mapreduce.task.reduce.Shuffle";
    private static final String ARCHIVED = " source: shared objects file (top)";
    private static final String FROM_JAR = " source: file:";

    private static JarCopy jar;
    private static Path folder;
    private static LocalCluster cluster;
    private static TaskArchive archive;

    @BeforeAll
    static void makeArchive() throws IOException {
        jar = JarCopy.use();
        folder = Files.createTempDirectory("spillway-cds-");
        cluster = Clusters.start(ClusterSpec.defaults().withName("it-cds"));
        final ArchiveRecipe recipe =
                new ClassRecorder(new MeasuredJobs(cluster, Monitor.NONE, job -> {}), Map.of())
                        .record(List.of(Engine.STOCK, Engine.SPILLWAY), folder);
        archive = TaskArchive.make(recipe, folder);
    }

    @AfterAll
    static void stop() throws IOException {
        if (cluster != null) {
            cluster.close();
        }
        if (folder != null) {
            WorkFolder.deleteTree(folder);
        }
        jar.close();
    }

    @Test
    void classesOfSpillwaysJobsComeFromTheArchive() throws IOException {
        final List<String> loaded = countWords(Engine.SPILLWAY);

        assertThat(archive.problem()).isEmpty();
        assertThat(loaded)
                .contains(
                        MASTER + ARCHIVED,
                        TASK + ARCHIVED,
                        COLLECTOR + ARCHIVED,
                        SHUFFLE + ARCHIVED);
        assertMostAreArchived(loaded);
    }

    @Test
    void classesOfStockJobsComeFromTheSameArchive() throws IOException {
        final List<String> loaded = countWords(Engine.STOCK);

        assertThat(loaded)
                .contains(
                        MASTER + ARCHIVED,
                        TASK + ARCHIVED,
                        STOCK_COLLECTOR + ARCHIVED,
                        STOCK_SHUFFLE + ARCHIVED)
                .noneMatch(line -> line.startsWith("io.spillway."));
        assertMostAreArchived(loaded);
    }

    /** As after an upgrade by somebody who does not think of the archive. */
    @Test
    void jobsRunSilentlyWithoutAnArchiveThatIsOfAnotherJar() throws IOException {
        final Path plugIn = cluster.plugIn().engine();
        final FileTime time = Files.getLastModifiedTime(plugIn);
        Files.setLastModifiedTime(plugIn, FileTime.fromMillis(time.toMillis() - 60_000));
        try {
            assertThat(archive.problem())
                    .hasValueSatisfying(why -> assertThat(why).contains(plugIn.toString()));
            final List<String> loaded = countWords(Engine.SPILLWAY);

            assertThat(loaded).noneMatch(line -> line.endsWith(ARCHIVED));
            assertThat(loaded)
                    .anyMatch(line -> line.startsWith(TASK + FROM_JAR))
                    .anyMatch(line -> line.startsWith(COLLECTOR + FROM_JAR));
        } finally {
            Files.setLastModifiedTime(plugIn, time);
        }
    }

    /** A jar too old for archives, and what only these words need, come from jars. */
    private static void assertMostAreArchived(final List<String> loaded) {
        final long archived = loaded.stream().filter(line -> line.endsWith(ARCHIVED)).count();
        final long fromJars = loaded.stream().filter(line -> line.contains(FROM_JAR)).count();

        assertThat(archived).isGreaterThan(5 * fromJars);
    }

    /**
     * Counts a few words by jobs that are to use the archive, and checks what they say and write.
     *
     * @return a line for each class that the JVMs have loaded
     */
    private static List<String> countWords(final Engine engine) throws IOException {
        final Path run = Files.createTempDirectory(folder, "run-");
        final Path data = Path.of(cluster.dataFolder(), run.getFileName().toString());
        Files.writeString(
                Files.createDirectories(data.resolve("in")).resolve("a"), "to be or not to be\n");
        final Map<String, String> properties =
                new TreeMap<>(archive.jobProperties(cluster::property));
        properties.replaceAll(
                (name, options) ->
                        options + " -Xlog:class+load=info:file=" + run + "/{{CONTAINER_ID}}:none");
        final JobResult result =
                cluster.submit(
                        JobSpec.example("wordcount", data + "/in", data + "/out")
                                .with(engine)
                                .with(properties));

        assertThat(result.succeeded())
                .as(() -> new FailureReport(cluster).describe("wordcount", result))
                .isTrue();
        assertThat(data.resolve("out/part-r-00000")).hasContent("be\t2\nnot\t1\nor\t1\nto\t2\n");
        assertThat(cluster.taskLogs(result.lastJobId()))
                .hasSizeGreaterThanOrEqualTo(3)
                .allSatisfy(log -> assertThat(log.resolveSibling("stdout")).isEmptyFile());
        try (Stream<Path> logs = Files.list(run)) {
            final Stream.Builder<String> lines = Stream.builder();
            for (final Path log : logs.toList()) {
                Files.readAllLines(log).forEach(lines);
            }
            return lines.build().toList();
        }
    }
}
