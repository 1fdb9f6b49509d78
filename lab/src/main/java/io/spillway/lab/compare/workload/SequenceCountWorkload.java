// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;
import io.spillway.lab.job.LabPrograms;

/** How often any three words of real text follow each other in a file, with a combiner. */
public final class SequenceCountWorkload extends TextWorkload {
    @Override
    public String label() {
        return "sequencecount";
    }

    @Override
    public String suite() {
        return "PUMA";
    }

    @Override
    public String summary() {
        return "how often three words follow each other, for each file of the same sources";
    }

    @Override
    public JobSpec job(final String input, final String output, final int reduces) {
        return LabPrograms.tool("sequence-count", input, output);
    }
}
