// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.run.MeasuredJobs;
import io.spillway.cli.run.SiteFiles;
import io.spillway.lab.engine.EngineConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Has Hadoop's own TeraValidate look at every output, and TeraChecksum at the input: the output
 * must be in order within and across its files, and both must have the same checksum.
 */
public final class TeraCheck implements OutputCheck {
    private static final String CHECKSUM_CLASS = "org.apache.hadoop.examples.terasort.TeraChecksum";

    private final MeasuredJobs jobs;
    private final SiteFiles files;
    private final List<String> problems = new ArrayList<>();
    private String inputChecksum = "";

    /** Checks with jobs of the stock engine. */
    public TeraCheck(final MeasuredJobs jobs) {
        this.jobs = jobs;
        this.files = new SiteFiles(jobs.site());
    }

    @Override
    public void onInput(final String input, final String folder) {
        final String result = folder + "/input-checksum";
        jobs.run(
                new JobSpec(
                                "TeraChecksum of the input",
                                new JobSpec.Program.Main(CHECKSUM_CLASS),
                                List.of(input, result),
                                Engine.STOCK,
                                Map.of(),
                                List.of())
                        .unmeasured());
        inputChecksum = String.join(" ", files.readParts(result)).trim();
        files.delete(result);
    }

    @Override
    public void onOutput(final String output, final String folder, final EngineConfig engine) {
        final String result = output + "-validation";
        jobs.run(
                JobSpec.example("teravalidate", output, result)
                        .labelled("TeraValidate of " + engine.label())
                        .unmeasured());
        judge(engine, files.readParts(result));
        files.delete(result);
    }

    private void judge(final EngineConfig engine, final List<String> lines) {
        final List<String> expected = List.of("checksum\t" + inputChecksum);
        if (!lines.equals(expected)) {
            problems.add(
                    "TeraValidate of " + engine.label() + ": " + lines + ", expected " + expected);
        }
    }

    /** TeraChecksum of the input. */
    public String inputChecksum() {
        return inputChecksum;
    }

    /** What was found wrong; empty when all is well. */
    public List<String> problems() {
        return List.copyOf(problems);
    }
}
