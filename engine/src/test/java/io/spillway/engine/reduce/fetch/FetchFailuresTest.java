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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stock's numbers. */
class FetchFailuresTest {
    private static final OutputId MAP = map(0, 0);

    @TempDir Path dir;

    private final List<OutputId> reported = new ArrayList<>();
    private TaskCounters failed;

    private static OutputId map(final int index, final int attempt) {
        return TaskFixture.map(index, attempt);
    }

    private FetchFailures rules(final int maps) {
        final TaskFixture task = new TaskFixture(maps, dir);
        task.maxPenaltyMillis = 60_000;
        failed = task.counters;
        return new FetchFailures(task.settings(), failed, reported::add, 0);
    }

    @Test
    void penaltiesGrowToTheirLimit() throws IOException {
        final FetchFailures rules = rules(1000);

        assertThat(rules.copyFailed(MAP, "h", false, false, 900, 1)).isEqualTo(13_000);
        assertThat(rules.copyFailed(MAP, "h", false, false, 900, 1)).isEqualTo(16_900);
        for (int i = 0; i < 5; i++) {
            rules.copyFailed(MAP, "h", false, false, 900, 1);
        }
        assertThat(rules.copyFailed(MAP, "h", false, false, 900, 1)).isEqualTo(60_000);
        assertThat(failed.failedFetches()).isEqualTo(8);
    }

    @Test
    void reportsWhatStockReports() throws IOException {
        final FetchFailures rules = rules(1000);
        rules.copyFailed(MAP, "h", false, false, 900, 1);
        assertThat(reported).isEmpty();

        rules.copyFailed(MAP, "h", true, false, 900, 1);
        assertThat(reported).hasSize(1);
        rules.copyFailed(MAP, "h", false, true, 900, 1);
        assertThat(reported).hasSize(2);
        for (int i = 4; i < 10; i++) {
            rules.copyFailed(MAP, "h", false, false, 900, 1);
        }
        assertThat(reported).hasSize(2);
        rules.copyFailed(MAP, "h", false, false, 900, 1);
        assertThat(reported).hasSize(3);
    }

    @Test
    void reportsMapsOfAHostThatFailsTooOften() throws IOException {
        final FetchFailures rules = rules(1000);
        for (int i = 0; i < 5; i++) {
            rules.hostFailed("h");
        }
        rules.copyFailed(MAP, "h", false, false, 900, 1);
        assertThat(reported).isEmpty();
        rules.hostFailed("h");
        rules.copyFailed(MAP, "h", false, false, 900, 1);
        assertThat(reported).hasSize(1);

        rules.copySucceeded(map(1, 0), "h", 2);
        rules.copyFailed(MAP, "h", false, false, 900, 1);
        assertThat(reported).hasSize(1);
    }

    @Test
    void givesUpAfterThirtyFailuresOfOneMap() throws IOException {
        final FetchFailures rules = rules(100);
        for (int i = 1; i < 30; i++) {
            rules.copyFailed(MAP, "h", false, false, 99 - 1, 1);
        }

        assertThatThrownBy(() -> rules.copyFailed(MAP, "h", false, false, 98, 1))
                .hasMessage("30 failures downloading " + MAP);
    }

    @Test
    void givesUpWhenFiveMapsFailAndLittleIsCopied() throws IOException {
        final FetchFailures rules = rules(100);
        for (int map = 0; map < 4; map++) {
            rules.copyFailed(map(map, 0), "h", false, false, 1, 1);
        }

        assertThatThrownBy(() -> rules.copyFailed(map(4, 0), "h", false, false, 1, 1))
                .hasMessage("Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out.");
    }

    @Test
    void holdsOutWhenMuchIsCopiedAndItDoesNotStall() throws IOException {
        final FetchFailures rules = rules(100);
        rules.mapRan(1_000_000);
        for (int map = 0; map < 60; map++) {
            rules.copyFailed(map(map, 0), "h", false, false, 51, 100);
        }

        assertThat(failed.failedFetches()).isEqualTo(60);
        assertThatThrownBy(() -> rules.copyFailed(MAP, "h", false, false, 51, 500_000))
                .hasMessageContaining("bailing-out");
    }

    @Test
    void anObsoleteAttemptsFailuresCountNoMore() throws IOException {
        final FetchFailures rules = rules(1000);
        rules.copyFailed(MAP, "h", false, false, 900, 1);
        rules.forget(MAP);

        assertThat(rules.copyFailed(MAP, "h", false, false, 900, 1)).isEqualTo(13_000);
    }
}
