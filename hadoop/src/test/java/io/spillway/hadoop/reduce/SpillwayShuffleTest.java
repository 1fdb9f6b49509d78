// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.SpillwayShuffle;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.tcp.server.TcpListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MROutputFiles;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.SpillRecord;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The plug-in as Hadoop uses it: over TCP, and where it hands over to the stock shuffle. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SpillwayShuffleTest {
    @TempDir Path localDir;

    private final Random random = new Random(9);
    private final List<TestSegment> segments = new ArrayList<>();

    private static List<TestSegment.Entry> run(
            final ReduceFixture task, final SpillwayShuffle<Object, Object> shuffle)
            throws IOException, InterruptedException {
        shuffle.init(task.context());
        final List<TestSegment.Entry> read = IteratedRecords.readAll(shuffle.run());
        shuffle.close();
        return read;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void mergesWhatComesOverTcp(final boolean streamed) throws Exception {
        final ReduceFixture task = new ReduceFixture(12, localDir);
        if (streamed) {
            task.minimalBuffer(1024);
        }
        try (FileNode first = new FileNode();
                FileNode second = new FileNode()) {
            for (int map = 0; map < 12; map++) {
                final FileNode node = map % 2 == 0 ? first : second;
                segments.add(TestSegment.random(random, 1500, 100, null));
                node.put(localDir, ReduceFixture.map(map, 0).toString(), segments.get(map));
                task.succeeded(ReduceFixture.map(map, 0), node.address());
            }

            assertThat(run(task, new SpillwayShuffle<>())).isEqualTo(TestSegment.merged(segments));
        }
        assertThat(task.figure(ShuffleCounter.STOCK_FALLBACKS)).isZero();
        assertThat(task.count(TaskCounter.FAILED_SHUFFLE)).isZero();
    }

    @Test
    void aNodeOverTcpThatStartsAgainIsStreamedOn() throws Exception {
        final ReduceFixture task = new ReduceFixture(1, localDir).minimalBuffer(1024);
        segments.add(TestSegment.random(random, 4000, 200, null));
        final FileNode node = new FileNode();
        node.put(localDir, ReduceFixture.map(0, 0).toString(), segments.get(0));
        task.succeeded(ReduceFixture.map(0, 0), node.address());
        final SpillwayShuffle<Object, Object> shuffle = new SpillwayShuffle<>();
        shuffle.init(task.context());
        final var iterator = shuffle.run();
        final List<TestSegment.Entry> read = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            assertThat(iterator.next()).isTrue();
            read.add(IteratedRecords.entry(iterator));
        }
        node.listener.close();
        try (TcpListener again =
                TcpListener.bind(
                        new InetSocketAddress(
                                InetAddress.getLoopbackAddress(), node.address().port()),
                        node.server,
                        1)) {
            assertThat(again.address().getPort()).isEqualTo(node.address().port());
            read.addAll(IteratedRecords.readAll(iterator));
        }

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertThat(task.figure(ShuffleCounter.STREAMS_RESUMED)).isPositive();
        assertThat(task.figure(ShuffleCounter.ATTEMPT_FAILOVERS)).isZero();
        node.server.close();
    }

    /** LocalJobRunner: real map output files, read by the stock shuffle. */
    @Test
    void handsLocalMapOutputsToTheStockShuffle() throws Exception {
        final ReduceFixture task = new ReduceFixture(3, localDir);
        task.localMapFiles = new HashMap<>();
        for (int map = 0; map < 3; map++) {
            final TestSegment segment = TestSegment.random(random, 200, 50, null);
            segments.add(segment);
            final Path mapDir = Files.createDirectories(localDir.resolve("map" + map));
            final TaskAttemptID attempt = ReduceFixture.map(map, 0);
            task.localMapFiles.put(attempt, mapOutput(task.conf, mapDir, segment));
        }
        final SpillwayShuffle<Object, Object> shuffle = new SpillwayShuffle<>();

        final List<TestSegment.Entry> read = run(task, shuffle);

        assertThat(read)
                .containsExactlyInAnyOrderElementsOf(TestSegment.merged(segments))
                .isSortedAccordingTo((a, b) -> a.key().compareTo(b.key()));
        assertThat(task.figure(ShuffleCounter.STOCK_FALLBACKS)).isEqualTo(1);
    }

    private static MapOutputFile mapOutput(
            final JobConf jobConf, final Path directory, final TestSegment segment)
            throws IOException {
        final JobConf conf = new JobConf(jobConf);
        conf.set(MRConfig.LOCAL_DIR, directory.toString());
        final MROutputFiles files = new MROutputFiles();
        files.setConf(conf);
        final Path file = Path.of(files.getOutputFileForWrite(1000).toUri().getPath());
        Files.createDirectories(file.getParent());
        Files.write(file, segment.bytes());
        final SpillRecord index = new SpillRecord(ReduceFixture.PARTITION + 1);
        for (int partition = 0; partition < ReduceFixture.PARTITION; partition++) {
            index.putIndex(new IndexRecord(0, 2, 6), partition);
        }
        index.putIndex(
                new IndexRecord(0, segment.rawLength(), segment.bytes().length),
                ReduceFixture.PARTITION);
        index.writeToFile(files.getOutputIndexFileForWrite(1000), conf);
        return files;
    }

    @Test
    void aWrongSettingUsesTheStockShuffle() throws Exception {
        final ReduceFixture task = new ReduceFixture(0, localDir);
        task.set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), "-3");

        assertThat(run(task, new SpillwayShuffle<>())).isEmpty();
        assertThat(task.figure(ShuffleCounter.STOCK_FALLBACKS)).isEqualTo(1);
    }
}
