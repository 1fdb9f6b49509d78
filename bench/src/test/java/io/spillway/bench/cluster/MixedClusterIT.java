package io.spillway.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bench.compare.ComparisonResult;
import io.spillway.bench.compare.OutputCheck;
import io.spillway.bench.compare.Workload;
import io.spillway.bench.engine.Engine;
import io.spillway.bench.run.JobFigures;
import io.spillway.bench.run.JobListener;
import io.spillway.bench.run.JobResult;
import io.spillway.bench.run.JobSpec;
import io.spillway.report.ShuffleFigure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clusters that are not whole: some nodes stock, or a node lost while a job runs. */
class MixedClusterIT {
    private LocalCluster cluster;

    @AfterEach
    void stop() {
        if (cluster != null) {
            cluster.stop(true);
        }
    }

    @Test
    void reducersFetchFromStockNodesOverHttpAndFromTheOthersBySpillway() {
        // One task and one ApplicationMaster a node, so that maps run on both.
        cluster =
                Clusters.start(
                        ClusterSpec.defaults().withName("it-mixed").withStockNodes(1).withSlots(4));
        final ComparisonResult result =
                Clusters.compare(
                        cluster, Workload.INVERTED_INDEX, 16L << 20, OutputCheck.NONE, Map.of());
        final JobFigures job = Clusters.spillwayRun(result);

        assertThat(result.disagreements()).isEmpty();
        assertThat(Clusters.figure(job, ShuffleFigure.FETCH_SPILLWAY_BYTES)).isPositive();
        assertThat(Clusters.figure(job, ShuffleFigure.FETCH_HTTP_BYTES)).isPositive();
    }

    @Test
    void aJobSurvivesTheLossOfANodeAndItsOutputIsTheSame() throws IOException {
        cluster = Clusters.start(ClusterSpec.defaults().withName("it-loss"));
        final Path input = Path.of(cluster.dataFolder(), "in");
        write(input);
        final Path expected = Path.of(cluster.dataFolder(), "expected");
        final Path output = Path.of(cluster.dataFolder(), "out");
        assertThat(cluster.submit(wordCount(input, expected)).succeeded()).isTrue();

        final NodeKiller killer = new NodeKiller(cluster);
        final JobResult result =
                cluster.submit(wordCount(input, output).with(Engine.SPILLWAY), killer);

        assertThat(killer.hasKilled()).isTrue();
        assertThat(result.succeeded()).isTrue();
        assertThat(read(output)).isEqualTo(read(expected)).isNotEmpty();
        final JobFigures job = cluster.history().job(result.lastJobId(), Duration.ofSeconds(30));
        assertThat(job.counter("org.apache.hadoop.mapreduce.JobCounter", "NUM_KILLED_MAPS").total())
                .isPositive();
    }

    private static JobSpec wordCount(final Path input, final Path output) {
        return JobSpec.example("wordcount", input.toString(), output.toString())
                .with(Map.of("mapreduce.job.reduces", "2"));
    }

    /** More maps than run at a time, so that the node is lost with outputs on it. */
    private static void write(final Path input) throws IOException {
        Files.createDirectories(input);
        for (int file = 0; file < 12; file++) {
            final StringBuilder text = new StringBuilder();
            for (int word = 0; word < 20_000; word++) {
                text.append("word").append((word * 31L + file) % 5_003).append(' ');
            }
            Files.writeString(input.resolve("file-" + file), text);
        }
    }

    private static List<String> read(final Path output) throws IOException {
        try (Stream<Path> files = Files.list(output)) {
            return files.filter(file -> file.getFileName().toString().startsWith("part-"))
                    .sorted()
                    .flatMap(MixedClusterIT::lines)
                    .toList();
        }
    }

    private static Stream<String> lines(final Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Cuts the power of the node without the ApplicationMaster when some maps have ended. */
    private static final class NodeKiller implements JobListener {
        private final LocalCluster cluster;
        private final AtomicReference<String> job = new AtomicReference<>();
        private final AtomicBoolean killed = new AtomicBoolean();

        NodeKiller(final LocalCluster cluster) {
            this.cluster = cluster;
        }

        @Override
        public void onJob(final String jobId) {
            job.set(jobId);
        }

        @Override
        public void onProgress(final int mapPercent, final int reducePercent) {
            if (mapPercent >= 40 && killed.compareAndSet(false, true)) {
                cluster.crashNode(1 - cluster.nodeOfMaster(job.get()));
            }
        }

        boolean hasKilled() {
            return killed.get();
        }
    }
}
