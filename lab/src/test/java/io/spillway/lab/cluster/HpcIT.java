// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.site.BriefJvm;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.WorkFolder;
import io.spillway.slurm.SlurmCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** {@code spillway hpc} in jobs of a real Slurm, by the steps of docs/hpc.md. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class HpcIT {
    private static final int RECORDS = 50_000;
    private static final int RECORD_BYTES = 100;
    private static final int KEY_BYTES = 10;
    private static final long PATIENCE_SECONDS = 150;
    private static final String LOCAL = "/var/tmp";

    /** Small tasks, short heartbeats, and early detection of a lost host. */
    private static final List<String> SMALL =
            List.of(
                    "yarn.nm.liveness-monitor.expiry-interval-ms=10000",
                    "yarn.client.nodemanager-connect.max-wait-ms=5000",
                    "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms=250",
                    "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms=250",
                    "mapreduce.client.progressmonitor.pollinterval=250",
                    "mapreduce.map.memory.mb=896",
                    "mapreduce.reduce.memory.mb=896",
                    "mapreduce.map.java.opts=" + BriefJvm.line(512),
                    "mapreduce.reduce.java.opts=" + BriefJvm.line(512));

    @TempDir private static Path folder;

    private static SlurmCluster slurm;
    private static InstalledSpillway spillway;

    @BeforeAll
    static void startSlurm() throws Exception {
        SlurmCluster.require();
        final WorkFolder work = Clusters.work();
        HadoopRuntime.resolve(work, HadoopRuntime.DEFAULT_VERSION, note -> {});
        spillway = InstalledSpillway.into(folder.resolve("spillway"), work);
        slurm = SlurmCluster.startWithDisks(folder.resolve("slurm"));
    }

    @AfterAll
    static void stopSlurm() throws Exception {
        if (slurm != null) {
            slurm.close();
        }
    }

    @Test
    @Order(1)
    void aScriptSortsAndSavesReportsAndLeavesNothing() throws Exception {
        final Path job =
                script(
                        "sort.sbatch",
                        List.of("--nodes", "4"),
                        "spillway run teragen " + RECORDS + " $PWD/in",
                        "spillway run terasort -Dmapreduce.job.reduces=3 $PWD/in $PWD/out");

        final String id = submit(job);
        awaitEnd(id);

        assertThat(state(id)).as(log(id)).isEqualTo("COMPLETED");
        assertIsSorted("out");
        final Path kept = folder.resolve("spillway-hpc-" + id);
        assertThat(reports(kept)).hasSize(2).anySatisfy(HpcIT::tellsOfSpillway);
        assertThat(kept.resolve("logs/host2-nodemanager.log"))
                .content()
                .contains("serves its protocol");
        assertNothingLeft(IntStream.rangeClosed(1, SlurmCluster.HOSTS));
    }

    @Test
    @Order(2)
    void withMpiReducersFetchOverRanksFromHostsAndMemoryNodes() throws Exception {
        final Path job =
                script(
                        "mpi.sbatch",
                        List.of(
                                "--nodes",
                                "4",
                                "--memory-nodes",
                                "1",
                                "--mpi",
                                "pmix",
                                "-D",
                                "spillway.mpi.compiler=mpicc.openmpi"),
                        "spillway run terasort -Dmapreduce.job.reduces=3 $PWD/in $PWD/dedicated",
                        "spillway run terasort -Dmapreduce.job.reduces=3"
                                + " -Dspillway.placement=local $PWD/in $PWD/mpi");

        final String id = submit(job);
        awaitEnd(id);

        assertThat(state(id)).as(log(id)).isEqualTo("COMPLETED");
        assertIsSorted("dedicated");
        assertIsSorted("mpi");
        assertThat(reports(folder.resolve("spillway-hpc-" + id)))
                .hasSize(2)
                .allSatisfy(
                        report ->
                                assertThat(text(report))
                                        .containsPattern("\"FETCH_MPI_BYTES\" : [1-9]"));
        assertNothingLeft(IntStream.rangeClosed(1, SlurmCluster.HOSTS));
    }

    @Test
    @Order(3)
    void aLostHostEndsNoJob() throws Exception {
        final Path job =
                script(
                        "lost.sbatch",
                        List.of("--nodes", "4"),
                        "spillway run terasort -Dmapreduce.job.reduces=3"
                                + " -Dmapreduce.input.fileinputformat.split.maxsize=500000"
                                + " $PWD/in $PWD/out2");

        final String id = submit(job);
        final Path kept = folder.resolve("spillway-hpc-" + id);
        await(
                "a task on host4",
                () ->
                        hasLine(
                                kept.resolve("logs/host4-nodemanager.log"),
                                "Start request for container_"));
        slurm.lose("host4");
        awaitEnd(id);

        assertThat(state(id)).as(log(id)).isEqualTo("COMPLETED");
        assertIsSorted("out2");
        assertThat(reports(kept)).hasSize(1);
        assertNothingLeft(IntStream.rangeClosed(1, SlurmCluster.HOSTS - 1));
    }

    @Test
    @Order(4)
    void scancelInMidJobLeavesNothingAlsoOnAMemoryNode() throws Exception {
        final Path job =
                script(
                        "cancelled.sbatch",
                        List.of("--nodes", "3", "--memory-nodes", "1"),
                        "spillway run terasort -Dmapreduce.job.reduces=2 $PWD/in $PWD/out3",
                        "spillway run pi 3 1000000000");

        final String id = submit(job);
        final Path kept = folder.resolve("spillway-hpc-" + id);
        await("the report of the first job", () -> !reports(kept).isEmpty());
        command(slurm.within(List.of("scancel", id)));
        awaitEnd(id);

        assertThat(state(id)).as(log(id)).isEqualTo("CANCELLED");
        assertIsSorted("out3");
        assertThat(reports(kept))
                .singleElement()
                .satisfies(
                        report ->
                                assertThat(text(report))
                                        .containsPattern("\"OUTPUT_REMOTE_BYTES\" : [1-9]"));
        assertThat(kept.resolve("logs/containers")).isNotEmptyDirectory();
        assertNothingLeft(IntStream.rangeClosed(1, SlurmCluster.HOSTS - 1));
    }

    private static Path script(final String name, final List<String> options, final String... jobs)
            throws IOException {
        final List<String> words =
                new ArrayList<>(
                        List.of(
                                spillway.command(),
                                "hpc",
                                "script",
                                "--work",
                                Clusters.work().root().toString(),
                                "--sbatch=--mem=4000",
                                "--local-dir",
                                LOCAL));
        words.addAll(options);
        SMALL.forEach(property -> words.addAll(List.of("-D", property)));
        words.add("--");
        words.addAll(List.of(jobs));
        return Files.writeString(folder.resolve(name), command(words));
    }

    private static String submit(final Path job) throws Exception {
        final List<String> sbatch =
                List.of("sbatch", "--parsable", "--chdir=" + folder, job.toString());
        return command(slurm.within(sbatch)).trim();
    }

    private static void awaitEnd(final String id) {
        await(
                "the end of job " + id,
                () -> !List.of("PENDING", "RUNNING", "COMPLETING").contains(state(id)));
    }

    private static String state(final String id) {
        return command(slurm.within(List.of("scontrol", "--oneliner", "show", "job", id)))
                .replaceAll("(?s).*JobState=(\\w+).*", "$1");
    }

    private static String log(final String id) {
        return text(folder.resolve("slurm-" + id + ".out"));
    }

    private static String text(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            return e.toString();
        }
    }

    private static boolean hasLine(final Path file, final String part) {
        return Files.exists(file) && text(file).contains(part);
    }

    /** In order from file to file, and the same records as the input. */
    private static void assertIsSorted(final String output) throws IOException {
        final List<String> records = records(output);
        final List<String> keys =
                records.stream().map(record -> record.substring(0, KEY_BYTES)).toList();
        assertThat(keys).hasSize(RECORDS).isEqualTo(keys.stream().sorted().toList());
        assertThat(records.stream().sorted().toList())
                .isEqualTo(records("in").stream().sorted().toList());
    }

    /** Reads all part files, in their order. */
    private static List<String> records(final String output) throws IOException {
        final List<String> records = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder.resolve(output))) {
            for (final Path file : files.sorted().toList()) {
                if (file.getFileName().toString().startsWith("part-")) {
                    final String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
                    for (int at = 0; at < bytes.length(); at += RECORD_BYTES) {
                        records.add(bytes.substring(at, at + RECORD_BYTES));
                    }
                }
            }
        }
        return records;
    }

    private static List<Path> reports(final Path kept) {
        final Path reports = kept.resolve("reports");
        if (!Files.isDirectory(reports)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(reports)) {
            return files.toList();
        } catch (final IOException e) {
            throw new AssertionError(reports.toString(), e);
        }
    }

    private static void tellsOfSpillway(final Path report) {
        assertThat(text(report))
                .containsPattern("\"FETCH_SPILLWAY_BYTES\" : [1-9]")
                .contains("\"transport_nodes\"");
    }

    /** Requires that no file and no process is left. A host sees the processes of all hosts. */
    private static void assertNothingLeft(final IntStream hosts) {
        hosts.mapToObj(number -> "host" + number)
                .forEach(
                        host ->
                                assertThat(onHost(host, "ls", "-A", "/dev/shm", LOCAL).lines())
                                        .as(host)
                                        .containsExactly("/dev/shm:", "", LOCAL + ":"));
        assertThat(onHost("host1", "ps", "-e", "-o", "args=").lines())
                .noneMatch(line -> line.contains("java") || line.contains("spillway-hpc"));
    }

    private static String onHost(final String host, final String... words) {
        return command(slurm.on(host, List.of(words)));
    }

    private static void await(final String what, final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            try {
                TimeUnit.MILLISECONDS.sleep(300);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(what, e);
            }
        }
    }

    /** Returns the standard output of a command, whose exit code has to be 0. */
    private static String command(final List<String> words) {
        try {
            final Process process =
                    new ProcessBuilder(words)
                            .directory(folder.toFile())
                            .redirectError(
                                    ProcessBuilder.Redirect.appendTo(
                                            folder.resolve("errors").toFile()))
                            .start();
            final String printed =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor())
                    .as(() -> words + ": " + printed + text(folder.resolve("errors")))
                    .isZero();
            return printed;
        } catch (final IOException e) {
            throw new AssertionError(words.toString(), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(words.toString(), e);
        }
    }
}
