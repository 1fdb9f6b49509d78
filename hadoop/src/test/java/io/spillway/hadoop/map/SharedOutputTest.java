// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.host.OwnUser;
import io.spillway.host.TestJvm;
import io.spillway.ifile.shared.SharedOutputFile;
import io.spillway.ifile.shared.SharedOutputTail;
import io.spillway.ifile.shared.SharedOutputs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.SpillRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Maps whose outputs go to a directory that all hosts share. */
class SharedOutputTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final String HOST = "node-1.cluster";

    /** Becomes the command that follows, with a small file system at its first argument. */
    private static final String SMALL =
            "mount -t tmpfs -o size=64k,mode=777 tmpfs \"$0\" && exec \"$@\"";

    private static final String READ_ONLY =
            "mount -t tmpfs -o ro,size=1m tmpfs \"$0\" && exec \"$@\"";

    private static final String LOGGING =
            """
            log4j.rootLogger=INFO, console
            log4j.appender.console=org.apache.log4j.ConsoleAppender
            log4j.appender.console.target=System.err
            log4j.appender.console.layout=org.apache.log4j.SimpleLayout
            """;

    @TempDir private Path folder;

    private Path local;
    private Path shared;
    private String said = "";

    @BeforeEach
    void makeFolders() throws IOException {
        local = Files.createDirectory(folder.resolve("local"));
        shared = Files.createDirectory(folder.resolve("shared"));
    }

    /** Runs maps on a host, behind a command that starts them; returns where the outputs are. */
    private List<Path> run(final String host, final List<String> before, final int... values)
            throws Exception {
        final Path log = folder.resolve("log");
        final Path logging = Files.writeString(folder.resolve("log4j.properties"), LOGGING);
        final List<String> arguments = new ArrayList<>(List.of(local + "", shared + ""));
        Arrays.stream(values).forEach(length -> arguments.add("" + length));
        final List<String> command = new ArrayList<>(before);
        command.addAll(
                TestJvm.command(
                        List.of("-Xmx256m", "-Dlog4j.configuration=" + logging.toUri()),
                        SharedOutputMain.class,
                        arguments.toArray(new String[0])));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
        builder.environment().remove("NM_HOST");
        if (!host.isEmpty()) {
            builder.environment().put("NM_HOST", host);
        }
        final Process process = builder.start();
        final String out =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        final int code = process.waitFor();
        said = out + Files.readString(log);
        assertThat(code).as(said).isZero();
        return out.lines().filter(line -> line.startsWith("/")).map(Path::of).toList();
    }

    private Path place(final int map) {
        return new SharedOutputs(shared).output(JOB, HOST, attempt(map));
    }

    private static String attempt(final int map) {
        return String.format("attempt_1700000000000_0001_m_%06d_0", map);
    }

    private Path onDisk() throws IOException {
        return new MapFixture(local, 1).lastOutput();
    }

    /** Stock's handler follows the link and reads the index; others need neither. */
    @Test
    void anOutputIsOneFileThatOthersFindAndALinkForTheNode() throws Exception {
        assertThat(run(HOST, List.of(), 100_000)).containsExactly(place(0));
        final SpillRecord index =
                new SpillRecord(
                        new org.apache.hadoop.fs.Path(onDisk() + ".index"), new JobConf(false));
        try (SharedOutputFile file = SharedOutputFile.open(place(0))) {
            final SharedOutputTail tail = file.readTail(attempt(0));
            assertThat(tail.counts().of(0)).isEqualTo(1);
            assertThat(tail.index().get(0).partLength())
                    .isEqualTo(index.getIndex(0).partLength)
                    .isGreaterThan(100_000);
            assertThat(tail.index().get(0).startOffset()).isZero();
        }
        assertThat(place(0).getParent().toFile().list()).hasSize(1);
    }

    /** As the kernel sees them. */
    @Test
    void anOutputCostsThreeMetadataOperations() throws Exception {
        assumeThat(Path.of("/usr/bin/strace")).as("apt-get install strace").isExecutable();
        final Path trace = folder.resolve("trace");
        final List<String> tracer =
                List.of("strace", "-f", "-qq", "-e", "trace=%file,%desc", "-o", trace.toString());
        assertThat(run(HOST, tracer, 10, 100_000)).containsExactly(place(0), place(1));
        final List<String> calls = Files.readAllLines(trace, StandardCharsets.ISO_8859_1);
        final int second =
                calls.indexOf(
                        calls.stream()
                                .filter(call -> call.contains("/map-1-begins"))
                                .findFirst()
                                .orElseThrow());
        final List<String> ofSecond =
                calls.subList(second, calls.size()).stream()
                        .filter(call -> call.contains("\"" + shared) && !isOfLink(call))
                        .toList();
        assertThat(ofSecond).filteredOn(call -> call.contains("statfs(")).hasSize(1);
        assertThat(ofSecond)
                .filteredOn(call -> !call.contains("statfs("))
                .as("%s", ofSecond)
                .hasSizeBetween(1, 3)
                .anyMatch(call -> call.contains("O_CREAT"))
                .noneMatch(call -> call.contains("rename") || call.contains("mkdir"));
    }

    /** The link's own folder is on the host's disk; its target is only a text there. */
    private static boolean isOfLink(final String call) {
        return call.contains("symlink");
    }

    /** The data has room, and its tail has not: the last page is full to the byte. */
    @Test
    void whatCannotBeFinishedMovesToDisk() throws Exception {
        assumeThat(OwnUser.name()).as("only root mounts").isEqualTo("root");
        final int overhead = 1 + 3 + 4 + 3 + 2 + 4;
        final List<String> small =
                List.of("unshare", "--mount", "sh", "-c", SMALL, shared.toString());
        assertThat(run(HOST, small, (64 << 10) - overhead)).containsExactly(onDisk());
        assertThat(said).contains(attempt(0) + " moves from lustre to the tiers after it");
        assertThat(Files.size(onDisk())).isEqualTo(64 << 10);
    }

    @Test
    void whatIsFullOrReadOnlyOverflowsWithALine() throws Exception {
        assumeThat(OwnUser.name()).as("only root mounts").isEqualTo("root");
        final List<String> small =
                List.of("unshare", "--mount", "sh", "-c", SMALL, shared.toString());
        assertThat(run(HOST, small, 1 << 20)).containsExactly(onDisk());
        assertThat(said).contains("overflows from lustre to disk: bytes=");
        final List<String> readOnly =
                List.of("unshare", "--mount", "sh", "-c", READ_ONLY, shared.toString());
        assertThat(run(HOST, readOnly, 10)).containsExactly(onDisk());
        assertThat(said).contains("moves from lustre to disk").contains("Read-only file system");
    }

    /** A LocalJobRunner: no reducer asks a node. */
    @Test
    void withoutANodeItsNamesAreNotKnownAndTheOutputStaysLocal() throws Exception {
        assertThat(run("", List.of(), 10)).containsExactly(onDisk());
        assertThat(shared).isEmptyDirectory();
    }

    @Test
    void aHostsNameThatIsNoFoldersIsNamed() throws Exception {
        assertThat(run("../up", List.of(), 10)).containsExactly(onDisk());
        assertThat(said).contains("host=../up").contains("cannot be that of a folder");
    }
}
