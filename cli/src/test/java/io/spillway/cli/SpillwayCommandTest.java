// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.conf.Settings;
import io.spillway.store.pool.AbandonedFolders;
import io.spillway.store.pool.FilePool;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SpillwayCommandTest {
    private static final List<String> PROPERTIES = List.of("spillway.root", "spillway.plugin.jar");

    @TempDir private Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void pretendToBeStartedByTheScript() throws IOException {
        final Path jar = Files.createFile(folder.resolve("spillway-hadoop.jar"));
        System.setProperty("spillway.root", folder.toString());
        System.setProperty("spillway.plugin.jar", jar.toString());
    }

    @AfterEach
    void stopPretending() {
        PROPERTIES.forEach(System::clearProperty);
    }

    private int run(final String... arguments) {
        final CommandLine line = SpillwayCommand.newCommandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    @Test
    void cleansWhatNodesHaveLeft() throws IOException {
        final Path left =
                AbandonedFolders.ofUser(Files.createDirectory(folder.resolve("memory")))
                        .resolve("memory-node-1");
        final FilePool node = FilePool.create(left, 1 << 20, Duration.ofMinutes(10));
        Files.createDirectories(left.resolve("apps/application_1_1/attempt_1"));
        node.release();
        final String setting = "spillway.store.memory.dir=" + folder.resolve("memory");

        assertThat(run("node", "clean", "-D", setting, "--dry-run", "--now")).isZero();
        assertThat(out.toString()).contains(left + ": would free 0.0 MB");
        assertThat(left).exists();
        assertThat(run("node", "clean", "-D", setting, "--now")).isZero();
        assertThat(out.toString()).contains(left + ": freed 0.0 MB");
        assertThat(folder.resolve("memory")).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run",
                "plan",
                "node",
                "node start",
                "node stop",
                "node status",
                "node clean",
                "hpc",
                "hpc start",
                "hpc run",
                "hpc script",
                "hpc status",
                "hpc stop",
                "mpi",
                "mpi build",
                "report",
                "doctor",
                "conf",
                "cds",
                "version"
            })
    void everyCommandTeachesByExample(final String command) {
        final String line = command + " --help";

        assertThat(run(line.split(" ", -1))).isZero();
        assertThat(out.toString())
                .contains("Usage: spillway " + command)
                .containsPattern("Examples?:\\R")
                .contains("  spillway " + command.split(" ", -1)[0]);
    }

    @Test
    void helpNamesEveryCommand() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString())
                .contains("run", "hpc", "node", "mpi", "report", "conf", "plan", "cds", "version")
                .contains("Exit codes:");
    }

    @Test
    void sayingNothingPrintsTheHelp() {
        assertThat(run()).isZero();
        assertThat(out.toString()).contains("Usage: spillway", "Start here:");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plan --data 1g --hosts 4|--link: expected a rate",
                "plan --link 10bits|'10bits': expected bytes a second, as 500m or 2g, bits a",
                "plan --link 1g --disk 1m|--data 0: expected 1 to",
                "plan --link 1g --disk 1m --data 1g|--hosts 0: expected 1 to",
                "plan --link 1g --data 1g --hosts 4 --memory 8g|--disk none: expected a rate, or",
                "plan --link 1g --disk 1m --data 1g --hosts 4 --memory 8g|--memory 8g: expected"
                        + " more than the 48g that 32 tasks a host need",
                "plan --link 1g --disk 1m --data 1g --hosts 4 --memory 64g --memory-nodes 4"
                        + "|--memory-nodes 4: expected 0 to 3 with --hosts 4",
                "plan --link 1g --disk 1m --data 1g --hosts 4 --memory 64g --placement far"
                        + "|--placement far: expected some of [local, ramdisk",
                "plan --link 1g --disk 1m --data 1g --hosts 1 --memory 64g --placement dedicated"
                        + "|--placement [dedicated]: expected one that 1 hosts can have",
                "plan --workload grep --link 1g|--workload grep: expected terasort or sort",
                "plan --plot nodes.gif|--plot nodes.gif: expected a name with .svg or .png",
                "plan --check none.json|--check none.json: cannot be read",
                "plan --measured none.json|--measured none.json: cannot be read",
                "run nothing.jar|no file",
                "run wordkount in out|'wordkount' is neither a jar nor one of the examples",
                "run --engine uda wordcount in out|engine 'uda': expected one of",
                "node status -D spillway.node.socket=x|spillway.node.socket=x: expected path",
                "node stop -D spillway.node.sockets=/x|-D spillway.node.sockets: no such setting",
                "node start --mpi --mpi-self|--mpi, --mpi-self are mutually exclusive",
                "node start --mpi --daemon|--mpi and --daemon: expected one of them",
                "node start --mpi|--mpi: start it by the script spillway",
                "hpc|Say script, run, start, status or stop",
                "hpc stop --hosts none.txt|cannot read the hosts in none.txt",
                "hpc run -- true|no allocation: expected a job of Slurm (SLURM_JOB_ID) or PBS",
                "hpc script --hadoop /none|--hadoop /none: no bin/hadoop in it",
                "mpi|Say build",
                "mpi build --compiler ../mpicc|--compiler: spillway.mpi.compiler=../mpicc:"
                        + " expected",
                "run -D spillway.shuffel.windows=static terasort i o|nearest is spillway.shuffle.w",
                "report job_x_1|no saved report of job_x_1",
                "report ../../etc/passwd|expected job_<time>_<number>",
                "conf --mode warp|--mode warp: expected one of auto, rdma, rdma-nvm",
                "cds --dir /a:b|folder /a:b: options of tasks' JVMs need an absolute path",
                "cds --check none.jsa|no archive none.jsa",
                "cds --classes none.txt --dir /x|cannot read none.txt",
                "cds --check a.jsa --stock|--check, --classes and --stock: expected at most one",
                "destroy|Unmatched argument",
                "run --engine stock-tuned sort in out|--engine stock-tuned: only a comparison",
                "run sort in out|no Hadoop to run jobs on: expected HADOOP_HOME or",
                "demo|Unmatched argument"
            })
    void wrongInputIsOneClearLineAndCodeTwo(final String line, final String expected) {
        assertThat(run(line.split(" ", -1))).as(err.toString()).isEqualTo(2);
        assertThat(err.toString().lines().filter(text -> text.startsWith("spillway: ")))
                .singleElement()
                .asString()
                .contains(expected);
    }

    @Test
    void confPrintsWhatThePlugInPointsNeed() {
        assertThat(run("conf")).isZero();
        assertThat(out.toString())
                .contains("<name>mapreduce.job.map.output.collector.class</name>")
                .contains("<value>io.spillway.hadoop.SpillwayShuffle</value>")
                .contains("<name>yarn.nodemanager.aux-services.mapreduce_shuffle.class</name>")
                .contains("<!-- ")
                .contains(folder.resolve("spillway-hadoop.jar").toString());
    }

    @Test
    void confForOneFileHoldsNothingElse() {
        assertThat(run("conf", "--for", "yarn")).isZero();
        assertThat(out.toString())
                .contains("SpillwayShuffleHandler")
                .doesNotContain("Collector")
                .contains("spillway.store.memory.limit")
                .contains("yarn.nodemanager.resource.memory-mb");
    }

    @Test
    void confPrintsTheJarAlone() {
        assertThat(run("conf", "--jar")).isZero();
        assertThat(out.toString().trim())
                .isEqualTo(folder.resolve("spillway-hadoop.jar").toString());
    }

    @Test
    void confDocumentsEverySetting() {
        assertThat(run("conf", "--doc")).isZero();
        Settings.all().forEach(key -> assertThat(out.toString()).contains("`" + key.name() + "`"));
    }

    @Test
    void cdsTellsThatAnArchiveDoesNotFit() throws IOException {
        final Path archive = Files.writeString(folder.resolve("tasks-1.jsa"), "no archive");
        Files.writeString(
                folder.resolve("tasks-1.txt"),
                "java "
                        + System.getProperty("java.home")
                        + "\njar "
                        + folder.resolve("gone.jar")
                        + "\nclass a.A\n");

        assertThat(run("cds", "--check", archive.toString())).isEqualTo(1);
        assertThat(out.toString()).contains(archive + " does not fit: ");
    }

    @Test
    void versionNamesAllThree() {
        assertThat(run("version")).isZero();
        assertThat(out.toString())
                .containsPattern("Spillway \\d+\\.\\d+")
                .contains("Hadoop 3.", "Java " + Runtime.version().feature());
    }

    @Test
    void reportPrintsWhatWasSaved() throws IOException {
        final Path reports = Files.createDirectories(folder.resolve(".spillway/reports"));
        Files.writeString(reports.resolve("job_1_1.json"), "{\"job\":\"job_1_1\"}\n");

        assertThat(run("report", "job_1_1")).isZero();
        assertThat(out.toString().trim()).isEqualTo("{\"job\":\"job_1_1\"}");
    }
}
