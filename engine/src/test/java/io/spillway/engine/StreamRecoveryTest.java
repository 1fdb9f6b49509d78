// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.spi.EventNeed;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.ShuffleError;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When a merge asks a lost source again, reports it and gives it up, to the millisecond. */
@Timeout(60)
class StreamRecoveryTest {
    private static final OutputId LOST = LostStreams.first(1);

    @TempDir Path localDir;

    private LostStreams merge;

    @BeforeEach
    void create() throws IOException {
        merge = new LostStreams(2, localDir);
    }

    @AfterEach
    void close() {
        merge.close();
    }

    private LostStreams merge(final SpillwayTimes times) throws IOException {
        merge.task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), Long.toString(times.retry));
        merge.task.set(EngineKeys.SHUFFLE_RERUN_WAIT.name(), Long.toString(times.rerun));
        return merge.begin();
    }

    private record SpillwayTimes(long retry, long rerun) {}

    private void requireFailsAfter(final long millis) throws IOException {
        merge.lose(1, Reason.DISCONNECTED);
        merge.shuffle.pass(millis - 1);
        assertThat(merge.hasFailed(1)).as("given up before its time").isFalse();
        merge.shuffle.pass(1);
        assertThat(merge.hasFailed(1)).as("given up").isTrue();
    }

    // ---- rests ---------------------------------------------------------------------------------

    @Test
    void aLostNodeIsAskedAgainAfterRestsThatDoubleUpToThreeSeconds() throws IOException {
        merge.begin().lose(1, Reason.DISCONNECTED);

        assertThat(merge.shuffle.refusalTimes(TaskFixture.node(1), 13_000))
                .containsExactly(100L, 300L, 700L, 1500L, 3100L, 6100L, 9100L, 12_100L);
    }

    @Test
    void theRestsBeginAnewWhenItHasServedInBetween() throws IOException {
        merge.begin().lose(1, Reason.DISCONNECTED);
        merge.shuffle.pass(700);
        merge.bringBack(1);
        merge.shuffle.pass(800);
        assertThat(merge.shuffle.report.get(ShuffleCounter.STREAMS_RESUMED)).isOne();

        merge.lose(1, Reason.DISCONNECTED);

        assertThat(merge.shuffle.refusalTimes(TaskFixture.node(1), 400))
                .containsExactly(100L, 300L);
        merge.bringBack(1);
        merge.requireRest();
    }

    @Test
    void aStreamThatItsNodeRefusesIsAskedForAgainAfterThreeSeconds() throws IOException {
        merge.begin();
        merge.shuffle.script(
                (node, segment, offset) ->
                        segment.output().equals(LOST.toString()) ? Reason.NOT_FOUND : null);
        merge.take(1, 1);
        final int asked = merge.shuffle.askedOf(LOST).size();

        merge.shuffle.pass(2999);
        assertThat(merge.shuffle.askedOf(LOST)).hasSize(asked);
        merge.shuffle.pass(1);
        assertThat(merge.shuffle.askedOf(LOST).size()).isGreaterThan(asked);

        merge.shuffle.script((node, segment, offset) -> null);
        merge.requireRest();
        assertThat(merge.task.reported()).containsExactly(LOST);
    }

    // ---- reports -------------------------------------------------------------------------------

    @Test
    void aLostSourceIsReportedAgainWhenTenSecondsHavePassed() throws IOException {
        merge.begin().lose(1, Reason.DISCONNECTED);

        merge.shuffle.pass(9_999);
        assertThat(merge.task.reported()).containsExactly(LOST);
        merge.shuffle.pass(2_101); // the next time that the node is asked
        assertThat(merge.task.reported()).containsExactly(LOST, LOST);
        assertThat(merge.task.counters.failedFetches()).isEqualTo(2);
    }

    @Test
    void aSourceThatTheMasterKnowsToBeLostIsNotReported() throws IOException {
        merge.begin().shuffle.withdraw(LOST);
        merge.lose(1, Reason.DISCONNECTED);
        merge.shuffle.pass(30_000);

        assertThat(merge.task.reported()).isEmpty();
        assertThat(merge.task.counters.failedFetches()).isZero();
        assertThat(merge.hasFailed(1)).isFalse();
    }

    /** As many reports as have the map run again; more only when ten seconds have passed. */
    @Test
    void aPieceThatStaysDamagedIsReportedForARerunOnce() throws IOException {
        merge.begin();
        merge.shuffle.nodes.damage((segment, offset) -> segment.output().equals(LOST.toString()));
        merge.take(1, 1);
        assertThat(merge.task.reported()).containsExactly(LOST, LOST, LOST);

        merge.shuffle.pass(9_500);
        assertThat(merge.task.reported()).hasSize(3);
        merge.shuffle.nodes.damage((segment, offset) -> false);
        merge.shuffle.pass(3_000);
        merge.requireRest();
        assertThat(merge.task.reported()).containsOnly(LOST).hasSize(3);
    }

    @Test
    void aPieceThatStaysDamagedOfAnObsoleteMapIsNotReported() throws IOException {
        merge.begin().shuffle.withdraw(LOST);
        merge.shuffle.nodes.damage((segment, offset) -> segment.output().equals(LOST.toString()));
        merge.take(1, 1);
        merge.shuffle.pass(9_500);

        assertThat(merge.task.reported()).isEmpty();
    }

    // ---- patience ------------------------------------------------------------------------------

    @Test
    void aStreamIsGivenUpWhenItsTimeIsUp() throws IOException {
        merge(new SpillwayTimes(1500, 600_000));
        requireFailsAfter(1500);

        assertThatThrownBy(() -> merge.take(1, 100))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tried again for 1500 ms")
                .hasMessageContaining("(spillway.shuffle.stream.retry.ms=1500)");
        merge.shuffle.pool().verify();
        assertThat(merge.streams.get(1).claim.demand()).isZero();
        assertThat(merge.shuffle.pool().surplus()).as("memory that no stream uses").isZero();
        merge.take(0, Integer.MAX_VALUE);
        merge.requireAllOf(0);
        assertThat(merge.shuffle.pool().chunksOut()).isZero();
    }

    @Test
    void itsTimeBeginsAnewWhenItHasServedInBetween() throws IOException {
        merge(new SpillwayTimes(1500, 600_000)).lose(1, Reason.DISCONNECTED);
        merge.shuffle.pass(700);
        merge.bringBack(1);
        merge.shuffle.pass(800);

        requireFailsAfter(1500);
    }

    @Test
    void aStreamWhoseMapRunsAgainIsWaitedForLonger() throws IOException {
        merge(new SpillwayTimes(1500, 6100)).shuffle.withdraw(LOST);
        requireFailsAfter(6100);

        assertThatThrownBy(() -> merge.take(1, 100))
                .hasMessageContaining("spillway.shuffle.rerun.wait.ms=6100");
    }

    @Test
    void aStreamWhoseMapRunsAgainIsNeverWaitedForLessLong() throws IOException {
        merge(new SpillwayTimes(1500, 100)).shuffle.withdraw(LOST);
        requireFailsAfter(1500);
    }

    /** Its outputs are most likely there: nothing is reported, and nothing is given up. */
    @Test
    void aNodeThatIsBusyIsAskedEveryThreeSecondsAtLeast() throws IOException {
        merge(new SpillwayTimes(1500, 60_000)).lose(1, Reason.BUSY);

        long before = 0;
        final List<Long> times = merge.shuffle.refusalTimes(TaskFixture.node(1), 50_000);
        for (final long time : times) {
            assertThat(time - before).isBetween(125L, 3000L);
            before = time;
        }
        assertThat(times.size()).isGreaterThan(50_000 / 3000);
        assertThat(merge.task.reported()).isEmpty();
        merge.bringBack(1);
        merge.shuffle.pass(3000);
        merge.requireRest();
    }

    /** Completion events are asked for at once: a map that runs again may be the way on. */
    @Test
    void whileASourceIsLostTheEventsMatter() throws IOException {
        merge.begin();
        assertThat(merge.shuffle.eventNeed()).isEqualTo(EventNeed.STREAMS);
        merge.lose(1, Reason.DISCONNECTED);
        assertThat(merge.shuffle.eventNeed()).isEqualTo(EventNeed.LOST_STREAM);
    }

    @Test
    void whileASourceIsBusyTheEventsMatter() throws IOException {
        merge.begin().lose(1, Reason.BUSY);
        assertThat(merge.shuffle.eventNeed()).isEqualTo(EventNeed.LOST_STREAM);
    }

    // ---- sources that are not what they were ---------------------------------------------------

    /** Its chunks, and those to come, are the other streams'. */
    @Test
    void aStreamWhoseLengthsChangeIsReportedAndHoldsNoMemory() throws IOException {
        roomForMoreThanOneChunk();
        merge.begin();
        assertThat(merge.streams.get(1).queue.isEmpty()).isFalse();
        final TestSegment longer = TestSegment.random(new Random(1), 500, 200, null);
        merge.shuffle.nodes.put(TaskFixture.node(1), LOST.toString(), longer);
        merge.take(1, 1);

        requireGivenUp("Wrong length of map output of " + LOST);
        assertThat(merge.task.reported()).containsExactly(LOST);
        assertThat(merge.task.counters.failures(ShuffleError.WRONG_LENGTH)).isOne();
    }

    @Test
    void aStreamThatIsCorruptAtItsEndIsReportedForARerun() throws IOException {
        roomForMoreThanOneChunk();
        merge.beginWithoutChecksums();
        final TestSegment whole = merge.segments.get(1);
        final TestSegment damaged = whole.corrupted(whole.bytes().length - 10);
        merge.shuffle.nodes.put(TaskFixture.node(1), LOST.toString(), damaged);
        assertThatThrownBy(() -> merge.take(1, 100)).hasMessageContaining("were being merged");

        requireGivenUp("Checksum error in map output of " + LOST);
        assertThat(merge.task.reported()).containsExactly(LOST, LOST, LOST);
        assertThat(merge.task.counters.failures(ShuffleError.IO_ERROR)).isOne();
    }

    private void roomForMoreThanOneChunk() {
        merge.task
                .set(EngineKeys.SHUFFLE_WINDOWS.name(), "static")
                .set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "32k");
    }

    private void requireGivenUp(final String why) throws IOException {
        assertThat(merge.hasFailed(1)).isTrue();
        assertThatThrownBy(() -> merge.take(1, 1)).hasMessageContaining(why);
        assertThat(merge.streams.get(1).queue.isEmpty()).isTrue();
        assertThat(merge.streams.get(1).claim.held()).isZero();
        assertThat(merge.streams.get(1).claim.demand()).isZero();
        merge.shuffle.pool().verify();
        merge.take(0, Integer.MAX_VALUE);
        merge.requireAllOf(0);
        assertThat(merge.shuffle.pool().chunksOut()).isZero();
    }
}
