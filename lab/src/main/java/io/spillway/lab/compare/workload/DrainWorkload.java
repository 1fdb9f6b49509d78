// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;
import io.spillway.lab.job.LabPrograms;
import java.util.Map;

/** Records as TeraGen's whose keys let a reducer drain one map output after the other. */
public final class DrainWorkload extends TeraWorkload {
    @Override
    public String label() {
        return "drain";
    }

    @Override
    public String suite() {
        return "Spillway: the worst case for equal windows";
    }

    @Override
    public String summary() {
        return "TeraSort of records whose keys are in order across the maps, so that a reducer"
                + " drains one map output after the other";
    }

    @Override
    public JobSpec generator(final Input input) {
        return LabPrograms.tool(
                "drain-records",
                input.folder(),
                String.valueOf(input.bytes()),
                String.valueOf(input.files()),
                String.valueOf(input.reduces()));
    }

    @Override
    public JobSpec job(final String input, final String output, final int reduces) {
        return JobSpec.example("terasort", input, output)
                .with(Map.of("mapreduce.terasort.simplepartitioner", "true"));
    }
}
