// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;
import io.spillway.cli.run.OwnPrograms;
import io.spillway.lab.job.LabJar;
import io.spillway.lab.job.LabPrograms;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The programs of workloads that {@code spillway run} knows: each suite's, and a few tools. */
public final class WorkloadPrograms implements OwnPrograms {
    private static final List<String> TOOLS =
            List.of("drain-records", "inverted-index", "random-records", "sequence-count");

    @Override
    public List<String> names() {
        return Stream.concat(TOOLS.stream(), SuiteWorkload.all().stream().map(Workload::label))
                .sorted()
                .toList();
    }

    @Override
    public JobSpec.Program program(final String name) {
        return LabPrograms.program(name);
    }

    @Override
    public Path jar() {
        return LabJar.path();
    }
}
