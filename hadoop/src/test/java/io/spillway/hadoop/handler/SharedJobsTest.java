// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.store.shared.SharedFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SharedJobsTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final Duration SOON = Duration.ofMillis(20);
    private static final Duration NEVER = Duration.ofDays(1);

    @TempDir private Path directory;

    private SharedOutputs outputs;

    @BeforeEach
    void open() {
        outputs = new SharedOutputs(directory);
    }

    private SharedJobs host(final String name, final Duration first, final Duration rest) {
        return new SharedJobs(new SharedFolders(outputs), name, first, rest);
    }

    private Path write(final String job, final String host) throws IOException {
        Files.createDirectories(outputs.host(job, host));
        return Files.write(outputs.output(job, host, "attempt_1"), new byte[9]);
    }

    private static void awaitGone(final Path path) {
        while (Files.exists(path)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Test
    void aHostDeletesItsPartAndThenWhatHostsThatAreGoneHaveLeft() throws IOException {
        final Path own = write(JOB, "a");
        final Path gone = write(JOB, "gone");
        final Path otherJob = write("job_1700000000000_0002", "a");
        try (SharedJobs a = host("a", SOON, NEVER)) {
            a.ended(JOB);
            awaitGone(own);
            assertThat(gone).exists();
        }
        try (SharedJobs b = host("b", SOON, SOON)) {
            b.ended(JOB);
            awaitGone(outputs.job(JOB));
        }
        assertThat(otherJob).exists();
    }

    /** YARN ends the jobs of a decommissioned node; on other nodes they continue. */
    @Test
    void aNodeManagerThatEndsDeletesNothing() throws IOException {
        final Path own = write(JOB, "a");
        final SharedJobs leaving = host("a", Duration.ofMillis(200), SOON);
        leaving.ended(JOB);
        leaving.close();
        leaving.ended(JOB);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
        assertThat(own).exists();
    }
}
