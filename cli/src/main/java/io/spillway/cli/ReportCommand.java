// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.place.AskedSites;
import io.spillway.cli.report.JobReports;
import io.spillway.cli.report.Ways;
import io.spillway.cli.run.HistoryClient;
import io.spillway.cli.run.ReduceReport;
import io.spillway.cli.site.WorkFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a finished job's shuffle report. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        description = {
            "Prints a finished job's shuffle report as JSON: Spillway's counters, where the time"
                    + " went, CPU and bytes.",
            "",
            "From the reports that commands save, else from a cluster's JobHistoryServer, which"
                    + " does not have the figures that reducers write to their logs."
        },
        footer = {
            "",
            "Examples:",
            "  spillway report job_1763719200000_0001",
            "  spillway report job_1763719200000_0001 --plot ways.svg"
        })
final class ReportCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;

    @Mixin private AskedSites asked;

    @Parameters(paramLabel = "JOBID", description = "As job_1763719200000_0001.")
    private String jobId;

    @Option(
            names = "--plot",
            paramLabel = "FILE",
            description =
                    "Writes a plot as well, an .svg or a .png: how many bytes its reducers read on"
                            + " the shared file system and fetched from nodes in each second.")
    private Path plot;

    @Override
    public Integer call() {
        if (plot != null && !plot.toString().matches(".*\\.(svg|png)")) {
            throw new BadInputException("--plot " + plot + ": expected a name in .svg or .png");
        }
        final WorkFolder folder = work.folder();
        final JobReports reports = new JobReports(folder);
        final String text =
                reports.find(jobId)
                        .orElseGet(
                                () -> JobReports.render(history(folder).job(jobId, Duration.ZERO)));
        spec.commandLine().getOut().println(text.stripTrailing());
        if (plot != null) {
            draw(text);
        }
        return 0;
    }

    private void draw(final String report) {
        Ways.plot(jobId, ReduceReport.ofReport(report))
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "--plot: the report of "
                                                + jobId
                                                + " has no figures of reads on a"
                                                + " shared file system"))
                .writeOne(plot);
    }

    private HistoryClient history(final WorkFolder folder) {
        return asked.sites(folder).stream()
                .flatMap(site -> HistoryClient.of(site).stream())
                .findFirst()
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "no saved report of "
                                                + jobId
                                                + " in "
                                                + folder.reports()
                                                + ", and no cluster to ask"));
    }
}
