// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.lab.hosts.HostLink;
import io.spillway.lab.hosts.HostSupport;
import io.spillway.lab.moosefs.MooseFs;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/**
 * Two emulated hosts without disks, and a distributed file system: a job over it, what each host
 * sees of the other, what befalls it. Files are read and written by processes on the hosts, for one
 * that waits for a server cannot be ended.
 */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SharedFsIT {
    private static final int HOSTS = 2;
    private static final int WORDS = 120_000;
    private static final String PART = "part-r-00000";
    private static final int PATIENCE_SECONDS = 60;
    private static final Path PROC = Path.of("/proc");

    private static LocalCluster cluster;
    private static DistributedFs fileSystem;

    @BeforeAll
    static void start() {
        assumeTrue(canStart(), "no network namespaces, no MooseFS or no FUSE here");
        cluster =
                Clusters.start(
                        ClusterSpec.defaults()
                                .withName("it-shared-fs-" + ProcessHandle.current().pid())
                                .withSlots(HOSTS)
                                .withEmulatedHosts(HOSTS, HostLink.NONE)
                                .withSharedDirectory(SharedDirectory.DISTRIBUTED.withLocalDirs()));
        fileSystem = cluster.distributedFs().orElseThrow();
    }

    private static boolean canStart() {
        try {
            HostSupport.ofThisMachine().require(HostLink.parse("1gbit"));
            MooseFs.require(System.getenv("PATH"));
            return true;
        } catch (final BadInputException e) {
            return false;
        }
    }

    @AfterAll
    static void nothingIsLeft() throws Exception {
        if (cluster == null) {
            return;
        }
        final List<ProcessHandle> daemons =
                ProcessHandle.allProcesses().filter(SharedFsIT::isOfMooseFs).toList();
        assertThat(daemons).hasSizeGreaterThan(2 * HOSTS);

        cluster.close();

        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (daemons.stream().anyMatch(SharedFsIT::isOfMooseFs)) {
            assertThat(System.nanoTime()).as("%s still there", daemons).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(100);
        }
        final String name = cluster.spec().name();
        assertThat(Files.readString(PROC.resolve("self/mountinfo"))).doesNotContain(name);
        assertThat(Clusters.work().cluster(name)).doesNotExist();
    }

    /** By its files: some have written over their environment, and have no mark. */
    private static boolean isOfMooseFs(final ProcessHandle process) {
        try {
            final byte[] line = Files.readAllBytes(PROC.resolve(process.pid() + "/cmdline"));
            final String text = new String(line, StandardCharsets.UTF_8);
            return text.startsWith("mfs") && text.contains(cluster.spec().name());
        } catch (final IOException e) {
            return false;
        }
    }

    @Test
    @Order(1)
    void bothEnginesCountAlikeOverIt() throws Exception {
        final Path input = Files.createDirectories(Path.of(cluster.dataFolder(), "in"));
        for (int file = 0; file < HOSTS; file++) {
            Files.write(input.resolve("words-" + file), words(file));
        }

        final Path stock = count(input, Engine.STOCK);
        final Path ours = count(input, Engine.LUSTRE_READ);

        assertThat(ours.resolve(PART)).isNotEmptyFile().hasSameBinaryContentAs(stock.resolve(PART));
        for (int node = 0; node < HOSTS; node++) {
            // Hadoop's own engine has its map outputs there, as NodeManagers have their caches.
            assertThat(cluster.nodeFolder(node).resolve("local")).doesNotExist();
            assertThat(end(on(node, "ls nodes/" + node + "/local"))).contains("usercache");
        }
        assertThat(cluster.facts()).containsEntry("sharedFs", "moosefs");
        assertThat(cluster.status().isComplete()).isTrue();
    }

    /** Hardly any comes twice, so that combiners leave as many. */
    private static List<String> words(final int seed) {
        return new Random(seed)
                .longs(WORDS)
                .mapToObj(word -> Long.toString(word, Character.MAX_RADIX))
                .toList();
    }

    /** With a sort buffer that is full several times. */
    private static Path count(final Path input, final Engine engine) {
        final Path output = input.resolveSibling("counts-" + engine.label());
        final JobResult result =
                cluster.submit(
                        JobSpec.example("wordcount", input.toString(), output.toString())
                                .with(engine)
                                .with(Map.of("mapreduce.task.io.sort.mb", "1")));
        assertThat(result.succeeded()).isTrue();
        if (engine.needsPlugIn()) {
            final JobFigures job =
                    cluster.history().job(result.lastJobId(), Duration.ofSeconds(30));
            assertThat(Clusters.figure(job, ShuffleCounter.SPILL_LUSTRE_BYTES)).isPositive();
            assertThat(Clusters.figure(job, ShuffleCounter.SPILL_DISK_BYTES)).isZero();
            assertThat(Clusters.figure(job, ShuffleCounter.OUTPUT_LUSTRE_BYTES)).isPositive();
            assertThat(Clusters.figure(job, ShuffleCounter.FETCH_SHAREDFS_BYTES)).isPositive();
        }
        return output;
    }

    @Test
    void eachHostSeesWhatTheOtherHasWritten() throws Exception {
        end(on(0, "seq 200000 >numbers"));

        assertThat(end(on(1, "md5sum <numbers"))).isEqualTo(end(on(0, "seq 200000 | md5sum")));
        assertThat(fileSystem.seenBy(1).resolve("numbers")).isRegularFile();
        assertThat(Files.readString(PROC.resolve("self/mountinfo")))
                .doesNotContain(cluster.spec().name());
    }

    @Test
    void whoeverAsksAMetadataServerThatStandsStillWaitsForIt() throws Exception {
        fileSystem.pauseMetadataServer();
        final Process writer = on(0, "echo x >written-late");

        assertThat(writer.waitFor(1, TimeUnit.SECONDS)).isFalse();
        fileSystem.resumeMetadataServer();
        end(writer);
        assertThat(end(on(1, "cat written-late"))).isEqualTo("x");
    }

    @Test
    void aMetadataServerThatWasKilledComesBackWithAllFiles() throws Exception {
        end(on(0, "echo x >kept"));
        fileSystem.killMetadataServer();
        final Process reader = on(1, "cat kept");
        fileSystem.restartMetadataServer();

        assertThat(end(reader)).isEqualTo("x");
        assertThat(cluster.status().isComplete()).isTrue();
    }

    @Test
    void aHostWithoutItsClientHasErrorsAndTheOtherHasNone() throws Exception {
        fileSystem.killClient(0);

        assertThat(failure(on(0, "ls"))).contains("endpoint is not connected");
        end(on(1, "ls"));
        fileSystem.restartClient(0);
        end(on(0, "ls"));
    }

    @Test
    void aHostWhoseLinkIsDownWaitsForIt() throws Exception {
        fileSystem.setLinkUp(0, false);
        final Process writer = on(0, "echo x >from-afar");

        assertThat(writer.waitFor(1, TimeUnit.SECONDS)).isFalse();
        end(on(1, "echo x >from-near"));
        fileSystem.setLinkUp(0, true);
        end(writer);
    }

    @Test
    void slowDataServersSlowIt() throws Exception {
        fileSystem.setLink(HostLink.parse("40mbit"));
        final long slow = millis(on(0, "head -c 20000000 /dev/zero >much"));
        fileSystem.setLink(HostLink.NONE);
        final long fast = millis(on(0, "head -c 20000000 /dev/zero >much-more"));

        // It has one server or both: at most 10 MB/s but for a buffer's worth of burst.
        assertThat(slow).isGreaterThan(1_500).isGreaterThan(2 * fast);
    }

    @Test
    void aFullOneTakesNothingAndGivesAll() throws Exception {
        end(on(0, "echo x >before"));
        fileSystem.fill();

        assertThat(failure(on(0, "seq 100000 >over"))).contains("quota exceeded");
        assertThat(end(on(1, "cat before"))).isEqualTo("x");
        fileSystem.makeRoom();
        end(on(0, "seq 100000 >over"));
    }

    @Test
    void oneHostMayOnlyRead() throws Exception {
        fileSystem.setReadOnly(1, true);

        assertThat(failure(on(1, "echo x >forbidden"))).contains("Read-only file system");
        end(on(0, "echo x >allowed"));
        assertThat(end(on(1, "cat allowed"))).isEqualTo("x");
        fileSystem.setReadOnly(1, false);
        end(on(1, "echo x >forbidden"));
    }

    /** A script in the shared directory, which is $0, as a host sees it. */
    private static Process on(final int node, final String script) throws IOException {
        final List<String> command = new ArrayList<>(cluster.onHostOf(node));
        final String folder = cluster.sharedFolder().orElseThrow().toString();
        command.addAll(
                List.of("sh", "-c", "cd \"$0\" 2>/dev/null || exec ls \"$0\"; " + script, folder));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static String end(final Process process) throws Exception {
        final String output = output(process);
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    private static String failure(final Process process) throws Exception {
        final String output = output(process);
        assertThat(process.exitValue()).as(output).isNotZero();
        return output;
    }

    private static String output(final Process process) throws Exception {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    private static long millis(final Process process) throws Exception {
        final long start = System.nanoTime();
        end(process);
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }
}
