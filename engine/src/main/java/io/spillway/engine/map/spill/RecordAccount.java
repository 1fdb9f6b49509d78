// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.engine.spi.SortedSpill;
import io.spillway.report.TaskReport;
import java.io.IOException;

/**
 * What became of the records that a map collected: each is in its output, or was combined away. One
 * thread.
 */
final class RecordAccount {
    private long collected;
    private long written;
    private long combinedAway;

    /**
     * Sets what the output must have.
     *
     * @param records that were accepted
     */
    void expect(final long records) {
        collected = records;
    }

    /** A file is the output, or one of its runs. */
    void add(final SortedSpill output) {
        add(output.records(), output.combinedAway());
    }

    /** What a writer has written is the output, or one of its runs. */
    void add(final PartitionWriter output) {
        add(output.recordsWritten(), output.combinedAway());
    }

    private void add(final long records, final long away) {
        written += records;
        combinedAway += away;
    }

    /** What was written is of no use; all of it will be written again. */
    void reset() {
        written = 0;
        combinedAway = 0;
    }

    /**
     * Requires that no record is missing and none is too many.
     *
     * @throws IOException with all numbers
     */
    void requireAll() throws IOException {
        if (collected != written + combinedAway) {
            throw new IOException(
                    "Wrong number of records in the map output: collected="
                            + collected
                            + ", expected written="
                            + written
                            + " + combinedAway="
                            + combinedAway
                            + " = "
                            + (written + combinedAway));
        }
    }

    /** Writes the figures into the task's report. */
    void noteIn(final TaskReport report) {
        report.note("records_written", written);
        report.note("records_combined_away", combinedAway);
    }
}
