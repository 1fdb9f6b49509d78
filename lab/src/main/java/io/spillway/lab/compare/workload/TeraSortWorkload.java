// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;
import java.util.Map;

/** TeraGen's records, sorted in total order. */
public final class TeraSortWorkload extends TeraWorkload {
    @Override
    public String label() {
        return "terasort";
    }

    @Override
    public String suite() {
        return "HiBench, PUMA (Hadoop's example)";
    }

    @Override
    public String summary() {
        return "TeraGen's records of 100 bytes, in total order";
    }

    @Override
    public JobSpec generator(final Input input) {
        final String rows = String.valueOf(Math.max(1, input.bytes() / RECORD));
        return JobSpec.example("teragen", rows, input.folder())
                .with(Map.of("mapreduce.job.maps", String.valueOf(input.files())));
    }

    @Override
    public JobSpec job(final String input, final String output, final int reduces) {
        return JobSpec.example("terasort", input, output);
    }
}
