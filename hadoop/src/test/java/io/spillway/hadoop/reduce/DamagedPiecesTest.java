// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that are not what the map wrote, where the map wrote checksums of blocks. */
@Timeout(120)
class DamagedPiecesTest {
    private static final int MAPS = 3;
    private static final int WINDOW = 1024;

    private final Random random = new Random(11);
    private final MemoryTransport transport = new MemoryTransport(11);
    private final List<TestSegment> segments = new ArrayList<>();

    @TempDir Path localDir;

    @AfterEach
    void close() {
        transport.close();
    }

    private ReduceFixture task(final boolean streamed, final CompressionCodec codec)
            throws IOException {
        final ReduceFixture task = new ReduceFixture(MAPS, localDir);
        task.codec = codec;
        if (streamed) {
            task.minimalBuffer(WINDOW);
        }
        for (int map = 0; map < MAPS; map++) {
            segments.add(TestSegment.random(random, 400, 60, codec));
            transport.put(
                    ReduceFixture.node(map),
                    ReduceFixture.map(map, 0).toString(),
                    segments.get(map));
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map));
        }
        return task;
    }

    private static CompressionCodec zlib() {
        final DefaultCodec codec = new DefaultCodec();
        codec.setConf(new org.apache.hadoop.conf.Configuration(false));
        return codec;
    }

    static Stream<Arguments> ways() {
        return Stream.of(
                Arguments.of(false, null),
                Arguments.of(true, null),
                Arguments.of(false, zlib()),
                Arguments.of(true, zlib()));
    }

    private long damagedPieces(final ReduceFixture task) {
        return task.figure(ShuffleCounter.DAMAGED_PIECES);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void everyPieceDamagedOnTheWayOnceIsFetchedAgain(
            final boolean streamed, final CompressionCodec codec) throws Exception {
        final ReduceFixture task = task(streamed, codec);
        final Set<String> struck = ConcurrentHashMap.newKeySet();
        transport.damage((segment, offset) -> struck.add(segment + " " + offset));

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

        assertThat(task.reported()).isEmpty();
        assertThat(damagedPieces(task)).isEqualTo(struck.size());
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aMapWhoseOutputIsDamagedIsRunAgainAndTheAttemptGoesOn(
            final boolean streamed, final CompressionCodec codec) throws Exception {
        final ReduceFixture task = task(streamed, codec);
        // The run-again map is known before so many tries have failed that a reducer gives up.
        task.conf.setLong(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, 5000);
        final TestSegment whole = segments.get(1);
        transport.put(
                ReduceFixture.node(1),
                ReduceFixture.map(1, 0).toString(),
                whole.corrupted(whole.bytes().length - 100));
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread master = runAgainWhenReported(task, whole);

        final List<TestSegment.Entry> read = IteratedRecords.readAll(shuffle.run());
        master.join();

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertThat(task.reported())
                .containsOnly(ReduceFixture.map(1, 0))
                .hasSizeGreaterThanOrEqualTo(3);
        assertThat(damagedPieces(task)).isGreaterThanOrEqualTo(2);
    }

    private Thread runAgainWhenReported(final ReduceFixture task, final TestSegment rerun) {
        transport.put(ReduceFixture.node(0), ReduceFixture.map(1, 1).toString(), rerun);
        final Thread master =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> task.reported().size() < 3);
                            task.event(ReduceFixture.map(1, 0), Status.OBSOLETE);
                            task.succeeded(ReduceFixture.map(1, 1), ReduceFixture.node(0));
                        });
        master.start();
        return master;
    }

    /** Damaged lengths of records, keys, values, compressed bytes, the end marker, the CRC. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noRecordOfADamagedPieceIsEverSeen(final boolean compressed) throws Exception {
        for (int step = 0; step < 24; step++) {
            segments.clear();
            try (MemoryTransport nodes = new MemoryTransport(step)) {
                final ReduceFixture task = new ReduceFixture(1, localDir).minimalBuffer(WINDOW);
                task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "0");
                task.codec = compressed ? zlib() : null;
                final TestSegment whole = TestSegment.random(random, 400, 60, task.codec);
                final int length = whole.bytes().length;
                final int at = step < 8 ? WINDOW + step : length - 1 - (step - 8);
                assertThat(at).isGreaterThanOrEqualTo(WINDOW);
                nodes.put(
                        ReduceFixture.node(0),
                        ReduceFixture.map(0, 0).toString(),
                        whole.corrupted(at));
                task.succeeded(ReduceFixture.map(0, 0), ReduceFixture.node(0));
                final RawKeyValueIterator iterator = task.shuffle(nodes).run();
                final List<TestSegment.Entry> read = new ArrayList<>();

                assertThatThrownBy(
                                () -> {
                                    while (iterator.next()) {
                                        read.add(IteratedRecords.entry(iterator));
                                    }
                                })
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("Damaged map output of")
                        .hasMessageContaining(ReduceFixture.map(0, 0) + " at node0:13562")
                        .hasMessageContaining("tier memory");

                assertThat(read).isEqualTo(whole.records().subList(0, read.size()));
                assertThat(task.reported()).contains(ReduceFixture.map(0, 0));
            }
        }
    }

    /** Other pieces of the stream arrive meanwhile, again and again: they prove nothing. */
    @Test
    @Timeout(60)
    void anAttemptWhoseMapIsNotRunAgainFailsInTime() throws Exception {
        final ReduceFixture task =
                task(true, null)
                        .set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "12k")
                        .set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "4000");
        final TestSegment whole = segments.get(1);
        transport.put(
                ReduceFixture.node(1),
                ReduceFixture.map(1, 0).toString(),
                whole.corrupted(whole.bytes().length / 2));
        final RawKeyValueIterator iterator = task.shuffle(transport).run();

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Damaged map output of");
    }

    @Test
    void aReducerThatStopsEarlyHasSeenVerifiedRecordsOnly() throws Exception {
        final ReduceFixture task = task(true, null);
        final TestSegment whole = segments.get(2);
        transport.put(
                ReduceFixture.node(2),
                ReduceFixture.map(2, 0).toString(),
                whole.corrupted(whole.bytes().length - 10));
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            assertThat(iterator.next()).isTrue();
            read.add(IteratedRecords.entry(iterator));
        }

        shuffle.close();

        assertThat(read).isEqualTo(TestSegment.merged(segments).subList(0, 20));
        assertThat(transport.isClosed()).isTrue();
    }

    @Test
    void damageWhileAnotherAttemptIsComparedDoesNotMakeItUnfit() throws Exception {
        final ReduceFixture task = task(true, null);
        final TestSegment whole = segments.get(1);
        transport.put(
                ReduceFixture.node(1),
                ReduceFixture.map(1, 0).toString(),
                whole.corrupted(whole.bytes().length - 100));
        final Set<String> struck = ConcurrentHashMap.newKeySet();
        final String rerun = ReduceFixture.map(1, 1).toString();
        transport.damage(
                (segment, offset) ->
                        segment.output().equals(rerun) && struck.add(segment + " " + offset));
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread master = runAgainWhenReported(task, whole);

        final List<TestSegment.Entry> read = IteratedRecords.readAll(shuffle.run());
        master.join();

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertThat(struck).isNotEmpty();
    }
}
