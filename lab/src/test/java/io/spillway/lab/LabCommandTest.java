// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class LabCommandTest {
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
        final CommandLine line = LabCommand.newCommandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "compare",
                "scale",
                "workloads",
                "bench",
                "bench net",
                "bench load",
                "cluster",
                "cluster start",
                "cluster stop",
                "cluster status"
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
    void workloadsAreListedWithAllThatATesterBrings() {
        assertThat(run("workloads")).isZero();
        assertThat(out.toString())
                .contains("numbers", "lines of twelve digits, sorted", "from: a test")
                .contains("pagerank", "from: HiBench", "-D spillway.bench.pagerank.iterations=3");
    }

    @Test
    void helpNamesTheCommandsOfTheInstalledCommandLineToo() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString())
                .contains("demo", "compare", "scale", "bench", "cluster", "run", "node", "conf")
                .contains("Start here:", "Exit codes:");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "demo --size 1x|'1x'",
                "demo --maps 0|--maps 0: expected 1 to",
                "demo --reduces none|'none' is not an int",
                "demo --hadoop 2.7.1 --size 1m|--hadoop 2.7.1: expected a Hadoop release",
                "demo --fs s3|--fs",
                "compare pagerankk --size 1m|workload 'pagerankk': expected one of [",
                "compare terasort|Missing required option: '--size=SIZE'",
                "compare terasort --size 1m --engines stock,uda|engine 'uda'",
                "compare terasort --size 1m --engines stock,stock|each engine once",
                "compare terasort --size 1m --repeat 0|--repeat 0: expected 1 to",
                "compare drain --size 1m --engines hadoop-b|engine 'hadoop-b': expected one of",
                "scale pagerankk --sizes 1m|workload 'pagerankk': expected one of [",
                "scale terasort|Missing required option: '--sizes=SIZES'",
                "scale terasort --sizes 1m,2x|'2x'",
                "scale terasort --sizes 2m,1m,2048k|--sizes 2m: expected each size once",
                "scale terasort --sizes 1m --reduces 0|--reduces 0: expected 1 to",
                "compare terasort --size 1m --transport ib|--transport ib: expected one of auto,",
                "bench|Say what to measure: net or load",
                "bench load --maps 0|--maps 0: expected 1 to",
                "bench load --segment 8m|--segment 8388608: expected 1 to",
                "bench load --maps 1000000|--maps x --reducers x --segment = 819200000000",
                "bench net --puts --sizes 3k|--sizes 3072: expected a power of two",
                "bench net --puts --sizes 8g|--sizes 8589934592: expected a power of two",
                "bench net --puts --put-bytes 16g|--put-bytes 17179869184: expected",
                "bench net --repeat 0|--repeat 0: expected 1 to",
                "bench net --transports raw-tcp|--transports [raw-tcp]: expected some of",
                "bench net --sizes 12|--sizes 12: expected a multiple of 8",
                "bench net --sizes 32m|--sizes 33554432: expected a multiple of 8, up to 16m",
                "bench net --windows 0|--windows 0: expected 1 to",
                "bench net --transports ib|--transports",
                "bench net --serve a:1 --connect b:2|expected one of them",
                "bench net --connect b:2|expected the --secret",
                "bench net --serve a:1|expected tcp or ucx between two hosts",
                "cluster start --nodes 0|--nodes 0: expected 1 to",
                "cluster start --hosts 0|--hosts 0: expected 1 to 64",
                "cluster start --hosts 65|--hosts 65: expected 1 to 64",
                "cluster start --hosts 2 --nodes 3|--nodes 3 --hosts 2: expected one of them",
                "cluster start --link 1g|--link 1g: expected --hosts beside it",
                "cluster start --hosts 2 --link fast|--link fast: expected 1g, 10g, ib, none, or",
                "cluster start --stock-nodes 3|--stock-nodes 3: expected 0 to 2",
                "cluster start --name a/b|--name a/b: expected letters",
                "cluster stop --name none|no cluster none",
                "demo -D spillway.mod=auto|spillway.mod: no such setting; the nearest is"
                        + " spillway.mode",
                "compare terasort --size 1m -D spillway.mode=warp|-D spillway.mode=warp: expected",
                "compare terasort --size 1m --on mars|--on",
                "run --on installed sort in out|--on installed: expected HADOOP_HOME or",
                "run wordkount in out|nor one of Spillway's programs [adjacencylist"
            })
    void wrongInputIsOneClearLineAndCodeTwo(final String line, final String expected) {
        assertThat(run(line.split(" ", -1))).as(err.toString()).isEqualTo(2);
        assertThat(err.toString().lines().filter(text -> text.startsWith("spillway: ")))
                .singleElement()
                .asString()
                .contains(expected);
    }

    @Test
    void tooLittleDiskSpaceIsSaidBeforeAnythingStarts() {
        assertThat(run("demo", "--size", "100t")).isEqualTo(2);
        assertThat(err.toString()).contains("terasort with --size 100t needs about", "GB free");
        assertThat(folder.resolve(".spillway/clusters")).doesNotExist();
    }

    @Test
    void statusTellsWhenThereIsNoCluster() {
        assertThat(run("cluster", "status", "--work", folder.resolve("w").toString())).isZero();
        assertThat(out.toString()).startsWith("no cluster in " + folder.resolve("w"));
    }
}
