// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MapStagesTest {
    private static final String MAP = " INFO [main] org.apache.hadoop.mapred.MapTask: ";

    @TempDir private Path folder;

    private Path log(final String name, final String... lines) throws IOException {
        return Files.write(folder.resolve(name), List.of(lines));
    }

    @Test
    void addsUpSpillsBeforeTheLastRecordAndWhatFollowsIt() throws IOException {
        final Path map =
                log(
                        "map",
                        "2026-11-21 13:00:00,000" + MAP + "Spilling map output",
                        "2026-11-21 13:00:01,500" + MAP + "Finished spill 0",
                        "2026-11-21 13:00:02,000" + MAP + "Starting flush of map output",
                        "2026-11-21 13:00:02,000" + MAP + "Spilling map output",
                        "2026-11-21 13:00:02,700" + MAP + "Finished spill 1",
                        "2026-11-21 13:00:04,250 INFO [main] org.apache.hadoop.mapred.Task:"
                                + " Task:attempt_1_0001_m_000000_0 is done. And is in the process"
                                + " of committing");
        final Path reduce =
                log(
                        "reduce",
                        "2026-11-21 13:00:04,250 INFO [main] org.apache.hadoop.mapred.Task:"
                                + " Task:attempt_1_0001_r_000000_0 is done. And is in the process"
                                + " of committing");

        final MapStages stages = MapStages.read(List.of(map, reduce)).orElseThrow();

        assertThat(stages).isEqualTo(new MapStages(1, 1500, 2250, List.of(3750L)));
        assertThat(stages.meanSeconds()).isEqualTo(3.75);
    }

    @Test
    void leavesOutMapsThatDidNotComeToTheirEnd() throws IOException {
        final Path failed =
                log("failed", "2026-11-21 13:00:02,000" + MAP + "Starting flush of map output");

        assertThat(MapStages.read(List.of(failed))).isEmpty();
    }
}
