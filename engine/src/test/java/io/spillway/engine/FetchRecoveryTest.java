// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.reduce.recovery.NodePatience;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.ShuffleError;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What failures count, report and delay while maps are copied, to the millisecond. */
@Timeout(60)
class FetchRecoveryTest {
    private static final int MAPS = 100;
    private static final int COPIED = 60;

    /** The map that fails, and its node. */
    private static final OutputId MAP = TaskFixture.map(COPIED, 0);

    private static final NodeAddress NODE = TaskFixture.node(1);

    @TempDir Path localDir;

    private final Random random = new Random(8);
    private TaskFixture task;
    private TestSegment segment;
    private SteppedShuffle shuffle;

    @BeforeEach
    void create() throws IOException {
        task = new TaskFixture(MAPS, localDir);
        task.maxPenaltyMillis = 60_000;
        segment = TestSegment.random(random, 50, 100, null);
    }

    @AfterEach
    void close() {
        shuffle.close();
    }

    /** So many are copied that failures do not end the reducer. */
    private void begin() throws IOException {
        shuffle = new SteppedShuffle(task);
        for (int map = 0; map < COPIED; map++) {
            shuffle.succeeded(TaskFixture.map(map, 0), TaskFixture.node(0), segment);
        }
        assertThat(task.counters.shuffledMaps()).isEqualTo(COPIED);
    }

    private void refuse(final Reason reason) {
        shuffle.nodes.refuse(NODE, reason);
    }

    private long errors(final ShuffleError error) {
        return task.counters.failures(error);
    }

    private long failed() {
        return task.counters.failedFetches();
    }

    private boolean isCopied() {
        return shuffle.map(COPIED).isCopied();
    }

    /** When the map was asked for, in milliseconds from {@code start} on. */
    private List<Long> times(final long start) {
        return shuffle.askedOf(MAP).stream().map(asked -> asked.atMillis() - start).toList();
    }

    // ---- nodes that cannot be reached ----------------------------------------------------------

    @Test
    void aNodeThatCannotBeReachedIsReportedAndAskedAgainAfterStocksDelays() throws IOException {
        begin();
        refuse(Reason.DISCONNECTED);
        shuffle.succeeded(MAP, NODE, segment);

        assertThat(task.reported()).containsExactly(MAP);
        assertThat(failed()).isOne();
        assertThat(errors(ShuffleError.IO_ERROR)).isOne();
        assertThat(errors(ShuffleError.CONNECTION)).isOne();
        assertThat(shuffle.refusalTimes(NODE, 30_000)).containsExactly(13_000L, 29_900L);
        assertThat(failed()).isEqualTo(3);

        refuse(null);
        shuffle.pass(25_000);
        assertThat(isCopied()).isTrue();
        assertThat(task.reported()).hasSize(3);
        shuffle.close();
        assertThat(shuffle.report.toJson()).contains("\"retries\":3");
    }

    /** Stock reports a connection that is refused at once, others when they add up. */
    @Test
    void aNodeThatDoesNotAnswerIsReportedWhenItHasFailedTooOften() throws IOException {
        begin();
        refuse(Reason.TIMED_OUT);
        shuffle.succeeded(MAP, NODE, segment);
        shuffle.refusalTimes(NODE, 13_000 + 16_900 + 21_970 + 28_561);
        assertThat(failed()).isEqualTo(5);
        assertThat(task.reported()).isEmpty();

        shuffle.pass(40_000);

        assertThat(failed()).isEqualTo(6);
        assertThat(task.reported()).containsExactly(MAP);
    }

    /** As stock, which asks for so many maps at a time. */
    @Test
    void twentyMapsOfANodeCountAtATime() throws IOException {
        begin();
        refuse(Reason.DISCONNECTED);
        for (int map = COPIED; map < COPIED + 25; map++) {
            shuffle.succeeded(TaskFixture.map(map, 0), NODE, segment);
        }
        assertThat(failed()).as("of the one that it was asked for").isOne();

        shuffle.pass(13_000);

        assertThat(failed()).isEqualTo(1 + 20);
    }

    @Test
    void aMapWithAnotherAttemptIsTakenFromThereAtOnce() throws IOException {
        begin();
        final OutputId other = TaskFixture.map(COPIED, 1);
        shuffle.nodes.silence(NODE);
        shuffle.succeeded(MAP, NODE, segment);
        shuffle.succeeded(other, TaskFixture.node(2), segment);
        assertThat(isCopied()).isFalse();

        // Breaks what is in flight; it has brought nothing, so that this is the node's failure.
        refuse(Reason.DISCONNECTED);
        shuffle.threads.settle();

        assertThat(isCopied()).isTrue();
        assertThat(shuffle.askedOf(other)).hasSize(1);
        assertThat(failed()).isOne();
    }

    @Test
    void noFailureCountsWhileANodeMayBeStartedAgain() throws IOException {
        task.fetchRetry = true;
        task.fetchRetryMillis = 3000;
        begin();
        refuse(Reason.DISCONNECTED);
        shuffle.succeeded(MAP, NODE, segment);

        assertThat(shuffle.refusalTimes(NODE, 2999)).containsExactly(1000L, 2000L);
        assertThat(failed()).isZero();
        assertThat(task.reported()).isEmpty();
        shuffle.pass(1);
        assertThat(failed()).isOne();
        assertThat(task.reported()).containsExactly(MAP);
        assertThat(errors(ShuffleError.CONNECTION)).isEqualTo(4);
    }

    // ---- nodes that are not ready --------------------------------------------------------------

    @Test
    void aBusyNodeRestsLongerEachTimeUpToEightSeconds() throws IOException {
        task.set(EngineKeys.SHUFFLE_RERUN_WAIT.name(), "60000");
        begin();
        refuse(Reason.BUSY);
        shuffle.succeeded(MAP, NODE, segment);

        final List<Long> times = shuffle.refusalTimes(NODE, 50_000);
        long before = 0;
        long most = 250;
        for (final long time : times) {
            assertThat(time - before).isBetween(most / 2 + 1, most);
            before = time;
            most = Math.min(2 * most, 8000);
        }
        assertThat(times.size()).isGreaterThan(6);
        assertThat(failed()).isZero();
        assertThat(task.reported()).isEmpty();
    }

    @Test
    void aBusyNodeCountsAsLostWhenAMapWouldHaveRunAgain() throws IOException {
        task.set(EngineKeys.SHUFFLE_RERUN_WAIT.name(), "20000");
        requirePatience(Reason.BUSY, 20_000);
    }

    @Test
    void aBusyNodeMayTakeTheTimeOfAStartHoweverShortTheWaitForMaps() throws IOException {
        task.set(EngineKeys.SHUFFLE_RERUN_WAIT.name(), "100");
        requirePatience(Reason.BUSY, NodePatience.START_MILLIS);
    }

    @Test
    void aNodeThatDoesNotKnowTheJobMayTakeTheTimeOfAStart() throws IOException {
        requirePatience(Reason.UNKNOWN_JOB, NodePatience.START_MILLIS);
    }

    private void requirePatience(final Reason reason, final long millis) throws IOException {
        begin();
        refuse(reason);
        shuffle.succeeded(MAP, NODE, segment);
        shuffle.pass(millis - 1);
        assertThat(failed()).as("counted in %d ms", millis - 1).isZero();
        shuffle.pass(8000);
        assertThat(failed()).as("counted after %d ms", millis).isOne();
        assertThat(errors(ShuffleError.CONNECTION)).isOne();
    }

    /** It was gone in between: it may be starting now. */
    @Test
    void aFailureOfAnotherKindGivesItItsTimeOnceMore() throws IOException {
        begin();
        refuse(Reason.UNKNOWN_JOB);
        shuffle.succeeded(MAP, NODE, segment);
        shuffle.pass(5000);
        refuse(Reason.DISCONNECTED);
        shuffle.pass(4999);
        assertThat(failed()).isOne();

        refuse(Reason.UNKNOWN_JOB);
        shuffle.pass(NodePatience.START_MILLIS);

        assertThat(failed()).isOne();
    }

    // ---- maps that fail ------------------------------------------------------------------------

    @Test
    void aMapThatIsNotThereIsReportedAndAskedForAgainAfterStocksDelay() throws IOException {
        begin();
        shuffle.script((node, id, offset) -> node.equals(NODE) ? Reason.NOT_FOUND : null);
        final long start = shuffle.now();
        shuffle.succeeded(MAP, NODE, segment);
        assertThat(task.reported()).containsExactly(MAP);
        assertThat(errors(ShuffleError.IO_ERROR)).isOne();
        assertThat(errors(ShuffleError.CONNECTION)).isZero();
        shuffle.script((node, id, offset) -> null);
        shuffle.pass(12_999);
        assertThat(times(start)).containsExactly(0L);
        shuffle.pass(1);

        assertThat(times(start)).containsExactly(0L, 13_000L);
        assertThat(isCopied()).isTrue();
    }

    @Test
    void aReplyOfImpossibleLengthsIsReportedAndAskedForAgain() throws IOException {
        begin();
        final long start = shuffle.now();
        final TestSegment wrong = TestSegment.stored(segment.bytes(), segment.rawLength() + 1);
        shuffle.succeeded(MAP, NODE, wrong);
        assertThat(task.reported()).containsExactly(MAP);
        assertThat(errors(ShuffleError.WRONG_LENGTH)).isOne();
        assertThat(errors(ShuffleError.IO_ERROR)).isZero();
        assertThat(shuffle.pool().chunksOut()).isEqualTo(chunksOfCopied());

        shuffle.nodes.put(NODE, MAP.toString(), segment);
        shuffle.pass(13_000);

        assertThat(times(start)).containsExactly(0L, 13_000L);
        assertThat(isCopied()).isTrue();
    }

    private int chunksOfCopied() {
        int chunks = 0;
        for (int map = 0; map < COPIED; map++) {
            chunks += shuffle.map(map).claims.get(0).held();
        }
        return chunks;
    }

    @Test
    void aPieceThatIsDamagedOnceIsFetchedAgainAtOnce() throws IOException {
        begin();
        shuffle.nodes.damage(
                (id, offset) ->
                        id.output().equals(MAP.toString()) && shuffle.askedOf(MAP).size() == 1);
        final long start = shuffle.now();
        shuffle.succeeded(MAP, NODE, segment);

        assertThat(times(start)).containsExactly(0L, 0L);
        assertThat(isCopied()).isTrue();
        assertThat(shuffle.report.get(ShuffleCounter.DAMAGED_PIECES)).isOne();
        assertThat(errors(ShuffleError.IO_ERROR)).isZero();
        assertThat(task.reported()).isEmpty();
    }

    /** Three reports have the map run again, and one is stock's for an error of reading. */
    @Test
    void aPieceThatIsDamagedAgainHasTheMapReportedForARerun() throws IOException {
        begin();
        shuffle.nodes.damage((id, offset) -> id.output().equals(MAP.toString()));
        final long start = shuffle.now();
        shuffle.succeeded(MAP, NODE, segment);

        assertThat(times(start)).containsExactly(0L, 0L);
        assertThat(task.reported()).hasSize(4).containsOnly(MAP);
        assertThat(errors(ShuffleError.IO_ERROR)).isOne();
        assertThat(failed()).isOne();
        assertThat(shuffle.report.get(ShuffleCounter.DAMAGED_PIECES)).isEqualTo(2);
        shuffle.pass(13_000);
        assertThat(times(start)).containsExactly(0L, 0L, 13_000L, 13_000L);
    }

    @Test
    void aSegmentThatIsCorruptTwiceHasTheMapReportedForARerunOnce() throws IOException {
        begin();
        shuffle.nodes.withoutChecksums();
        shuffle.succeeded(MAP, NODE, segment.corrupted(20));
        assertThat(task.reported()).hasSize(1);
        assertThat(errors(ShuffleError.IO_ERROR)).isOne();

        shuffle.pass(13_000);
        assertThat(task.reported()).hasSize(1 + 3 + 1);
        shuffle.pass(16_900);
        assertThat(task.reported()).hasSize(1 + 3 + 1 + 1).containsOnly(MAP);
        assertThat(failed()).isEqualTo(3);
        assertThat(isCopied()).isFalse();
    }

    @Test
    void failuresOfAHostHaveItsMapsReported() throws IOException {
        task.reportsReadErrors = false;
        begin();
        shuffle.script((node, id, offset) -> node.equals(NODE) ? Reason.NOT_FOUND : null);
        for (int map = COPIED; map < COPIED + 5; map++) {
            shuffle.succeeded(TaskFixture.map(map, 0), NODE, segment);
        }
        assertThat(task.reported()).isEmpty();

        shuffle.succeeded(TaskFixture.map(COPIED + 5, 0), NODE, segment);

        assertThat(task.reported()).containsExactly(TaskFixture.map(COPIED + 5, 0));
    }

    @Test
    void tooManyFailuresEndTheShuffle() throws IOException {
        shuffle = new SteppedShuffle(task);
        refuse(Reason.DISCONNECTED);
        for (int map = 0; map < 20; map++) {
            shuffle.succeeded(TaskFixture.map(map, 0), NODE, segment);
        }
        assertThat(shuffle.lives()).isTrue();

        shuffle.pass(13_000);

        assertThat(shuffle.lives()).isFalse();
        assertThatThrownBy(shuffle::copied).hasMessageContaining("MAX_FAILED_UNIQUE_FETCHES");
    }
}
