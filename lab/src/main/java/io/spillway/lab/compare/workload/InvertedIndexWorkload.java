// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;
import io.spillway.lab.job.LabPrograms;

/** For each word of real text the files it stands in, with a combiner. */
public final class InvertedIndexWorkload extends TextWorkload {
    @Override
    public String label() {
        return "invertedindex";
    }

    @Override
    public String suite() {
        return "PUMA";
    }

    @Override
    public String summary() {
        return "for each word of the same sources, the files it stands in";
    }

    @Override
    public JobSpec job(final String input, final String output, final int reduces) {
        return LabPrograms.tool("inverted-index", input, output);
    }
}
