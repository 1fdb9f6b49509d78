// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.report.TaskReport;
import io.spillway.transport.sharedfs.WayChoice.Way;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Slices of time, with a clock of the test. */
class WayTimelineTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long now = 77;
    private final WayTimeline timeline = new WayTimeline(() -> now, 1_700_000_000_000L);

    private String report() {
        final TaskReport report = new TaskReport();
        timeline.noteIn(report);
        return report.toJson();
    }

    @Test
    void tellsWhatCameInEachSecond() {
        timeline.came(Way.SHARED, 10);
        now += SECOND - 1;
        timeline.came(Way.SHARED, 20);
        now += 2 * SECOND;
        timeline.came(Way.NODE, 5);

        assertThat(report())
                .isEqualTo(
                        "{\"sharedfs_began\":1700000000000,\"sharedfs_slice_millis\":1000,"
                                + "\"sharedfs_slice_shared_bytes\":[30,0,0],"
                                + "\"sharedfs_slice_node_bytes\":[0,0,5]}");
    }

    @Test
    void aLongReducerHasLongerSlices() {
        for (int second = 0; second < 4 * WayTimeline.MOST_SLICES; second++) {
            timeline.came(Way.SHARED, 1);
            timeline.came(Way.NODE, 2);
            now += SECOND;
        }

        assertThat(report())
                .contains("\"sharedfs_slice_millis\":4000,")
                .contains("\"sharedfs_slice_shared_bytes\":[" + "4,".repeat(119) + "4]")
                .contains("\"sharedfs_slice_node_bytes\":[" + "8,".repeat(119) + "8]");
    }

    @Test
    void nothingThatCameIsNothingToTell() {
        assertThat(report()).isEqualTo("{}");
    }
}
