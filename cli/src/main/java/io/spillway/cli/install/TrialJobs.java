// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.HistoryClient;
import io.spillway.cli.run.JobClient;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobListener;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.run.Monitor;
import io.spillway.cli.run.SiteFiles;
import io.spillway.cli.site.HadoopSite;
import io.spillway.report.ShuffleCounter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Two small jobs over the same data: one as the site's configuration has it, one with Hadoop's own
 * shuffle. Not thread-safe.
 */
final class TrialJobs {
    private static final Duration HISTORY_PATIENCE = Duration.ofSeconds(60);
    private static final int STEPS = 3;

    private static final Map<String, String> DATA =
            Map.of(
                    "mapreduce.randomtextwriter.totalbytes", "2097152",
                    "mapreduce.randomtextwriter.bytespermap", "1048576");

    /** A job that runs within its ApplicationMaster (uber) shuffles nothing. */
    private static final Map<String, String> SHUFFLED =
            Map.of(
                    "mapreduce.job.reduces", "2",
                    "mapreduce.job.ubertask.enable", "false");

    private final HadoopSite site;
    private final Monitor monitor;

    TrialJobs(final HadoopSite site, final Monitor monitor) {
        this.site = site;
        this.monitor = monitor;
    }

    /**
     * What the jobs have shown.
     *
     * @param sameOutput whether both have written the same
     * @param fetched bytes the first job has fetched over Spillway's protocol
     * @param overHttp bytes it has fetched over stock HTTP
     * @param fallbacks how often one of its reducers has fallen back to the stock shuffle
     */
    record Outcome(boolean sameOutput, long fetched, long overHttp, long fallbacks) {
        /** Whether the first job was right, and Spillway moved all its data. */
        boolean isGood() {
            return sameOutput && fetched > 0 && overHttp == 0 && fallbacks == 0;
        }

        List<String> lines() {
            final List<String> lines = new ArrayList<>();
            lines.add(
                    "wordcount as configured and with Hadoop's own shuffle: "
                            + (sameOutput ? "same output" : "OUTPUTS DIFFER"));
            lines.add(
                    String.format(
                            Locale.ROOT,
                            "fetched with Spillway: %d bytes; over stock HTTP: %d; fallbacks to"
                                    + " the stock shuffle: %d",
                            fetched,
                            overHttp,
                            fallbacks));
            if (fetched == 0 && overHttp == 0) {
                lines.add(
                        "the job ran without Spillway: check mapred-site.xml of this client with"
                                + " spillway doctor");
            } else if (overHttp > 0 || fallbacks > 0) {
                lines.add(
                        "some NodeManagers serve stock HTTP only: spillway doctor --yarn names them"
                                + " and the reason");
            }
            return lines;
        }
    }

    /**
     * Runs them.
     *
     * @throws CommandException where one of them fails, or no JobHistoryServer answers
     */
    Outcome run() {
        final String folder = site.dataFolder() + "/install-" + ProcessHandle.current().pid();
        final JobClient client = new JobClient(site);
        final SiteFiles files = new SiteFiles(site);
        try (Monitor.Task task = monitor.begin("verify", STEPS)) {
            client.require(
                    JobSpec.example(
                                    "randomtextwriter",
                                    "-outFormat",
                                    "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat",
                                    folder + "/in")
                            .with(DATA)
                            .unmeasured(),
                    JobListener.NONE);
            task.at(1, "data written");
            final JobResult own = client.require(count(folder, "site"), JobListener.NONE);
            task.at(2, "counted as configured");
            client.require(count(folder, "stock").with(WantedProperty.STOCK_JOB), JobListener.NONE);
            task.at(STEPS, "counted with Hadoop's own shuffle");
            final boolean same =
                    files.readParts(folder + "/site").equals(files.readParts(folder + "/stock"));
            return outcome(same, own.lastJobId());
        } finally {
            files.delete(folder);
        }
    }

    private static JobSpec count(final String folder, final String output) {
        return JobSpec.example("wordcount", folder + "/in", folder + "/" + output)
                .labelled("wordcount-" + output)
                .with(SHUFFLED);
    }

    private static CommandException noHistory() {
        return new CommandException(
                "mapreduce.jobhistory.webapp.address is not set: --verify reads the job's counters"
                        + " from the JobHistoryServer; set it in mapred-site.xml");
    }

    private Outcome outcome(final boolean sameOutput, final String jobId) {
        final JobFigures figures =
                HistoryClient.of(site)
                        .orElseThrow(TrialJobs::noHistory)
                        .job(jobId, HISTORY_PATIENCE);
        return new Outcome(
                sameOutput,
                figures.figure(ShuffleCounter.FETCH_SPILLWAY_BYTES).total(),
                figures.figure(ShuffleCounter.FETCH_HTTP_BYTES).total(),
                figures.figure(ShuffleCounter.STOCK_FALLBACKS).total());
    }
}
