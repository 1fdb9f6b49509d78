// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.report.TaskReport;
import java.util.concurrent.TimeUnit;

/** Adds up what merges in memory did, for the task's report. Owned by the loop's thread. */
final class MergeFigures {
    private long merges;
    private long combined;
    private long cut;
    private long runs;
    private long recordsIn;
    private long recordsOut;
    private long bytesIn;
    private long bytesOut;
    private long nanos;

    /** A merge has ended. */
    void add(final MergePolicy.Batch batch, final InMemoryMerge.Result result) {
        merges++;
        combined += batch.combine() ? 1 : 0;
        cut += result.rest() == null ? 0 : 1;
        runs += batch.inputs().size();
        recordsIn += result.figures().recordsIn();
        recordsOut += result.figures().recordsOut();
        bytesIn += result.figures().bytesIn();
        bytesOut += result.bytesOut();
        nanos += result.figures().nanos();
    }

    /** The records that combiners made fewer, less those that they made more. */
    long combinedAway() {
        return recordsIn - recordsOut;
    }

    /** Notes the sums; nothing where no merge was made. Bytes are those of plain records. */
    void noteIn(final TaskReport report) {
        if (merges == 0) {
            return;
        }
        report.note("partialMerges", merges);
        report.note("partialMergesCombined", combined);
        report.note("partialMergesCut", cut);
        report.note("partialMergeRuns", runs);
        report.note("partialMergeRecordsIn", recordsIn);
        report.note("partialMergeRecordsOut", recordsOut);
        report.note("partialMergeBytesIn", bytesIn);
        report.note("partialMergeBytesOut", bytesOut);
        report.note("partialMergeMillis", TimeUnit.NANOSECONDS.toMillis(nanos));
    }
}
