// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.process.MarkedProcesses;
import io.spillway.node.process.StoreCleaner;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The life of a site under a batch system: each allocation is a cluster of its own, with its own
 * folders and ports, on the same hosts, and ends by SIGKILL. The hosts' memory is as before.
 */
@Timeout(900)
class LeftMemoryIT {
    private static final int INPUTS = 4;
    private static final int WORDS = 200_000;
    private static final long SEEN = 1 << 20;
    private static final long PATIENCE_SECONDS = 240;

    private Path memory;

    @BeforeEach
    void create() throws IOException {
        memory = Files.createTempDirectory(ClusterMemory.SHARED, "spillway-test-");
    }

    @AfterEach
    void delete() throws IOException {
        WorkFolder.deleteTree(memory);
    }

    private LocalCluster start(final String name) {
        return Clusters.start(
                ClusterSpec.defaults()
                        .withName(name + "-" + ProcessHandle.current().pid())
                        .withNodes(2)
                        .withProperties(
                                Map.of(
                                        "spillway.store.memory.dir", memory.toString(),
                                        "spillway.store.memory.limit", "256m",
                                        "spillway.store.nvm.dir", "none",
                                        // The ResourceManager gives a killed NodeManager up after
                                        // this time.
                                        "yarn.nm.liveness-monitor.expiry-interval-ms", "5000")));
    }

    /** Maps that leave a few MB each, for words hardly come twice; then the reducers start. */
    private static JobSpec job(final LocalCluster cluster) throws IOException {
        final Path input = Files.createDirectories(Path.of(cluster.dataFolder(), "in"));
        final Random random = new Random(1);
        for (int file = 0; file < INPUTS; file++) {
            try (BufferedWriter out = Files.newBufferedWriter(input.resolve("words-" + file))) {
                for (int word = 0; word < WORDS; word++) {
                    out.write(Long.toString(random.nextLong(), Character.MAX_RADIX));
                    out.newLine();
                }
            }
        }
        return JobSpec.example(
                        "wordcount",
                        input.toString(),
                        Path.of(cluster.dataFolder(), "out").toString())
                .with(Engine.SPILLWAY)
                .with(Map.of("mapreduce.job.reduce.slowstart.completedmaps", "1.0"));
    }

    /** The bytes of all files in the nodes' memory. */
    private long bytes() throws IOException {
        try (Stream<Path> all = Files.walk(memory)) {
            return all.map(Path::toFile)
                    .filter(file -> file.isFile())
                    .mapToLong(file -> file.length())
                    .sum();
        }
    }

    private List<Path> folders() throws IOException {
        try (Stream<Path> all = Files.walk(memory, 2)) {
            return all.filter(path -> memory.relativize(path).getNameCount() == 2).toList();
        }
    }

    /** Kills every daemon and every task of a cluster at once, in the middle of a job. */
    private void killInTheMiddleOfAJob(final LocalCluster cluster) throws Exception {
        final JobSpec job = job(cluster);
        final CompletableFuture<JobResult> end =
                CompletableFuture.supplyAsync(() -> cluster.submit(job));
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (bytes() < SEEN && !end.isDone()) {
            assertThat(System.nanoTime()).as("no map output in memory").isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(100);
        }
        MarkedProcesses.killAll(cluster.clientEnvironment().get(MarkedProcesses.VARIABLE));
        try {
            assertThat(end.get(PATIENCE_SECONDS, TimeUnit.SECONDS).succeeded()).isFalse();
        } catch (final ExecutionException e) {
            assertThat(e.getCause()).isNotNull(); // the client was killed, too
        } catch (final TimeoutException e) {
            throw new AssertionError("the client outlives its cluster", e);
        }
    }

    @Test
    void memoryOutlivesNoCluster() throws Exception {
        final LocalCluster first = start("it-memory-a");
        try {
            killInTheMiddleOfAJob(first);
        } finally {
            first.close();
        }
        final List<Path> left = folders();
        assertThat(left).hasSize(2);
        assertThat(bytes()).isGreaterThan(SEEN);

        final LocalCluster second = start("it-memory-b");
        try {
            awaitGone(left);
            assertThat(folders()).hasSize(2).doesNotContainAnyElementsOf(left);
            assertThat(cleaner().clean(true, false))
                    .hasSize(3)
                    .last()
                    .isEqualTo("freed 0.0 MB in all");
            killInTheMiddleOfAJob(second);
        } finally {
            second.close();
        }

        assertThat(bytes()).isGreaterThan(SEEN);
        awaitUnlocked();
        assertThat(cleaner().clean(true, true).get(0)).contains("would free");
        assertThat(bytes()).isGreaterThan(SEEN);
        cleaner().clean(true, false);
        assertThat(memory).isEmptyDirectory();
    }

    private StoreCleaner cleaner() {
        final Map<String, String> settings = Map.of("spillway.store.memory.dir", memory.toString());
        return new StoreCleaner(settings::get);
    }

    /** Waits until the kernel has ended the killed tasks and released their locks. */
    private void awaitUnlocked() throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (cleaner().clean(true, true).toString().contains("tasks that run hold it")) {
            assertThat(System.nanoTime()).as("locks of killed tasks").isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** A NodeManager passes when it starts, and every minute. */
    private static void awaitGone(final List<Path> left) throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (left.stream().anyMatch(Files::exists)) {
            assertThat(System.nanoTime()).as("still there: %s", left).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }
}
