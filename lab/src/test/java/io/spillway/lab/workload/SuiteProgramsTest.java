// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.run.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests data, chain and check of each workload, with Spillway's engine in Hadoop's LocalJobRunner.
 * Also tests the check with changed outputs.
 */
class SuiteProgramsTest {
    private static final int POLL_MILLIS = 5;
    private static final String BYTES = "30000";
    private static final String FILES = "2";

    /** The workloads whose lines are not sorted by key. */
    private static final Set<String> ORDERED = Set.of("pumagrep", "rankedinvertedindex");

    @TempDir private Path folder;

    static Stream<String> programs() {
        return JobRunner.programs().entrySet().stream()
                .filter(program -> program.getValue().get() instanceof SuiteProgram)
                .map(Map.Entry::getKey);
    }

    private void run(final String program, final Map<String, String> more, final String... words)
            throws Exception {
        final Configuration conf = new Configuration();
        conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
        conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, POLL_MILLIS);
        conf.setInt(Job.PROGRESS_MONITOR_POLL_INTERVAL_KEY, POLL_MILLIS);
        conf.setInt("mapreduce.job.reduces", 2);
        conf.setInt("mapreduce.task.io.sort.mb", 1);
        conf.setInt("spillway.bench.pagerank.iterations", 2);
        conf.setInt("spillway.bench.kmeans.iterations", 2);
        conf.setInt("spillway.bench.swim.jobs", 4);
        conf.set("spillway.bench.swim.gap", "0");
        Engine.SPILLWAY.jobProperties().forEach(conf::set);
        more.forEach(conf::set);
        assertThat(ToolRunner.run(conf, JobRunner.program(program), words)).isZero();
    }

    private void run(final String program, final String... words) throws Exception {
        run(program, Map.of(), words);
    }

    private String path(final String name) {
        return folder.resolve(name).toString();
    }

    private void make(final String program) throws Exception {
        run(program, "make", path("in"), BYTES, FILES);
        run(program, "run", path("in"), path("out"));
    }

    private void check(final String program) throws Exception {
        run(program, "check", path("in"), path("out"));
    }

    /** Returns the first part that has a record. */
    private Path part() throws IOException {
        for (final Path part : parts()) {
            if (Files.size(part) > 0) {
                return part;
            }
        }
        throw new IOException("no record in " + folder);
    }

    /** Changes a file and deletes Hadoop's checksum of it. */
    private static void write(final Path part, final List<String> lines) throws IOException {
        Files.deleteIfExists(part.resolveSibling("." + part.getFileName() + ".crc"));
        Files.write(part, lines);
    }

    private List<Path> parts() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("out"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("part-"))
                    .sorted()
                    .toList();
        }
    }

    private List<String> lines() throws IOException {
        final List<String> lines = new ArrayList<>();
        for (final Path part : parts()) {
            lines.addAll(Files.readAllLines(part));
        }
        return lines;
    }

    private static List<String> wrong(final List<String> lines) {
        final List<String> changed = new ArrayList<>(lines);
        final String line = lines.get(0);
        final char last = line.charAt(line.length() - 1);
        changed.set(0, line.substring(0, line.length() - 1) + (last == '1' ? '2' : '1'));
        return changed;
    }

    private static List<String> lost(final List<String> lines) {
        return lines.subList(1, lines.size());
    }

    private static List<String> doubled(final List<String> lines) {
        final List<String> changed = new ArrayList<>(lines);
        changed.add(1, lines.get(0));
        return changed;
    }

    @ParameterizedTest
    @MethodSource("programs")
    void itsCheckPassesWhatItHasMadeAndNothingElse(final String program) throws Exception {
        make(program);
        check(program);

        assertThat(folder.resolve("out-between")).doesNotExist();
        final Path part = part();
        final List<String> right = Files.readAllLines(part);
        for (final UnaryOperator<List<String>> plant :
                List.<UnaryOperator<List<String>>>of(
                        SuiteProgramsTest::wrong,
                        SuiteProgramsTest::lost,
                        SuiteProgramsTest::doubled)) {
            write(part, plant.apply(right));
            assertThatThrownBy(() -> check(program))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the output is wrong");
        }
        if (ORDERED.contains(program)) {
            final List<String> turned = new ArrayList<>(right);
            Collections.reverse(turned);
            write(part, turned);
            assertThatThrownBy(() -> check(program)).hasMessageContaining("stands behind a count");
        }
        write(part, right);
        check(program);
    }

    @Test
    void shuffleBenchSendsRecordsAsAsked() throws Exception {
        final Map<String, String> options =
                Map.of(
                        "spillway.bench.shuffle.distribution", "skewed",
                        "spillway.bench.shuffle.value.bytes", "84",
                        "spillway.bench.shuffle.type", "text",
                        "mapreduce.job.reduces", "3");
        run("shufflebench", options, "make", path("in"), BYTES, FILES);
        run("shufflebench", options, "run", path("in"), path("out"));
        run("shufflebench", options, "check", path("in"), path("out"));

        assertThat(lines())
                .contains("RECEIVED_RECORDS\t300", "RECEIVED_BYTES\t30000", "reduces\t3");
        assertThatThrownBy(
                        () ->
                                run(
                                        "shufflebench",
                                        Map.of("spillway.bench.shuffle.key.bytes", "4"),
                                        "check",
                                        path("in"),
                                        path("out")))
                .hasMessageContaining("spillway.bench.shuffle.key.bytes=4: expected 8");
    }

    @Test
    void swimReplaysATraceAtTheSizeAskedFor() throws Exception {
        final Path trace = folder.resolve("trace.tsv");
        Files.write(
                trace,
                List.of(
                        "job7\t10\t10\t4000000\t8000000\t1000000",
                        "job8\t10\t0\t2000000\t0\t500000",
                        "job9\t40\t30\t1\t1\t1"));
        final Map<String, String> options =
                Map.of(
                        "spillway.bench.swim.trace",
                        trace.toString(),
                        "spillway.bench.swim.jobs",
                        "2");
        run("swim", options, "make", path("in"), "100000", FILES);
        run("swim", options, "run", path("in"), path("out"));
        run("swim", options, "check", path("in"), path("out"));

        assertThat(Files.readAllLines(folder.resolve("in/trace.tsv")))
                .containsExactly(
                        "job7\t0\t40000\t80000\t10000\t1", "job8\t0\t20000\t1024\t5000\t1");
        assertThat(lines()).hasSize(2);
        assertThat(lines().get(0)).startsWith("job7\t40000\t80000\t800\t").endsWith("\t10000");
        assertThat(Files.readAllLines(folder.resolve("out/_jobs.csv"))).hasSize(3);
    }

    private void input(final String... lines) throws IOException {
        Files.write(Files.createDirectories(folder.resolve("in")).resolve("x"), List.of(lines));
    }

    @Test
    void adjacencyListOfASmallGraph() throws Exception {
        input("a,b", "a,c", "b,c", "a,b");
        run("adjacencylist", "run", path("in"), path("out"));

        assertThat(lines())
                .containsExactlyInAnyOrder(
                        "a\tfrom{}:to{b,c}", "b\tfrom{a}:to{c}", "c\tfrom{a,b}:to{}");
    }

    @Test
    void selfJoinOfAFewCandidates() throws Exception {
        input("1,2,5", "1,2,4", "1,3,4", "1,2,3", "1,2,5");
        run("selfjoin", "run", path("in"), path("out"));

        assertThat(lines()).containsExactly("1,2\t3,4", "1,2\t3,5", "1,2\t4,5");
    }

    /** Page 0 is linked by both others: 0.15 + 0.85 * (1 + 0.5). */
    @Test
    void pageRankOfThreePages() throws Exception {
        input("0\tv", "1\tv", "2\tv", "0\t2", "1\t0", "2\t0", "2\t1");
        run(
                "pagerank",
                Map.of("spillway.bench.pagerank.iterations", "1"),
                "run",
                path("in"),
                path("out"));

        assertThat(lines())
                .containsExactlyInAnyOrder("0\tv1425000000", "1\tv575000000", "2\tv1000000000");
    }

    @Test
    void rankedInvertedIndexPutsTheMostFrequentFirst() throws Exception {
        input("a|b|c|x\t2", "a|b|c|y\t10", "a|b|c|w\t2", "b|c|d|x\t1");
        run("rankedinvertedindex", "run", path("in"), path("out"));

        assertThat(lines())
                .containsSubsequence("a|b|c\t10|y", "a|b|c\t2|w", "a|b|c\t2|x")
                .contains("b|c|d\t1|x")
                .hasSize(4);
    }
}
