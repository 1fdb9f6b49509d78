// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.hadoop.TestTlsConf;
import io.spillway.host.TestKeyStore;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that answer stock HTTP only, beside nodes that speak Spillway. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpFallbackTest {
    @TempDir Path localDir;

    private final Random random = new Random(5);
    private final MemoryTransport transport = new MemoryTransport(6);
    private final List<TestSegment> segments = new ArrayList<>();
    private StockServer stock;

    @BeforeEach
    void start() throws IOException {
        stock = new StockServer(ReduceFixture.SECRET);
        transport.refuse(stock.address(), Reason.NOT_SPILLWAY);
    }

    @AfterEach
    void close() {
        transport.close();
        stock.close();
    }

    /** Every second map is on the stock node. */
    private void serve(final ReduceFixture task, final int records) throws IOException {
        for (int map = 0; map < task.conf.getNumMapTasks(); map++) {
            final TestSegment segment = TestSegment.random(random, records, 100, task.codec);
            final String attempt = ReduceFixture.map(map, 0).toString();
            segments.add(segment);
            if (map % 2 == 0) {
                stock.segments.put(attempt, segment);
                task.succeeded(ReduceFixture.map(map, 0), stock.address());
            } else {
                transport.put(ReduceFixture.node(1), attempt, segment);
                task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(1));
            }
        }
    }

    private static long figure(final ReduceFixture task, final ShuffleCounter figure) {
        return task.figure(figure);
    }

    private long filesLeft() {
        try (Stream<Path> files = Files.walk(localDir)) {
            return files.filter(Files::isRegularFile).count();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void fetchesIntoMemoryWhatFits() throws Exception {
        final ReduceFixture task = new ReduceFixture(50, localDir);
        serve(task, 40);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

        long overHttp = 0;
        long all = 0;
        for (int map = 0; map < 50; map++) {
            overHttp += map % 2 == 0 ? segments.get(map).bytes().length : 0;
            all += segments.get(map).bytes().length;
        }
        assertThat(figure(task, ShuffleCounter.FETCH_HTTP_BYTES)).isEqualTo(overHttp);
        assertThat(figure(task, ShuffleCounter.FETCH_HTTP_DISK_BYTES)).isZero();
        assertThat(figure(task, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isEqualTo(all - overHttp);
        assertThat(task.count(TaskCounter.REDUCE_SHUFFLE_BYTES)).isEqualTo(all);
        assertThat(task.count(TaskCounter.SHUFFLED_MAPS)).isEqualTo(50);
        assertThat(stock.userAgents).as("by which nodes count it").containsExactly("Spillway");
    }

    @ParameterizedTest
    @CsvSource({"ip:127.0.0.1, DEFAULT", "dns:elsewhere, ALLOW_ALL"})
    void fetchesOverHttpsWhatTheJobTrusts(
            final String names, final String verifier, @TempDir final Path keys) throws Exception {
        final TestKeyStore key = TestKeyStore.make(keys.resolve("keys"), names);
        final ReduceFixture task = new ReduceFixture(4, localDir);
        TestTlsConf.set(task.conf, key, key);
        task.conf.set("hadoop.ssl.hostname.verifier", verifier);
        stock.close();
        stock = StockServer.withTls(ReduceFixture.SECRET, key.context());
        transport.refuse(stock.address(), Reason.NOT_SPILLWAY);
        serve(task, 40);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));
        assertThat(figure(task, ShuffleCounter.FETCH_HTTP_BYTES)).isPositive();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void putsOnDiskWhatDoesNotFitAndDeletesIt(final boolean compressed) throws Exception {
        final ReduceFixture task = new ReduceFixture(7, localDir).minimalBuffer(1024);
        if (compressed) {
            final DefaultCodec codec = new DefaultCodec();
            codec.setConf(task.conf);
            task.codec = codec;
        }
        serve(task, 900);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final var iterator = shuffle.run();
        assertThat(filesLeft()).isEqualTo(4);

        assertThat(IteratedRecords.readAll(iterator)).isEqualTo(TestSegment.merged(segments));

        assertThat(figure(task, ShuffleCounter.FETCH_HTTP_DISK_BYTES))
                .isEqualTo(figure(task, ShuffleCounter.FETCH_HTTP_BYTES))
                .isPositive();
        assertThat(figure(task, ShuffleCounter.PEAK_BUFFER_BYTES))
                .isLessThanOrEqualTo(ReduceFixture.withHeads(14 * 1024));
        assertThat(filesLeft()).isZero();
    }

    @Test
    void aTransferThatTheEndOfTheShuffleCutsShortLeavesNoFile() throws Exception {
        final ReduceFixture task = new ReduceFixture(1, localDir).minimalBuffer(1024);
        serve(task, 2000);
        stock.stalls = true;
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread closer =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> filesLeft() == 0);
                            shuffle.close();
                        });
        closer.start();

        assertThatThrownBy(shuffle::run).hasMessageContaining("closed");
        closer.join();
        assertThat(filesLeft()).isZero();
    }

    @Test
    void aFileThatChangedOnDiskIsNoticed() throws Exception {
        final ReduceFixture task = new ReduceFixture(1, localDir).minimalBuffer(1024);
        serve(task, 900);
        final var iterator = task.shuffle(transport).run();
        try (Stream<Path> files = Files.walk(localDir)) {
            final Path file = files.filter(Files::isRegularFile).findFirst().orElseThrow();
            final byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2] ^= 1;
            Files.write(file, bytes);
        }
        final List<TestSegment.Entry> read = new ArrayList<>();

        assertThatThrownBy(
                        () -> {
                            while (iterator.next()) {
                                read.add(IteratedRecords.entry(iterator));
                            }
                        })
                .hasMessageContaining("Checksum error in map output on local disk");
        assertThat(read)
                .isNotEmpty()
                .isEqualTo(TestSegment.merged(segments).subList(0, read.size()));
        assertThat(filesLeft()).isZero();
    }

    @Test
    void waitsWhenTheServerIsBusy() throws Exception {
        final ReduceFixture task = new ReduceFixture(4, localDir);
        serve(task, 40);
        stock.refusals.set(3);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));
        assertThat(task.count(TaskCounter.FAILED_SHUFFLE)).isZero();
    }

    @Test
    void fetchesAgainWhatWasCutOffOrCorrupt() throws Exception {
        final ReduceFixture task = new ReduceFixture(20, localDir);
        serve(task, 40);
        stock.cuts.set(2);
        final String corrupt = ReduceFixture.map(4, 0).toString();
        stock.segments.put(corrupt, segments.get(4).corrupted(99));
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread repair =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(
                                    () -> task.count(TaskReports.ERRORS, "IO_ERROR") < 3);
                            stock.segments.put(corrupt, segments.get(4));
                        });
        repair.start();

        assertThat(IteratedRecords.readAll(shuffle.run())).isEqualTo(TestSegment.merged(segments));
        assertThat(task.count(TaskReports.ERRORS, "IO_ERROR")).isGreaterThanOrEqualTo(3);
        assertThat(task.reported()).contains(ReduceFixture.map(4, 0));
        repair.join();
    }

    @Test
    void aReplyForAnotherReducerIsRefused() throws Exception {
        final ReduceFixture task = new ReduceFixture(2, localDir);
        serve(task, 40);
        stock.partition = 0;

        assertThatThrownBy(() -> task.readAll(transport)).isInstanceOf(IOException.class);
        assertThat(task.count(TaskReports.ERRORS, "WRONG_REDUCE")).isPositive();
    }

    @Test
    void aServerThatDoesNotKnowTheSecretIsNotBelieved() throws Exception {
        stock.close();
        stock = new StockServer(new SecretKeySpec(new byte[] {1, 2, 3}, "HmacSHA1"));
        transport.refuse(stock.address(), Reason.NOT_SPILLWAY);
        final ReduceFixture task = new ReduceFixture(1, localDir);
        serve(task, 40);

        assertThatThrownBy(() -> task.readAll(transport)).isInstanceOf(IOException.class);
        assertThat(task.count(TaskCounter.SHUFFLED_MAPS)).isZero();
    }
}
