// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import org.apache.hadoop.util.Progress;

/**
 * Shows in the task's sort phase how far the merge of the output is. A merge may fail and be made
 * again: progress never goes back. One thread.
 */
final class MergeProgress {
    private final Progress sortPhase;
    private final int partitions;
    private boolean begun;
    private int merged;
    private int shown;

    MergeProgress(final Progress sortPhase, final int partitions) {
        this.sortPhase = sortPhase;
        this.partitions = partitions;
    }

    /** A merge of all partitions begins. */
    void begin() {
        merged = 0;
        if (!begun) {
            begun = true;
            sortPhase.addPhases(partitions);
        }
    }

    /** The merge has written a partition. */
    void mergedPartition() {
        merged++;
        if (merged > shown) {
            showNext();
        }
    }

    private void showNext() {
        shown++;
        sortPhase.startNextPhase();
    }

    /** The output is complete, merged or not. */
    void complete() {
        while (begun && shown < partitions) {
            showNext();
        }
        sortPhase.complete();
    }
}
