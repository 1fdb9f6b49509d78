// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.ifile.shared.SharedOutputs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedFoldersTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final String OTHER_JOB = "job_1700000000000_0002";

    @TempDir private Path directory;

    private SharedOutputs outputs;
    private SharedFolders folders;

    @BeforeEach
    void open() {
        outputs = new SharedOutputs(directory);
        folders = new SharedFolders(outputs);
    }

    private Path write(final String job, final String host, final String output)
            throws IOException {
        folders.make(job, host, new LustreStripes(1));
        return Files.write(outputs.output(job, host, output), new byte[10]);
    }

    @Test
    void eachHostDeletesItsOwnAndTheLastTheJobs() throws IOException {
        write(JOB, "a", "attempt_1");
        write(JOB, "a", "attempt_2");
        final Path ofB = write(JOB, "b", "attempt_3");
        final Path ofOther = write(OTHER_JOB, "a", "attempt_4");
        assertThat(folders.jobs()).containsExactly(JOB, OTHER_JOB);
        assertThat(folders.bytes(JOB)).isEqualTo(30);

        assertThat(folders.delete(JOB, "a")).isFalse();
        assertThat(outputs.host(JOB, "a")).doesNotExist();
        assertThat(ofB).exists();
        assertThat(folders.delete(JOB, "b")).isTrue();
        assertThat(folders.jobs()).containsExactly(OTHER_JOB);
        assertThat(folders.delete(JOB, "b")).as("deleted before").isTrue();
        assertThat(ofOther).exists();
    }

    @Test
    void whatHostsThatAreGoneHaveLeftIsDeletedWithTheJob() throws IOException {
        write(JOB, "gone", "attempt_1");
        write(JOB, "a", "attempt_2");
        assertThat(folders.delete(JOB)).isTrue();
        assertThat(directory).isEmptyDirectory();
        assertThat(folders.delete(JOB)).isTrue();
    }

    @Test
    void whatIsNotOursStays() throws IOException {
        Files.createDirectories(directory.resolve("results/run1"));
        Files.writeString(directory.resolve("results/run1/x.out"), "a user's");
        final Path notes = write(JOB, "a", "attempt_1").resolveSibling("notes.txt");
        Files.writeString(notes, "a user's, too");
        assertThat(folders.jobs()).containsExactly(JOB);
        assertThat(folders.delete(JOB)).isFalse();
        assertThat(outputs.host(JOB, "a")).isDirectoryContaining(notes::equals);
        assertThat(directory.resolve("results/run1/x.out")).exists();
    }

    @Test
    void aLinkIsNotFollowed() throws IOException {
        final Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
        final Path kept = Files.write(elsewhere.resolve("x.out"), new byte[1]);
        Files.createDirectory(outputs.job(JOB));
        Files.createSymbolicLink(outputs.host(JOB, "a"), elsewhere);
        assertThat(folders.delete(JOB, "a")).isFalse();
        assertThat(kept).exists();
    }

    @Test
    void theNewestChangeOfAnyHostCounts() throws IOException {
        write(JOB, "a", "attempt_1");
        write(JOB, "b", "attempt_2");
        final Instant then = Instant.parse("2020-01-01T00:00:00Z");
        final Instant later = then.plusSeconds(60);
        Files.setLastModifiedTime(outputs.job(JOB), FileTime.from(then));
        Files.setLastModifiedTime(outputs.host(JOB, "a"), FileTime.from(then));
        Files.setLastModifiedTime(outputs.host(JOB, "b"), FileTime.from(later));
        assertThat(folders.changed(JOB)).isEqualTo(later);
        assertThat(folders.changed("job_nowhere")).isEqualTo(Instant.MIN);
    }

    /** Maps of many hosts begin at a time, and later all hosts delete at a time. */
    @Test
    void foldersAreMadeAndDeletedByManyAtATime() throws Exception {
        final ExecutorService hosts = Executors.newFixedThreadPool(8);
        try {
            atATime(hosts, host -> write(JOB, host, "attempt_1"));
            assertThat(outputs.job(JOB)).isDirectoryContaining("glob:**h7");
            atATime(hosts, host -> folders.delete(JOB, host));
        } finally {
            hosts.shutdownNow();
        }
        assertThat(directory).isEmptyDirectory();
    }

    private interface Step {
        Object run(String host) throws IOException;
    }

    private static void atATime(final ExecutorService hosts, final Step step) throws Exception {
        final List<Future<?>> all = new ArrayList<>();
        for (int host = 0; host < 8; host++) {
            final String name = "h" + host;
            all.add(hosts.submit(() -> step.run(name)));
        }
        for (final Future<?> each : all) {
            each.get();
        }
    }
}
