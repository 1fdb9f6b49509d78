// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.lab.compare.workload.WorkloadPrograms;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each program once, by Hadoop's LocalJobRunner. */
class WorkloadsTest {
    @TempDir private Path folder;

    private void run(final Tool tool, final String... arguments) throws Exception {
        final Configuration conf = new Configuration();
        conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
        assertThat(ToolRunner.run(conf, tool, arguments)).isZero();
    }

    private String path(final String name) {
        return folder.resolve(name).toString();
    }

    private List<String> parts(final String name) throws IOException {
        final List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder.resolve(name))) {
            for (final Path file : files.sorted().toList()) {
                if (file.getFileName().toString().startsWith("part-")) {
                    lines.addAll(Files.readAllLines(file));
                }
            }
        }
        return lines;
    }

    private List<List<String>> digest(final String format, final String name) throws Exception {
        final PrintStream before = System.out;
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            run(new DigestTool(), format, path(name));
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> List.of(line.split("\t", -1)))
                .toList();
    }

    @Test
    void invertedIndexListsEachDocumentOnceInOrder() throws Exception {
        final Path input = Files.createDirectories(folder.resolve("in"));
        Files.writeString(input.resolve("b.txt"), "the cat\tthe dog\n\n  the end\n");
        Files.writeString(input.resolve("a.txt"), "the cat");
        run(new InvertedIndex(), path("in"), path("out"));

        assertThat(parts("out"))
                .containsExactly(
                        "cat\ta.txt",
                        "cat\tb.txt",
                        "dog\tb.txt",
                        "end\tb.txt",
                        "the\ta.txt",
                        "the\tb.txt");
    }

    @Test
    void sequenceCountCountsThreeWordsOfALineForEachDocument() throws Exception {
        final Path input = Files.createDirectories(folder.resolve("in"));
        Files.writeString(input.resolve("a.txt"), "to be or not\tto be  or\n\nto be\nor not");
        Files.writeString(input.resolve("b.txt"), "to be or");
        run(new SequenceCount(), path("in"), path("out"));

        assertThat(parts("out"))
                .containsExactly(
                        "be|or|not|a.txt\t1",
                        "not|to|be|a.txt\t1",
                        "or|not|to|a.txt\t1",
                        "to|be|or|a.txt\t2",
                        "to|be|or|b.txt\t1");
    }

    @Test
    void randomRecordsAreTheSameOnEveryRunAndOfTheSizeAskedFor() throws Exception {
        run(new RandomRecords(), path("one"), "300000", "3");
        run(new RandomRecords(), path("two"), "300000", "3");
        final List<List<String>> one = digest("sequence", "one");

        assertThat(one).hasSize(3);
        assertThat(digest("sequence", "two")).isEqualTo(one);
        assertThat(one.stream().mapToLong(line -> Long.parseLong(line.get(3))).sum())
                .isBetween(300_000L, 300_000L + 3 * 21_000);
        assertThat(one.get(0).get(4)).isNotEqualTo(one.get(1).get(4));
    }

    @Test
    void drainRecordsOfAReducerAreInOrderAcrossFiles() throws Exception {
        run(new DrainRecords(), path("drain"), "120000", "3", "2");
        final List<List<byte[]>> files = new ArrayList<>();
        for (int file = 0; file < 3; file++) {
            files.add(records(folder.resolve("drain/part-m-0000" + file)));
        }

        assertThat(files).allSatisfy(records -> assertThat(records).hasSize(400));
        for (int reduce = 0; reduce < 2; reduce++) {
            for (int file = 1; file < 3; file++) {
                assertThat(keysOf(files.get(file), reduce).first())
                        .isGreaterThan(keysOf(files.get(file - 1), reduce).last());
            }
        }
        assertThat(files.get(1)).isNotEqualTo(sorted(files.get(1)));
        assertThat(new String(files.get(2).get(7), 12, 32, StandardCharsets.US_ASCII))
                .isEqualTo(String.format("%032X", 807));
    }

    private static List<byte[]> sorted(final List<byte[]> records) {
        return records.stream().sorted(Arrays::compareUnsigned).toList();
    }

    private static List<byte[]> records(final Path file) throws IOException {
        final byte[] all = Files.readAllBytes(file);
        return IntStream.range(0, all.length / 100)
                .mapToObj(index -> Arrays.copyOfRange(all, index * 100, index * 100 + 100))
                .toList();
    }

    /** Keys in hexadecimal; of two reducers the first has those below 0x80. */
    private static NavigableSet<String> keysOf(final List<byte[]> records, final int reduce) {
        final NavigableSet<String> keys = new TreeSet<>();
        for (final byte[] record : records) {
            if ((record[0] & 0xFF) >>> 7 == reduce) {
                keys.add(HexFormat.of().formatHex(record, 0, 10));
            }
        }
        return keys;
    }

    @Test
    void drainRecordsNeedARecordOfEachReducerInEachFile() throws Exception {
        assertThat(
                        ToolRunner.run(
                                new Configuration(),
                                new DrainRecords(),
                                new String[] {path("few"), "500", "3", "2"}))
                .isEqualTo(2);
    }

    @Test
    void whatUsersMayRunIsThere() {
        assertThat(JobRunner.programs())
                .containsKeys(new WorkloadPrograms().names().toArray(String[]::new));
    }

    @Test
    void corpusRepeatsTheSourcesUpToTheSize() throws Exception {
        final Path jar = folder.resolve("sources.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (final String name : List.of("A.java", "B.java", "C.txt")) {
                zip.putNextEntry(new ZipEntry(name));
                zip.write((name + " text\n").getBytes(StandardCharsets.UTF_8));
            }
        }
        run(new CorpusTool(), path("text"), "61", "2", jar.toString());

        final Path first = folder.resolve("text/text-00000");
        final Path second = folder.resolve("text/text-00001");
        assertThat(Files.size(first) + Files.size(second)).isEqualTo(61);
        assertThat(Files.readString(first)).startsWith("A.java text\nB.java text\nA.java");
        assertThat(Files.readString(second)).startsWith("B.java text\nA.java");
    }

    @Test
    void copyKeepsEveryLine() throws Exception {
        final Path input = Files.createDirectories(folder.resolve("in"));
        Files.writeString(input.resolve("x"), "one\ntwo\tthree\n");
        run(
                new CopyJob(),
                "-Dmapreduce.job.map.class=" + CopyJob.LineMapper.class.getName(),
                path("in"),
                path("copied"));

        assertThat(parts("copied")).containsExactly("one", "two\tthree");
    }

    @Test
    void teraDigestReadsHundredByteRecords() throws Exception {
        final Path output = Files.createDirectories(folder.resolve("tera"));
        Files.writeString(output.resolve("part-r-00000"), "a".repeat(100) + "b".repeat(100));
        Files.writeString(output.resolve("part-r-00001"), "b".repeat(100) + "a".repeat(100));
        final List<List<String>> parts = digest("tera", "tera");

        assertThat(parts.get(0)).contains("part-r-00000", "2", "200", "true");
        assertThat(parts.get(1)).contains("part-r-00001", "2", "200", "false");
        assertThat(parts.get(0).get(4)).isEqualTo(parts.get(1).get(4));
    }
}
