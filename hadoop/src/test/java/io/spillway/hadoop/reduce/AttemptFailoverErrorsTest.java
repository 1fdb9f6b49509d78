// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Attempts that fail while they are compared with what was merged of a source that is lost. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttemptFailoverErrorsTest {
    private static final int WINDOW = 1024;
    private static final int MAPS = 4;
    private static final int LOST = 2;
    private static final TaskAttemptID FIRST = ReduceFixture.map(LOST, 0);
    private static final TaskAttemptID SECOND = ReduceFixture.map(LOST, 1);
    private static final TaskAttemptID THIRD = ReduceFixture.map(LOST, 2);

    @TempDir Path localDir;

    private final Random random = new Random(21);
    private final MemoryTransport transport = new MemoryTransport(22);
    private final List<TestSegment> segments = new ArrayList<>();
    private final List<TestSegment.Entry> read = new ArrayList<>();
    private ReduceFixture task;

    @BeforeEach
    void serve() throws IOException {
        task = new ReduceFixture(MAPS, localDir).minimalBuffer(WINDOW);
        for (int map = 0; map < MAPS; map++) {
            segments.add(TestSegment.random(random, 3000, 200, null));
            put(ReduceFixture.map(map, 0), map, segments.get(map));
        }
    }

    @AfterEach
    void close() {
        transport.close();
    }

    private void put(final TaskAttemptID attempt, final int node, final TestSegment output) {
        transport.put(ReduceFixture.node(node), attempt.toString(), output);
        task.succeeded(attempt, ReduceFixture.node(node));
    }

    /** Some of it is merged. */
    private RawKeyValueIterator merge() throws Exception {
        final RawKeyValueIterator iterator = task.shuffle(transport).run();
        while (read.size() < 500 && iterator.next()) {
            read.add(IteratedRecords.entry(iterator));
        }
        return iterator;
    }

    private void requireRest(final RawKeyValueIterator iterator) throws Exception {
        read.addAll(IteratedRecords.readAll(iterator));
        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertThat(task.figure(ShuffleCounter.ATTEMPT_FAILOVERS)).isEqualTo(1);
    }

    /** The piece from this offset on is within what was merged. */
    private static boolean isCompared(final String attempt, final long offset) {
        return attempt.equals(SECOND.toString()) && offset == WINDOW;
    }

    @Test
    void aConnectionThatBreaksIsOpenedAgain() throws Exception {
        final AtomicInteger broken = new AtomicInteger();
        transport.script(
                (node, segment, offset) ->
                        isCompared(segment.output(), offset) && broken.incrementAndGet() <= 3
                                ? Reason.DISCONNECTED
                                : null);
        final RawKeyValueIterator iterator = merge();
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        put(SECOND, 9, segments.get(LOST));

        requireRest(iterator);

        assertThat(broken.get()).isGreaterThan(3);
        assertThat(task.reported()).doesNotContain(SECOND);
    }

    @Test
    void anAnswerThatTheNodeIsBusyIsNoVerdict() throws Exception {
        final AtomicInteger busy = new AtomicInteger();
        transport.script(
                (node, segment, offset) ->
                        isCompared(segment.output(), offset) && busy.incrementAndGet() <= 3
                                ? Reason.BUSY
                                : null);
        final RawKeyValueIterator iterator = merge();
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        put(SECOND, 9, segments.get(LOST));

        requireRest(iterator);

        assertThat(busy.get()).isGreaterThan(3);
        assertThat(task.reported()).doesNotContain(SECOND);
    }

    @Test
    void anAttemptWhoseOutputIsNotThereIsReportedAndTheNextOneTaken() throws Exception {
        transport.script(
                (node, segment, offset) ->
                        isCompared(segment.output(), offset) ? Reason.NOT_FOUND : null);
        final RawKeyValueIterator iterator = merge();
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        put(SECOND, 9, segments.get(LOST));
        final Thread master = runAgainWhenReported();

        requireRest(iterator);

        master.join();
        assertThat(task.reported()).contains(SECOND).doesNotContain(THIRD);
    }

    @Test
    void anAttemptThatIsDamagedWhereverItIsAskedIsReportedAndTheNextOneTaken() throws Exception {
        transport.damage((segment, offset) -> isCompared(segment.output(), offset));
        final RawKeyValueIterator iterator = merge();
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        put(SECOND, 9, segments.get(LOST));
        final Thread master = runAgainWhenReported();

        requireRest(iterator);

        master.join();
        assertThat(task.reported()).contains(SECOND).doesNotContain(THIRD);
    }

    private Thread runAgainWhenReported() {
        final Thread master =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> !task.reported().contains(SECOND));
                            put(THIRD, 10, segments.get(LOST));
                        });
        master.start();
        return master;
    }

    @Test
    void aFailureOfThisProcessFailsTheAttemptAndBlamesNoMap() throws Exception {
        transport.script(
                (node, segment, offset) ->
                        isCompared(segment.output(), offset) ? Reason.LOCAL : null);
        final RawKeyValueIterator iterator = merge();
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        put(SECOND, 9, segments.get(LOST));

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                .isInstanceOf(IOException.class)
                .hasStackTraceContaining("scripted");
        assertThat(task.reported()).doesNotContain(SECOND);
    }

    /** Its outputs are most likely there, but nothing says when it serves again. */
    @Test
    void aSourceThatIsBusyIsReplacedWhereAnotherAttemptHasTheSame() throws Exception {
        final RawKeyValueIterator iterator = merge();
        transport.refuse(ReduceFixture.node(LOST), Reason.BUSY);
        put(SECOND, 9, segments.get(LOST));

        requireRest(iterator);

        assertThat(task.reported()).isEmpty();
    }

    /** The MRAppMaster counts reports: each stands for one more reducer that cannot go on. */
    @Test
    void aLostSourceIsReportedOnceHoweverOftenItIsAsked() throws Exception {
        task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "2000");
        final RawKeyValueIterator iterator = merge();
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Lost map output");

        assertThat(transport.refusals(ReduceFixture.node(LOST))).isGreaterThan(2);
        assertThat(task.reported()).containsExactly(FIRST);
    }
}
