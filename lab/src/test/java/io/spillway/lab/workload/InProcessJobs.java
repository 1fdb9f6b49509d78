// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.run.JobStages;
import io.spillway.cli.run.Jobs;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.ServiceCpu;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.util.ToolRunner;

/** Runs our own tools in this JVM, their jobs by LocalJobRunner, with the engine's properties. */
public final class InProcessJobs implements Jobs {
    private static final int POLL_MILLIS = 20;
    private static final String TASK = "org.apache.hadoop.mapreduce.TaskCounter";

    private final HadoopSite site;
    private final long records;

    /**
     * Runs tools.
     *
     * @param site says where data lies
     * @param records of the input, which LocalJobRunner has no history of
     */
    public InProcessJobs(final HadoopSite site, final long records) {
        this.site = site;
        this.records = records;
    }

    @Override
    public HadoopSite site() {
        return site;
    }

    @Override
    public JobFigures measure(final JobSpec spec) {
        final long begin = System.currentTimeMillis();
        run(spec);
        final long wall = System.currentTimeMillis() - begin;
        return new JobFigures(
                "job_local",
                spec.label(),
                "SUCCEEDED",
                begin,
                wall,
                1,
                1,
                new JobStages(0, 0, 0, 0, 0, 0, 0, 0, 0, List.of()),
                Optional.empty(),
                List.of(),
                Map.of(
                        TASK,
                        Map.of(
                                "MAP_INPUT_RECORDS",
                                new JobFigures.CounterValue(records, 0, records))),
                ServiceCpu.UNKNOWN);
    }

    @Override
    public JobResult run(final JobSpec spec) {
        final Configuration conf = new Configuration();
        conf.set("hadoop.tmp.dir", site.jobsFolder().resolve("tmp").toString());
        // These jobs take a second; by default their end is polled for every five seconds.
        conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, POLL_MILLIS);
        conf.setInt(Job.PROGRESS_MONITOR_POLL_INTERVAL_KEY, POLL_MILLIS);
        spec.engine().jobProperties().forEach(conf::set);
        spec.properties().forEach(conf::set);
        final PrintStream before = System.out;
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        final int exit;
        try {
            exit = ToolRunner.run(conf, tool(spec), spec.arguments().toArray(String[]::new));
        } catch (final Exception e) {
            throw new IllegalStateException(spec.label(), e);
        } finally {
            System.setOut(before);
        }
        if (exit != 0) {
            throw new IllegalStateException(spec.label() + ": exit code " + exit);
        }
        final List<String> output = printed.toString(StandardCharsets.UTF_8).lines().toList();
        return new JobResult(exit, List.of(), output, site.jobsFolder());
    }

    private static org.apache.hadoop.util.Tool tool(final JobSpec spec) {
        if (spec.program() instanceof JobSpec.Program.Tool tool) {
            return JobRunner.program(tool.name());
        }
        throw new IllegalArgumentException("program=" + spec.program() + ": expected a tool");
    }
}
