// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.TaskFixture;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.TaskCounters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where stock's numbers begin to count and where they end. */
class FetchFailuresEdgesTest {
    private static final long START = 1_000_000;

    @TempDir Path dir;

    private final List<OutputId> reported = new ArrayList<>();
    private TaskCounters failed;

    private FetchFailures rules(final int maps) {
        final TaskFixture task = new TaskFixture(maps, dir);
        task.maxPenaltyMillis = 60_000;
        failed = task.counters;
        return new FetchFailures(task.settings(), failed, reported::add, START);
    }

    private void failTimes(final int times) {
        IntStream.range(0, times).forEach(i -> failed.fetchFailed());
    }

    private static OutputId map(final int map) {
        return TaskFixture.map(map, 0);
    }

    private void fail(final FetchFailures rules, final int map, final int copied, final long now)
            throws IOException {
        rules.copyFailed(map(map), "h", false, false, copied, now);
    }

    private void requireGivesUp(
            final FetchFailures rules, final int map, final int copied, final long now) {
        assertThatThrownBy(() -> fail(rules, map, copied, now)).hasMessageContaining("bailing-out");
    }

    @Test
    void aMapOfALargeJobMayFailForATenthOfItsMaps() throws IOException {
        final FetchFailures rules = rules(500);
        for (int i = 1; i < 50; i++) {
            fail(rules, 0, 499, START);
        }
        assertThatThrownBy(() -> fail(rules, 0, 499, START))
                .hasMessage("50 failures downloading " + map(0));
    }

    @Test
    void aMapOfASmallJobMayFailThirtyTimes() throws IOException {
        final FetchFailures rules = rules(310);
        for (int i = 1; i < 31; i++) {
            fail(rules, 0, 309, START);
        }
        assertThatThrownBy(() -> fail(rules, 0, 309, START))
                .hasMessage("31 failures downloading " + map(0));
    }

    @Test
    void aSuccessEndsTheRowOfAMapsAndOfItsHostsFailures() throws IOException {
        final FetchFailures rules = rules(1000);
        for (int i = 0; i < 6; i++) {
            rules.hostFailed("h");
        }
        assertThat(rules.copyFailed(map(0), "h", false, false, 900, START)).isEqualTo(13_000);
        assertThat(reported).hasSize(1);

        rules.copySucceeded(map(0), "h", START);

        assertThat(rules.copyFailed(map(0), "h", false, false, 900, START)).isEqualTo(13_000);
        assertThat(reported).hasSize(1);
    }

    /** The failure of a map is one of its host too, where the host's were not counted. */
    @Test
    void aHostThatIsUnknownHasFailedOnce() throws IOException {
        final FetchFailures rules = rules(1000);
        fail(rules, 0, 900, START);
        for (int i = 0; i < 4; i++) {
            rules.hostFailed("h");
        }
        fail(rules, 0, 900, START);
        assertThat(reported).isEmpty();
        rules.hostFailed("h");
        fail(rules, 0, 900, START);
        assertThat(reported).hasSize(1);
    }

    @Test
    void aJobOfFewMapsGivesUpWhenAllThatAreLeftFail() throws IOException {
        final FetchFailures rules = rules(3);
        fail(rules, 0, 1, START);
        requireGivesUp(rules, 1, 1, START);
    }

    @Test
    void aJobOfFewMapsGoesOnWhileOneIsLeftThatDoesNotFail() throws IOException {
        final FetchFailures rules = rules(4);
        for (int i = 0; i < 5; i++) {
            fail(rules, 0, 1, START);
            fail(rules, 1, 1, START);
        }
        assertThat(failed.failedFetches()).isEqualTo(10);
    }

    /** Half of the fetches have failed, and not less: it is not healthy. */
    @Test
    void itIsHealthyWhileFewerThanHalfOfTheFetchesFail() throws IOException {
        final FetchFailures rules = rules(100);
        for (int map = 0; map < 5; map++) {
            fail(rules, map, 5, START);
        }
        assertThat(failed.failedFetches()).isEqualTo(5);
        requireGivesUp(rules, 5, 5, START);
    }

    @Test
    void halfOfTheMapsAreProgressEnough() throws IOException {
        final FetchFailures rules = rules(10);
        rules.mapRan(1000);
        failTimes(100);
        for (int map = 0; map < 5; map++) {
            fail(rules, map, 5, START + 499);
        }
        assertThat(failed.failedFetches()).isEqualTo(105);
        requireGivesUp(rules, 5, 4, START + 499);
    }

    /** Nothing has come for that long. */
    @Test
    void itStallsAfterHalfOfTheLongestMapsTime() throws IOException {
        final FetchFailures rules = rules(10);
        rules.mapRan(1000);
        rules.mapRan(600);
        failTimes(100);
        for (int map = 0; map < 4; map++) {
            fail(rules, map, 5, START);
        }
        fail(rules, 4, 5, START + 499);
        requireGivesUp(rules, 4, 5, START + 500);
    }

    @Test
    void itStallsAfterHalfOfTheTimeThatBroughtTheLastMap() throws IOException {
        final FetchFailures rules = rules(10);
        rules.copySucceeded(map(9), "other", START + 2000);
        failTimes(100);
        for (int map = 0; map < 4; map++) {
            fail(rules, map, 5, START + 2000);
        }
        fail(rules, 4, 5, START + 2999);
        requireGivesUp(rules, 4, 5, START + 3000);
    }
}
