// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;

/** Words of real text counted, with a combiner. */
public final class WordCountWorkload extends TextWorkload {
    @Override
    public String label() {
        return "wordcount";
    }

    @Override
    public String suite() {
        return "PUMA, HiBench (Hadoop's example)";
    }

    @Override
    public String summary() {
        return "words of Hadoop's own Java sources, repeated";
    }

    @Override
    public JobSpec job(final String input, final String output, final int reduces) {
        return JobSpec.example("wordcount", input, output);
    }
}
