// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.job;

import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.run.OwnPrograms;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The programs of this module. */
public final class LabPrograms implements OwnPrograms {
    /** By its name: a command has no class of Hadoop. */
    private static final String RUNNER = "io.spillway.lab.workload.JobRunner";

    private static final List<String> FOR_USERS =
            List.of(
                    "adjacencylist",
                    "classification",
                    "dfsio",
                    "drain-records",
                    "histogrammovies",
                    "histogramratings",
                    "inverted-index",
                    "kmeans",
                    "moviekmeans",
                    "pagerank",
                    "plainwordcount",
                    "pumagrep",
                    "random-records",
                    "rankedinvertedindex",
                    "selfjoin",
                    "sequence-count",
                    "shufflebench",
                    "swim",
                    "termvector");

    /**
     * One of them with the stock engine.
     *
     * @param name a name that JobRunner knows, or of a class with a constructor without parameters
     */
    public static JobSpec tool(final String name, final String... arguments) {
        return new JobSpec(
                name,
                new JobSpec.Program.Tool(RUNNER, name),
                List.of(arguments),
                Engine.STOCK,
                Map.of(),
                List.of(LabJar.path()));
    }

    @Override
    public List<String> names() {
        return FOR_USERS;
    }

    @Override
    public JobSpec.Program program(final String name) {
        return new JobSpec.Program.Tool(RUNNER, name);
    }

    @Override
    public Path jar() {
        return LabJar.path();
    }
}
