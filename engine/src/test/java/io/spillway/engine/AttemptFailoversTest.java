// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.reduce.recovery.NodePatience;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.spi.EventNeed;
import io.spillway.engine.spi.OutputId;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.SegmentId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When another attempt takes a lost or silent source's place, and when it does not, in steps. */
@Timeout(60)
class AttemptFailoversTest {
    private static final int LOST = 1;
    private static final OutputId FIRST = LostStreams.first(LOST);
    private static final OutputId SECOND = LostStreams.second(LOST);
    private static final OutputId THIRD = TaskFixture.map(LOST, 2);

    @TempDir Path localDir;

    private LostStreams merge;

    /** While this holds, the second attempts' node answers that it is busy. */
    private boolean held = true;

    @AfterEach
    void close() {
        merge.close();
    }

    private LostStreams begin(final int maps, final String... settings) throws IOException {
        merge = new LostStreams(maps, localDir);
        for (int i = 0; i < settings.length; i += 2) {
            merge.task.set(settings[i], settings[i + 1]);
        }
        merge.begin();
        merge.shuffle.script(
                (node, segment, offset) ->
                        held && segment.output().endsWith("_1") ? Reason.BUSY : null);
        return merge;
    }

    private long failovers() {
        return merge.shuffle.report.get(ShuffleCounter.ATTEMPT_FAILOVERS);
    }

    private OutputId current(final int map) {
        return merge.shuffle.map(map).fetches().get(0).attempt;
    }

    /** It has brought bytes that nothing compares with the other attempt's. */
    @Test
    void aSourceThatIsBackBeforeTheComparisonEndsIsKept() throws IOException {
        begin(2).take(LOST, 3);
        merge.lose(LOST, Reason.DISCONNECTED);
        final TestSegment same = merge.segments.get(LOST);
        final TestSegment other = same.other(same.bytes().length - 100);
        merge.shuffle.succeeded(SECOND, TaskFixture.node(9), other);
        merge.bringBack(LOST);
        merge.shuffle.pass(200);
        assertThat(merge.shuffle.report.get(ShuffleCounter.STREAMS_RESUMED)).isOne();

        held = false;
        final int asked = merge.shuffle.askedOf(SECOND).size();
        merge.shuffle.pass(1000);

        assertThat(merge.shuffle.askedOf(SECOND).size()).as("compared").isGreaterThan(asked + 2);
        assertThat(failovers()).isZero();
        assertThat(current(LOST)).isEqualTo(FIRST);
        merge.requireRest();
    }

    @Test
    void aSourceThatStaysLostIsReplacedWhenTheComparisonEnds() throws IOException {
        begin(2).take(LOST, 3);
        merge.lose(LOST, Reason.DISCONNECTED);
        merge.runAgain(LOST);
        merge.shuffle.pass(200);
        assertThat(failovers()).isZero();

        held = false;
        merge.shuffle.pass(100);

        assertThat(failovers()).isOne();
        assertThat(current(LOST)).isEqualTo(SECOND);
        merge.requireRest();
        assertThat(other().node.inFlight()).as("requests of which no answer came").isZero();
    }

    /** Each comparison has a chunk beyond the budget. */
    @Test
    void noMoreThanFourAreComparedAtATime() throws IOException {
        begin(6);
        for (int map = 0; map < 6; map++) {
            merge.lose(map, Reason.DISCONNECTED);
            merge.runAgain(map);
        }
        merge.shuffle.pass(5000);
        final long compared =
                merge.shuffle.asked.stream()
                        .map(SteppedShuffle.Asked::attempt)
                        .filter(attempt -> attempt.endsWith("_1"))
                        .distinct()
                        .count();
        assertThat(compared).isEqualTo(4);

        held = false;
        merge.shuffle.pass(5000);

        assertThat(failovers()).isEqualTo(6);
        merge.requireRest();
    }

    @Test
    void anAttemptThatIsLostWhileItIsComparedGivesWayToTheNext() throws IOException {
        begin(2).lose(LOST, Reason.DISCONNECTED);
        merge.runAgain(LOST);
        merge.shuffle.pass(200);
        final int asked = merge.shuffle.askedOf(SECOND).size();
        assertThat(asked).isPositive();

        merge.shuffle.withdraw(SECOND);
        held = false;
        merge.shuffle.pass(2000);
        assertThat(merge.shuffle.askedOf(SECOND)).hasSize(asked);
        assertThat(failovers()).isZero();
        merge.shuffle.succeeded(THIRD, TaskFixture.node(8), merge.segments.get(LOST));

        merge.requireRest();
        assertThat(failovers()).isOne();
        assertThat(merge.task.reported()).containsExactly(FIRST);
    }

    /** An event of another attempt is none of the comparison's. */
    @Test
    void aComparisonGoesOnWhenAnotherAttemptIsLost() throws IOException {
        begin(2).lose(LOST, Reason.DISCONNECTED);
        merge.runAgain(LOST);
        merge.shuffle.succeeded(THIRD, TaskFixture.node(8), merge.segments.get(LOST));
        merge.shuffle.pass(200);
        merge.shuffle.withdraw(THIRD);
        held = false;
        merge.shuffle.pass(100);

        assertThat(current(LOST)).isEqualTo(SECOND);
        merge.requireRest();
    }

    @Test
    void aStreamIsNotGivenUpWhileAnotherAttemptIsCompared() throws IOException {
        begin(2, EngineKeys.SHUFFLE_STREAM_RETRY.name(), "1000").lose(LOST, Reason.DISCONNECTED);
        merge.shuffle.pass(800);
        merge.runAgain(LOST);
        merge.shuffle.pass(900);
        assertThat(merge.hasFailed(LOST)).isFalse();
        held = false;
        merge.shuffle.pass(100);

        assertThat(failovers()).isOne();
        merge.requireRest();
    }

    /** Else an attempt on a node that is busy for long would be reported like one that is lost. */
    @Test
    void anAttemptWhoseNodeIsBusyForLongIsAskedAgainLater() throws IOException {
        begin(2, EngineKeys.SHUFFLE_STREAM_RETRY.name(), "1000");
        merge.shuffle.withdraw(FIRST);
        merge.lose(LOST, Reason.DISCONNECTED);
        merge.runAgain(LOST);
        merge.shuffle.pass(20_000);
        assertThat(merge.hasFailed(LOST)).isFalse();
        held = false;
        merge.shuffle.pass(7000);

        assertThat(failovers()).isOne();
        assertThat(merge.task.reported()).isEmpty();
        merge.requireRest();
    }

    /** What came behind a gap did not go on: the successor asks for it again. */
    @Test
    void piecesBehindAGapAreGivenBackWhenAnotherAttemptTakesOver() throws IOException {
        held = false;
        begin(
                2,
                EngineKeys.SHUFFLE_WINDOWS.name(),
                "static",
                EngineKeys.SHUFFLE_BUFFER_BYTES.name(),
                "16k",
                EngineKeys.SHUFFLE_HEDGE.name(),
                "1000");
        final long gap = merge.streams.get(LOST).requestedBytes();
        merge.shuffle.nodes.lose(
                (node, segment, offset) ->
                        segment.output().equals(FIRST.toString()) && offset == gap);
        merge.take(LOST, 1);
        merge.take(LOST, 1);
        assertThat(merge.streams.get(LOST).requests()).as("in flight").isOne();
        assertThat(merge.shuffle.askedOf(FIRST)).anyMatch(asked -> asked.offset() > gap);
        merge.runAgain(LOST);

        merge.shuffle.pass(1500);

        assertThat(current(LOST)).isEqualTo(SECOND);
        merge.shuffle.pool().verify();
        merge.requireRest();
    }

    // ---- silence -------------------------------------------------------------------------------

    private SteppedShuffle copy(final String hedge) throws IOException {
        merge = new LostStreams(2, localDir);
        merge.task.set(EngineKeys.SHUFFLE_HEDGE.name(), hedge);
        merge.shuffle = new SteppedShuffle(merge.task);
        merge.shuffle.nodes.silence(TaskFixture.node(1));
        merge.shuffle.succeeded(FIRST, TaskFixture.node(1), merge.segments.get(1));
        merge.shuffle.succeeded(SECOND, TaskFixture.node(9), merge.segments.get(1));
        return merge.shuffle;
    }

    @Test
    void aNodeIsSilentWhenItsTimeIsUp() throws IOException {
        final SteppedShuffle shuffle = copy("1000");
        shuffle.pass(999);
        assertThat(shuffle.askedOf(SECOND)).isEmpty();
        shuffle.pass(1);
        assertThat(shuffle.askedOf(SECOND)).isNotEmpty();
        assertThat(current(1)).isEqualTo(SECOND);
        assertThat(shuffle.map(1).candidates().iterator().next().node.inFlight())
                .as("requests over a connection that was closed")
                .isZero();
        shuffle.pool().verify();
        shuffle.close();
        // The hedge, and the request that the closed connection has failed.
        assertThat(shuffle.report.toJson()).contains("\"retries\":2");
    }

    @Test
    void aNodeMayBeSilentForEverWhereThatIsSwitchedOff() throws IOException {
        final SteppedShuffle shuffle = copy("none");
        shuffle.pass(30_000);
        assertThat(shuffle.askedOf(SECOND)).isEmpty();
        assertThat(current(1)).isEqualTo(FIRST);
    }

    /** Its events are asked for, as another attempt may come. */
    @Test
    void aMergeWithASilentSourceWaitsForAnotherAttempt() throws IOException {
        held = false;
        begin(2, EngineKeys.SHUFFLE_HEDGE.name(), "1000");
        merge.shuffle.nodes.silence(TaskFixture.node(LOST));
        merge.take(LOST, 1);
        merge.shuffle.pass(500);
        assertThat(merge.shuffle.eventNeed()).isEqualTo(EventNeed.STREAMS);
        merge.shuffle.pass(1000);
        assertThat(merge.shuffle.eventNeed()).isEqualTo(EventNeed.LOST_STREAM);
        assertThat(failovers()).isZero();
        merge.runAgain(LOST);
        merge.shuffle.pass(500);

        assertThat(failovers()).isOne();
        merge.requireRest();
    }

    // ---- attempts that cannot take over --------------------------------------------------------

    private void runAgainOtherwise() {
        final TestSegment other = merge.segments.get(LOST).other(20);
        merge.shuffle.succeeded(SECOND, TaskFixture.node(9), other);
        merge.shuffle.pass(100);
    }

    /** Its node is unhealthy or leaves the cluster, say. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anObsoleteSourceThatServesIsKept(final boolean same) throws IOException {
        held = false;
        begin(2).take(LOST, 3);
        merge.shuffle.withdraw(FIRST);
        if (same) {
            merge.runAgain(LOST);
        } else {
            runAgainOtherwise();
        }
        merge.take(LOST, 3);
        merge.shuffle.pass(5000);
        assertThat(merge.shuffle.askedOf(SECOND)).as("fetched for nothing").isEmpty();
        assertThat(merge.hasFailed(LOST)).isFalse();

        merge.requireRest();
        assertThat(failovers()).isZero();
        assertThat(merge.task.reported()).isEmpty();
    }

    @Test
    void anObsoleteSourceThatFailsLaterIsReplaced() throws IOException {
        held = false;
        begin(2).take(LOST, 3);
        merge.shuffle.withdraw(FIRST);
        merge.runAgain(LOST);
        merge.shuffle.pass(5000);
        merge.lose(LOST, Reason.DISCONNECTED);
        merge.shuffle.pass(500);

        assertThat(failovers()).isOne();
        assertThat(current(LOST)).isEqualTo(SECOND);
        merge.requireRest();
    }

    @Test
    void anObsoleteSourceMayComeBackWhenTheOutputIsNotTheSame() throws IOException {
        held = false;
        begin(2).shuffle.withdraw(FIRST);
        merge.lose(LOST, Reason.DISCONNECTED);
        runAgainOtherwise();
        merge.shuffle.pass(5000);
        merge.bringBack(LOST);
        merge.shuffle.pass(5000);

        assertThat(failovers()).isZero();
        merge.requireRest();
    }

    @Test
    void anObsoleteStreamFailsWhenItsSourceStaysAwayAndTheOutputIsNotTheSame() throws IOException {
        held = false;
        begin(2).shuffle.withdraw(FIRST);
        merge.lose(LOST, Reason.DISCONNECTED);
        runAgainOtherwise();
        assertThat(merge.hasFailed(LOST)).isFalse();
        merge.shuffle.pass(NodePatience.START_MILLIS + 3000);

        assertThat(merge.hasFailed(LOST)).isTrue();
        assertThatThrownBy(() -> merge.take(LOST, 1))
                .hasMessageContaining("Lost map output of " + FIRST)
                .hasMessageContaining("is not the same");
    }

    /** Its source may come back; the other attempt is not compared once more. */
    @Test
    void aStreamThatIsNotObsoleteWaitsWhenTheOutputIsNotTheSame() throws IOException {
        held = false;
        begin(2).lose(LOST, Reason.DISCONNECTED);
        runAgainOtherwise();
        final int asked = merge.shuffle.askedOf(SECOND).size();
        assertThat(asked).isPositive();
        merge.shuffle.pass(10_000);
        assertThat(merge.hasFailed(LOST)).isFalse();
        assertThat(merge.shuffle.askedOf(SECOND)).hasSize(asked);

        // A third one is compared: nothing stands in its way.
        merge.shuffle.succeeded(THIRD, TaskFixture.node(8), merge.segments.get(LOST));
        merge.shuffle.pass(100);
        assertThat(failovers()).isOne();
        merge.requireRest();
    }

    @Test
    void anAttemptThatIsNotThereIsReportedAndTheNextOneTaken() throws IOException {
        held = false;
        begin(2).lose(LOST, Reason.DISCONNECTED);
        final long failed = merge.task.counters.failedFetches();
        merge.shuffle.succeeded(SECOND, TaskFixture.node(9));
        merge.shuffle.pass(100);
        assertThat(merge.task.reported()).containsExactly(FIRST, SECOND);
        assertThat(merge.task.counters.failedFetches()).isEqualTo(failed + 1);
        assertThat(merge.shuffle.map(LOST).candidates())
                .extracting(candidate -> candidate.attempt)
                .containsExactly(FIRST);

        merge.shuffle.succeeded(THIRD, TaskFixture.node(8), merge.segments.get(LOST));
        merge.shuffle.pass(100);

        assertThat(failovers()).isOne();
        merge.requireRest();
    }

    @Test
    void anAttemptThatIsBusyForLongRestsForThreeSeconds() throws IOException {
        begin(2, EngineKeys.SHUFFLE_STREAM_RETRY.name(), "1000");
        merge.shuffle.withdraw(FIRST);
        merge.lose(LOST, Reason.DISCONNECTED);
        merge.runAgain(LOST);
        final long end = merge.shuffle.now() + 2000;
        while (other().notBeforeMillis() == 0 && merge.shuffle.now() < end) {
            merge.shuffle.pass(1);
        }

        assertThat(other().notBeforeMillis()).isEqualTo(merge.shuffle.now() + 3000);
        assertThat(merge.hasFailed(LOST)).isFalse();
    }

    /** Whether it says so at the door or at each request: it is no reason for a report. */
    @Test
    void anAttemptWhoseNodeLetsNoneInForLongIsNotReported() throws IOException {
        held = false;
        begin(2, EngineKeys.SHUFFLE_STREAM_RETRY.name(), "1000");
        merge.shuffle.withdraw(FIRST);
        merge.lose(LOST, Reason.DISCONNECTED);
        merge.shuffle.nodes.refuse(TaskFixture.node(9), Reason.BUSY);
        merge.runAgain(LOST);
        merge.shuffle.pass(5000);
        assertThat(other().notBeforeMillis()).isPositive();
        merge.shuffle.pass(5000);
        assertThat(merge.task.reported()).isEmpty();

        merge.bringBack(9);
        merge.shuffle.pass(10_000);

        assertThat(failovers()).isOne();
        merge.requireRest();
    }

    private MapSlot.Candidate other() {
        return merge.shuffle.map(LOST).candidates().stream().reduce((a, b) -> b).orElseThrow();
    }

    @Test
    void anObsoleteStreamFailsWhenTheMapRanAgainWhereThereIsStockHttpOnly() throws IOException {
        held = false;
        begin(2).shuffle.withdraw(FIRST);
        merge.shuffle.nodes.refuse(TaskFixture.node(9), Reason.NOT_SPILLWAY);
        merge.lose(LOST, Reason.DISCONNECTED);
        merge.runAgain(LOST);
        merge.shuffle.pass(NodePatience.START_MILLIS - 100);
        assertThat(merge.hasFailed(LOST)).isFalse();
        merge.shuffle.pass(200);

        assertThatThrownBy(() -> merge.take(LOST, 1)).hasMessageContaining("stock HTTP only");
        assertThat(merge.task.reported()).isEmpty();
    }

    /** It is not known when it serves again. */
    @Test
    void aBusySourceIsReplacedAtOnce() throws IOException {
        held = false;
        begin(2).runAgain(LOST);
        assertThat(merge.shuffle.askedOf(SECOND)).isEmpty();

        merge.lose(LOST, Reason.BUSY);
        merge.shuffle.pass(100);

        assertThat(failovers()).isOne();
        assertThat(current(LOST)).isEqualTo(SECOND);
        assertThat(current(0)).isEqualTo(LostStreams.first(0));
        merge.requireRest();
    }

    /** Other streams use the connection of a node that has lost this one's output only. */
    @Test
    void theConnectionOfANodeThatAnswersIsKept() throws IOException {
        begin(2);
        merge.shuffle.script(
                (node, segment, offset) ->
                        segment.output().equals(FIRST.toString()) ? Reason.NOT_FOUND : null);
        merge.take(LOST, 1);
        final Node node = merge.streams.get(LOST).node();
        final Channel channel = node.channel();
        assertThat(channel).isNotNull();
        merge.runAgain(LOST);
        merge.shuffle.pass(100);

        assertThat(failovers()).isOne();
        assertThat(node.channel()).isSameAs(channel);
        assertThat(channel.isOpen()).isTrue();
        merge.requireRest();
    }

    /** Its attempt fails when the merge comes to it: nothing more is fetched into its memory. */
    @Test
    void aStreamThatWasGivenUpIsNotTakenOver() throws IOException {
        begin(2).lose(LOST, Reason.DISCONNECTED);
        merge.runAgain(LOST);
        merge.shuffle.pass(200);
        final TestSegment longer = TestSegment.random(new Random(1), 500, 200, null);
        merge.shuffle.nodes.put(TaskFixture.node(LOST), FIRST.toString(), longer);
        merge.bringBack(LOST);
        merge.shuffle.pass(500);
        assertThat(merge.hasFailed(LOST)).isTrue();

        held = false;
        merge.shuffle.pass(5000);

        assertThat(failovers()).isZero();
        assertThat(merge.streams.get(LOST).claim.demand()).isZero();
        assertThat(merge.streams.get(LOST).claim.held()).isZero();
        assertThatThrownBy(() -> merge.take(LOST, 1)).hasMessageContaining("Wrong length");
        merge.take(0, Integer.MAX_VALUE);
        merge.requireAllOf(0);
        assertThat(merge.shuffle.pool().chunksOut()).isZero();
    }

    /** It waited for its turn to be compared. */
    @Test
    void aStreamThatWasGivenUpIsNotCompared() throws IOException {
        begin(6);
        for (int map = 0; map < 6; map++) {
            merge.lose(map, Reason.DISCONNECTED);
            merge.runAgain(map);
        }
        merge.shuffle.pass(2000);
        final int last =
                IntStream.range(0, 6)
                        .filter(map -> merge.shuffle.askedOf(LostStreams.second(map)).isEmpty())
                        .findFirst()
                        .orElseThrow();
        final TestSegment longer = TestSegment.random(new Random(1), 500, 200, null);
        merge.shuffle.nodes.put(TaskFixture.node(last), LostStreams.first(last).toString(), longer);
        merge.bringBack(last);
        merge.shuffle.pass(3000);
        assertThat(merge.hasFailed(last)).isTrue();

        held = false;
        merge.shuffle.pass(5000);

        assertThat(failovers()).isEqualTo(5);
        assertThat(merge.shuffle.askedOf(LostStreams.second(last))).isEmpty();
    }

    /** As long as it asks, a wait for it is not in vain. */
    @Test
    void theWatchdogWaitsForAComparisonThatTakesMinutes() throws IOException {
        begin(2, EngineKeys.SHUFFLE_STREAM_RETRY.name(), "600000");
        merge.lose(LOST, Reason.DISCONNECTED);
        merge.runAgain(LOST);
        final long end = merge.shuffle.now() + 300_000;
        merge.shuffle.script(
                (node, segment, offset) ->
                        segment.output().endsWith("_1") && merge.shuffle.now() < end
                                ? Reason.BUSY
                                : null);

        merge.requireRest();

        assertThat(merge.shuffle.now()).isGreaterThanOrEqualTo(end);
        assertThat(failovers()).isOne();
    }

    // ---- comparisons that fail -----------------------------------------------------------------

    /** The second attempt's node answers as this says; what was merged is of three pieces. */
    private void compare(final MemoryTransport.Script script) throws IOException {
        begin(2).take(LOST, 2);
        merge.shuffle.script(script);
        merge.lose(LOST, Reason.DISCONNECTED);
        merge.runAgain(LOST);
    }

    private static boolean isLaterPiece(final SegmentId segment, final long offset) {
        return segment.output().equals(SECOND.toString()) && offset == LostStreams.WINDOW;
    }

    private long timesAsked(final long offset) {
        return merge.shuffle.askedOf(SECOND).stream()
                .filter(asked -> asked.offset() == offset)
                .count();
    }

    @Test
    void aComparisonWhoseConnectionBreaksGoesOnOverAnother() throws IOException {
        compare(
                (node, segment, offset) ->
                        isLaterPiece(segment, offset) && timesAsked(offset) <= 2
                                ? Reason.DISCONNECTED
                                : null);
        merge.shuffle.pass(1000);

        assertThat(failovers()).isOne();
        assertThat(timesAsked(0)).as("what was compared is not asked for again").isOne();
        assertThat(merge.task.reported()).containsExactly(FIRST);
        merge.requireRest();
    }

    @Test
    void aFailureOfThisProcessWhileItComparesEndsTheShuffle() throws IOException {
        compare((node, segment, offset) -> isLaterPiece(segment, offset) ? Reason.LOCAL : null);
        merge.shuffle.pass(1000);

        assertThat(merge.shuffle.lives()).isFalse();
        assertThat(merge.task.reported()).containsExactly(FIRST);
    }

    @Test
    void aPieceThatIsDamagedOnceIsComparedAgain() throws IOException {
        compare((node, segment, offset) -> null);
        merge.shuffle.nodes.damage(
                (segment, offset) -> isLaterPiece(segment, offset) && timesAsked(offset) == 1);
        merge.shuffle.pass(1000);

        assertThat(failovers()).isOne();
        assertThat(timesAsked(LostStreams.WINDOW)).isEqualTo(2);
        assertThat(timesAsked(0)).isOne();
        merge.requireRest();
    }

    @Test
    void anAttemptThatStaysDamagedIsReported() throws IOException {
        compare((node, segment, offset) -> null);
        merge.shuffle.nodes.damage(AttemptFailoversTest::isLaterPiece);
        merge.shuffle.pass(100);

        assertThat(failovers()).isZero();
        assertThat(timesAsked(LostStreams.WINDOW)).isEqualTo(2);
        assertThat(merge.task.reported()).containsExactly(FIRST, SECOND);
    }

    @Test
    void anAttemptOfAnotherLengthIsNotTheSame() throws IOException {
        held = false;
        begin(2).shuffle.withdraw(FIRST);
        merge.lose(LOST, Reason.DISCONNECTED);
        merge.shuffle.succeeded(
                SECOND, TaskFixture.node(9), TestSegment.random(new Random(1), 500, 200, null));
        merge.shuffle.pass(100);

        assertThatThrownBy(() -> merge.take(LOST, 1))
                .hasMessageContaining("is not the same: partLength=");
        assertThat(merge.shuffle.askedOf(SECOND)).hasSize(1);
    }

    /** At the door or at each request: a node that starts knows its jobs within that time. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeThatDoesNotKnowTheJobHasTheTimeOfAStart(final boolean atTheDoor) throws IOException {
        compare(
                (node, segment, offset) ->
                        segment.output().equals(SECOND.toString()) ? Reason.UNKNOWN_JOB : null);
        if (atTheDoor) {
            merge.shuffle.nodes.refuse(TaskFixture.node(9), Reason.UNKNOWN_JOB);
        }
        merge.shuffle.pass(NodePatience.START_MILLIS - 10);
        assertThat(merge.task.reported()).doesNotContain(SECOND);
        merge.shuffle.pass(NodePatience.START_MILLIS);
        assertThat(merge.task.reported()).containsOnlyOnce(SECOND);
    }

    @Test
    void anAttemptOnANodeThatCannotBeReachedIsReportedWhenItsTimeIsUp() throws IOException {
        held = false;
        begin(2, EngineKeys.SHUFFLE_STREAM_RETRY.name(), "5000");
        merge.shuffle.withdraw(FIRST);
        merge.lose(LOST, Reason.DISCONNECTED);
        merge.shuffle.nodes.refuse(TaskFixture.node(9), Reason.DISCONNECTED);
        merge.runAgain(LOST);
        merge.shuffle.pass(5000);
        assertThat(merge.task.reported()).isEmpty();
        merge.shuffle.pass(100);

        assertThat(merge.task.reported()).containsExactly(SECOND);
        assertThat(merge.hasFailed(LOST)).as("the map may run once more").isFalse();
    }
}
