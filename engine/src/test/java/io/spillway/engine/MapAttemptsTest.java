// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.reduce.recovery.NodePatience;
import io.spillway.engine.reduce.segment.SegmentChecksum;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.spi.OutputId;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which attempt of a map is fetched, and what becomes of what was fetched of another. */
@Timeout(60)
class MapAttemptsTest {
    private static final OutputId FIRST = LostStreams.first(0);
    private static final OutputId SECOND = LostStreams.second(0);

    @TempDir Path localDir;

    private LostStreams merge;

    @AfterEach
    void close() {
        merge.close();
    }

    private SteppedShuffle copy(final int maps) throws IOException {
        merge = new LostStreams(maps, localDir);
        merge.shuffle = new SteppedShuffle(merge.task);
        return merge.shuffle;
    }

    /** Else the merge would begin without the map. */
    @Test
    void aMapWhoseCopiedHeadIsDroppedIsCopiedNoMore() throws IOException {
        final SteppedShuffle shuffle = copy(2);
        shuffle.succeeded(FIRST, TaskFixture.node(0), merge.segments.get(1));
        assertThat(shuffle.map(0).isCopied()).isTrue();

        shuffle.withdraw(FIRST);
        assertThat(shuffle.map(0).isCopied()).isFalse();
        assertThat(shuffle.pool().chunksOut()).as("chunks of the dropped head").isZero();
        shuffle.pool().verify();
        shuffle.succeeded(LostStreams.first(1), TaskFixture.node(1), merge.segments.get(1));
        shuffle.pass(1000);
        assertThat(shuffle.copied()).as("copied").isNull();
        shuffle.succeeded(SECOND, TaskFixture.node(9), merge.segments.get(0));
        shuffle.pass(1000);
        merge.streams = shuffle.copied();

        assertThat(merge.streams).hasSize(2);
        merge.requireRest();
        assertThat(merge.task.counters.shuffledMaps()).isEqualTo(2);
    }

    @Test
    void theAttemptThatHasRestedFirstIsAskedFirst() throws IOException {
        final SteppedShuffle shuffle = tenMapsOfWhichOneFails();
        final long start = shuffle.now();
        shuffle.pass(5000);
        shuffle.succeeded(SECOND, TaskFixture.node(9), merge.segments.get(0));
        assertThat(times(shuffle, FIRST, start)).containsExactly(0L);
        assertThat(times(shuffle, SECOND, start)).containsExactly(5000L);

        shuffle.pass(13_100);

        assertThat(times(shuffle, FIRST, start)).containsExactly(0L, 13_000L);
        assertThat(times(shuffle, SECOND, start)).containsExactly(5000L, 18_000L);
        assertThat(merge.task.reported()).containsExactlyInAnyOrder(FIRST, SECOND, FIRST, SECOND);
    }

    @Test
    void anotherAttemptIsAskedAtOnceWhenOneFails() throws IOException {
        final SteppedShuffle shuffle = tenMapsOfWhichOneFails();
        shuffle.script(
                (node, segment, offset) ->
                        segment.output().equals(FIRST.toString()) ? Reason.NOT_FOUND : null);
        shuffle.succeeded(SECOND, TaskFixture.node(9), merge.segments.get(0));
        shuffle.threads.settle();

        // The first one rests: the map is not taken from it before the second one was asked.
        assertThat(shuffle.map(0).isBegun()).isTrue();
        assertThat(shuffle.map(0).fetches().get(0).attempt).isEqualTo(SECOND);
    }

    /** Eight are copied, and the first attempt of map 0 is not to be had. */
    private SteppedShuffle tenMapsOfWhichOneFails() throws IOException {
        merge = new LostStreams(10, localDir);
        merge.task.maxPenaltyMillis = 60_000;
        merge.shuffle = new SteppedShuffle(merge.task);
        for (int map = 2; map < 10; map++) {
            merge.shuffle.succeeded(
                    LostStreams.first(map), TaskFixture.node(map), merge.segments.get(map));
        }
        merge.shuffle.script(
                (node, segment, offset) ->
                        segment.output().contains("_m_000000_") ? Reason.NOT_FOUND : null);
        merge.shuffle.succeeded(FIRST, TaskFixture.node(0), merge.segments.get(0));
        return merge.shuffle;
    }

    private static List<Long> times(
            final SteppedShuffle shuffle, final OutputId attempt, final long start) {
        return shuffle.askedOf(attempt).stream().map(asked -> asked.atMillis() - start).toList();
    }

    // ---- nodes that turn out to speak stock HTTP -----------------------------------------------

    /** No process listens there: requests over HTTP fail at once. */
    private static final NodeAddress DEAF = new NodeAddress("127.0.0.1", 1);

    /** What was begun over a channel cannot be finished over HTTP; what is complete stays. */
    @Test
    void whatWasBegunAtANodeThatAnswersHttpOnlyIsFetchedFromScratch() throws IOException {
        final SteppedShuffle shuffle = copy(4);
        final TestSegment small = TestSegment.of(List.of(new TestSegment.Entry("k", "v")), null);
        merge.segments.set(1, small);
        shuffle.succeeded(FIRST, DEAF, merge.segments.get(0));
        shuffle.succeeded(LostStreams.first(1), DEAF, small);
        shuffle.succeeded(LostStreams.first(2), TaskFixture.node(2), merge.segments.get(2));
        assertThat(shuffle.map(0).isComplete()).isFalse();
        assertThat(shuffle.map(1).isComplete()).isTrue();
        final SegmentFetch other = shuffle.map(2).fetches().get(0);

        shuffle.nodes.refuse(DEAF, Reason.NOT_SPILLWAY);
        shuffle.succeeded(LostStreams.first(3), DEAF, merge.segments.get(3));

        assertThat(shuffle.map(0).isCopied()).isFalse();
        assertThat(shuffle.map(0).isBegun()).isTrue();
        assertThat(shuffle.map(0).fetches().get(0).lengthsKnown()).isFalse();
        assertThat(shuffle.map(1).isCopied()).isTrue();
        assertThat(shuffle.map(2).fetches()).containsExactly(other);
        assertThat(other.isDropped()).isFalse();

        shuffle.nodes.refuse(DEAF, null);
        shuffle.pass(1000);
        merge.streams = shuffle.copied();
        assertThat(merge.streams).hasSize(4);
        merge.requireRest();
        assertThat(merge.task.reported()).isEmpty();
    }

    /** It may be starting: each failure over HTTP is followed by a question for Spillway. */
    @Test
    void aNodeThatFailsOverHttpIsAskedWhetherItSpeaksSpillway() throws IOException {
        final SteppedShuffle shuffle = copy(2);
        shuffle.nodes.refuse(DEAF, Reason.NOT_SPILLWAY);
        shuffle.succeeded(FIRST, DEAF, merge.segments.get(0));
        assertThat(shuffle.refusalTimes(DEAF, 4000).size()).isGreaterThan(2);
        assertThat(merge.task.counters.failedFetches()).isZero();
        assertThat(merge.task.reported()).isEmpty();

        shuffle.pass(NodePatience.START_MILLIS + 4000);

        assertThat(merge.task.counters.failedFetches()).isPositive();
    }

    // ---- maps that leave runs ------------------------------------------------------------------

    @Test
    void allRunsOfAMapGoOnWithAnotherAttempt() throws IOException {
        merge = new LostStreams(1, localDir);
        merge.task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "64k").runsPerMap = 8;
        merge.shuffle = new SteppedShuffle(merge.task);
        final TestSegment[] runs = new TestSegment[3];
        for (int run = 0; run < runs.length; run++) {
            runs[run] = TestSegment.random(new Random(run), run == 1 ? 110 : 2000, 200, null);
        }
        merge.shuffle.succeeded(FIRST, TaskFixture.node(0), runs);
        merge.shuffle.pass(300);
        merge.streams = merge.shuffle.copied();
        assertThat(merge.streams).hasSize(3);
        // The second run is merged whole, and ends within a piece.
        requireRun(1, runs[1]);
        assertThat(merge.streams.get(1).partLength())
                .isGreaterThan(merge.shuffle.pool().chunkSize());
        merge.shuffle.nodes.refuse(TaskFixture.node(0), Reason.DISCONNECTED);
        merge.shuffle.succeeded(SECOND, TaskFixture.node(9), runs);

        requireRun(0, runs[0]);
        requireRun(2, runs[2]);
        assertThat(merge.shuffle.map(0).fetches())
                .extracting(fetch -> fetch.attempt)
                .containsExactly(SECOND, FIRST, SECOND);
        assertThat(merge.shuffle.pool().chunksOut()).isZero();
        assertThat(merge.shuffle.report.get(ShuffleCounter.ATTEMPT_FAILOVERS)).isOne();
    }

    private void requireRun(final int run, final TestSegment written) throws IOException {
        final byte[] whole = written.bytes();
        assertThat(merge.shuffle.take(merge.streams.get(run), Integer.MAX_VALUE))
                .isEqualTo(Arrays.copyOf(whole, whole.length - SegmentChecksum.LENGTH));
    }
}
