// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.hadoop.SpillwayCollector;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.handler.NodeStores;
import io.spillway.hadoop.job.MapReduceLayout;
import io.spillway.ifile.MapOutputRuns;
import io.spillway.node.LocalDirsLocator;
import io.spillway.node.LocalSegmentSource;
import io.spillway.store.pool.TierAdvertisement;
import io.spillway.store.tier.Tiers;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Maps that cannot enter the folders of their NodeManager, like maps of other users. Here their
 * advertisement names other folders.
 */
class DescriptorOutputTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final String MAP = "attempt_1700000000000_0001_m_000000_0";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Configuration conf = new Configuration(false);
    private final JobTokenSecretManager secrets = new JobTokenSecretManager();

    @TempDir private Path directory;
    private Path memory;
    private Path local;
    private MapFixture fixture;
    private NodeStores stores;
    private SecretKey secret;

    @BeforeEach
    void start() throws Exception {
        memory = Files.createTempDirectory(Path.of("/dev/shm"), "spillway-test-");
        local = Files.createDirectories(directory.resolve("local"));
        final Token<JobTokenIdentifier> token =
                new Token<>(new JobTokenIdentifier(new Text(JOB)), secrets);
        token.setService(new Text(JOB));
        secrets.addTokenForJob(JOB, token);
        secret = secrets.retrieveTokenSecret(JOB);
        fixture = new MapFixture(local, 2);
        fixture.conf.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, "io.spillway.hadoop.SpillwayShuffle");
        conf.set("yarn.nodemanager.local-dirs", local.toString());
        conf.set("spillway.store.memory.dir", memory.toString());
        conf.set("spillway.store.memory.limit", "64m");
        conf.set("spillway.store.memory.reserve", "0");
        conf.set("spillway.store.other.users", "true");
        stores = NodeStores.start(conf, application -> true);
        stores.serveOtherUsers(conf, secrets, Map.of(JOB, "user"));
        stores.offer(1);
        hideFolders();
    }

    @AfterEach
    void stop() throws IOException {
        stores.close();
        FileUtils.deleteDirectory(memory.toFile());
    }

    private void hideFolders() throws IOException {
        final TierAdvertisement told = TierAdvertisement.readFrom(local);
        new TierAdvertisement(
                        Map.of(
                                "memory",
                                new TierAdvertisement.Offer(directory.resolve("closed"), 1)),
                        told.process(),
                        told.epoch(),
                        told.versions(),
                        Optional.empty(),
                        told.socket())
                .writeTo(local);
    }

    /** Runs a map of so many records, with or without spills, and returns its folder. */
    private Path runMap(final int records) throws Exception {
        fixture.conf.setInt("mapreduce.task.io.sort.mb", 1);
        final MapOutputCollector.Context context = fixture.context(0, () -> {});
        context.getMapTask().setShuffleSecret(secret);
        final SpillwayCollector<Text, Text> collector = new SpillwayCollector<>();
        collector.init(context);
        for (int i = 0; i < records; i++) {
            collector.collect(new Text("key" + i), new Text("value" + i), i % 2);
        }
        collector.flush();
        collector.close();
        final Path made = fixture.lastOutput().getParent();
        final Path output = Files.createDirectories(made.resolve(MAP));
        try (Stream<Path> files = Files.list(made)) {
            for (final Path file : files.filter(found -> !found.equals(output)).toList()) {
                Files.move(file, output.resolve(file.getFileName()));
            }
        }
        return output;
    }

    private List<Path> lent() throws IOException {
        try (Stream<Path> all = Files.walk(memory)) {
            return all.filter(file -> file.toString().endsWith(".lent")).toList();
        }
    }

    private ServedSegment open(final LocalSegmentSource node, final int run) throws Exception {
        return (ServedSegment) node.open(JOB, new SegmentId(MAP, 1, run));
    }

    private LocalSegmentSource node() {
        return new LocalSegmentSource(
                new MapReduceLayout(),
                new LocalDirsLocator(List.of(local)),
                stores.roots(),
                job -> JOB.equals(job) ? "user" : null,
                new Lookup(conf));
    }

    @Test
    void anOutputThatFitsTheBufferIsOneRunInMemory() throws Exception {
        final Path output = runMap(500);

        assertThat(Files.size(output.resolve("file.out"))).isZero();
        assertThat(output.resolve(MapOutputRuns.dataFile(0))).isSymbolicLink();
        assertThat(lent())
                .containsExactly(Files.readSymbolicLink(output.resolve(MapOutputRuns.dataFile(0))));
        try (LocalSegmentSource node = node();
                ServedSegment segment = open(node, 0)) {
            assertThat(segment.tier()).isEqualTo(Tiers.MEMORY);
            assertThat(segment.records()).isEqualTo(250);
        }
        stores.reclaim(MapFixture.APPLICATION);
        awaitNothingLent();
    }

    @Test
    void spillsAreMergedIntoMemory() throws Exception {
        fixture.conf.set("spillway.spill.merge", "always");
        runMap(50_000);
        assertThat(lent()).hasSize(1);
        try (LocalSegmentSource node = node();
                ServedSegment segment = open(node, 0)) {
            assertThat(segment.records()).isEqualTo(25_000);
        }
    }

    /** Stock's handler accepts only files of the job's user. */
    @Test
    void forStockReducersTheOutputGoesToDisk() throws Exception {
        fixture.conf.unset(MRConfig.SHUFFLE_CONSUMER_PLUGIN);
        final Path output = runMap(50_000);
        assertThat(output.resolve("file.out")).isRegularFile();
        assertThat(Files.size(output.resolve("file.out"))).isPositive();
        assertThat(output.resolve("file.out.index")).exists();
        awaitNothingLent();
    }

    @Test
    void aTaskWithoutTheJobsSecretWritesToDisk() throws Exception {
        secret = JobTokenSecretManager.createSecretKey(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        final Path output = runMap(500);
        assertThat(Files.size(output.resolve("file.out"))).isPositive();
        assertThat(lent()).isEmpty();
    }

    private void awaitNothingLent() throws Exception {
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!lent().isEmpty() && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
        assertThat(lent()).isEmpty();
    }
}
