// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.spi.MapStage;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StageProfileTest {
    @Test
    void dividesAllOfTheTimeAmongTheStages() throws Exception {
        final TaskReport report = new TaskReport();
        final long beforeStart = System.nanoTime();
        final long shortest;
        final long longest;
        try (StageProfile profile = new StageProfile(stack -> MapStage.MAP)) {
            final long afterStart = System.nanoTime();
            profile.startSampling();
            TimeUnit.MILLISECONDS.sleep(150);
            final long spill = profile.time(MapStage.SPILL, () -> TimeUnit.MILLISECONDS.sleep(200));
            assertThat(TimeUnit.NANOSECONDS.toMillis(spill)).isGreaterThanOrEqualTo(199);
            profile.spilled(spill, 1234);
            TimeUnit.MILLISECONDS.sleep(150);
            shortest = System.nanoTime() - afterStart - spill;
            profile.writeTo(report);
            longest = System.nanoTime() - beforeStart - spill;
        }

        // All but the spill is this test's, hence the job's, code; a figure is whole milliseconds.
        assertThat(report.get(ShuffleCounter.MAP_MILLIS))
                .isBetween(
                        TimeUnit.NANOSECONDS.toMillis(shortest) - 1,
                        TimeUnit.NANOSECONDS.toMillis(longest) + 1);
        assertThat(report.get(ShuffleCounter.READ_MILLIS)).isZero();
        assertThat(report.toJson())
                .contains("\"each_spill_bytes\":[1234]", "\"cpu_spill_millis\":");
    }

    @Test
    void withoutASamplerOnlySpillAndMergeAreTold() throws Exception {
        final TaskReport report = new TaskReport();
        try (StageProfile profile = new StageProfile(null)) {
            profile.startSampling();
            profile.time(MapStage.MERGE, () -> TimeUnit.MILLISECONDS.sleep(20));
            profile.writeTo(report);
        }

        assertThat(report.toJson())
                .contains("cpu_merge_millis")
                .doesNotContain("map_millis", "each_spill");
    }
}
