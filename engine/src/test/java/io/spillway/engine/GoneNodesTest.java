// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.spi.OutputId;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A memory node ends, or falls silent, with outputs that no other node has: most of a job's, as
 * where there is one memory node. The framework does not watch it.
 */
@Timeout(60)
class GoneNodesTest {
    private static final int MAPS = 7;
    private static final int ELSEWHERE = 5;
    private static final NodeAddress STORE = TaskFixture.node(20);

    @TempDir Path localDir;

    private LostStreams merge;

    @AfterEach
    void close() {
        merge.close();
    }

    /** Two maps are copied; the store, which fails, has the outputs of the others. */
    private void beginWithout(final Reason reason) throws IOException {
        beginWithout(reason, 600_000);
    }

    private void beginWithout(final Reason reason, final long rerunWaitMillis) throws IOException {
        merge = new LostStreams(MAPS, localDir);
        merge.task.maxPenaltyMillis = 60_000;
        merge.task.set(EngineKeys.SHUFFLE_RERUN_WAIT.name(), String.valueOf(rerunWaitMillis));
        merge.shuffle = new SteppedShuffle(merge.task);
        for (int map = ELSEWHERE; map < MAPS; map++) {
            merge.shuffle.succeeded(
                    LostStreams.first(map), TaskFixture.node(map), merge.segments.get(map));
        }
        merge.shuffle.nodes.refuse(STORE, reason);
        for (int map = 0; map < ELSEWHERE; map++) {
            final OutputId output = LostStreams.first(map);
            merge.shuffle.nodes.put(STORE, output.name(), merge.segments.get(map));
            merge.shuffle.nodes.elsewhere(TaskFixture.node(map), output.name(), STORE);
            merge.shuffle.succeeded(output, TaskFixture.node(map));
        }
    }

    /** Each output so often that the framework has its map run again for this reducer alone. */
    private void requireReportsForAll() {
        final List<OutputId> reported = merge.task.reported();
        final int often = merge.task.settings().failures.notificationsForRerun();
        for (int map = 0; map < ELSEWHERE; map++) {
            assertThat(Collections.frequency(reported, LostStreams.first(map)))
                    .isGreaterThanOrEqualTo(often);
        }
    }

    private void runAllAgain() throws IOException {
        for (int map = 0; map < ELSEWHERE; map++) {
            merge.shuffle.withdraw(LostStreams.first(map));
            merge.runAgain(map);
        }
        merge.shuffle.pass(20_000);
        merge.streams = merge.shuffle.copied();
        assertThat(merge.streams).as("copied").hasSize(MAPS);
        merge.requireRest();
    }

    @Test
    void outputsOfANodeThatHasEndedAreReportedAtOnce() throws IOException {
        beginWithout(Reason.DISCONNECTED);
        assertThat(merge.task.reported()).as("reports of the first map").isNotEmpty();
        merge.shuffle.pass(20_000); // the rest of the node
        requireReportsForAll();
        merge.shuffle.pass(300_000);
        merge.shuffle.requireLife();
        assertThat(merge.task.counters.failedFetches()).isZero();
        runAllAgain();
    }

    @Test
    void outputsOfASilentNodeAreReportedWhenItIsSilentAgain() throws IOException {
        beginWithout(Reason.TIMED_OUT);
        merge.shuffle.pass(1);
        assertThat(merge.task.reported()).as("after the first time-out").isEmpty();

        merge.shuffle.pass(60_000);
        requireReportsForAll();
        merge.shuffle.requireLife();
        runAllAgain();
    }

    @Test
    void aSilentNodeThatComesBackAtOnceCostsNoMap() throws IOException {
        beginWithout(Reason.TIMED_OUT);
        merge.shuffle.pass(1);
        merge.shuffle.nodes.refuse(STORE, null);
        merge.shuffle.pass(60_000);

        assertThat(merge.task.reported()).isEmpty();
        merge.streams = merge.shuffle.copied();
        assertThat(merge.streams).as("copied").hasSize(MAPS);
        merge.requireRest();
    }

    @Test
    void aReducerWhoseReportsChangeNothingEnds() throws IOException {
        beginWithout(Reason.DISCONNECTED, 30_000);
        merge.shuffle.pass(25_000);
        merge.shuffle.requireLife();

        merge.shuffle.pass(120_000);
        assertThat(merge.shuffle.lives()).as("after the time for maps that run again").isFalse();
        assertThat(merge.task.reported().size())
                .as("reports again meanwhile")
                .isGreaterThan(ELSEWHERE * merge.task.settings().failures.notificationsForRerun());
    }
}
