// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.job;

import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobSpec;
import java.util.List;
import java.util.Map;

/** The programs of this module. */
public final class LabPrograms {
    /** By its name: a command has no class of Hadoop. */
    private static final String RUNNER = "io.spillway.lab.workload.JobRunner";

    private LabPrograms() {}

    /**
     * One of them with the stock engine.
     *
     * @param name a name that JobRunner knows, or of a class with a constructor without parameters
     */
    public static JobSpec tool(final String name, final String... arguments) {
        return new JobSpec(
                name,
                program(name),
                List.of(arguments),
                Engine.STOCK,
                Map.of(),
                List.of(LabJar.path()));
    }

    /** One of them by its name. */
    public static JobSpec.Program program(final String name) {
        return new JobSpec.Program.Tool(RUNNER, name);
    }
}
