// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobStages;
import io.spillway.cli.run.SiteFiles;
import io.spillway.cli.site.ServiceCpu;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.EngineRun;
import io.spillway.lab.compare.PartDigest;
import io.spillway.lab.compare.SavedRuns;
import io.spillway.lab.compare.workload.Workloads;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.report.Machine;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A program that has one of two runs, and hangs in the other: the file of its results is given. */
final class StoppedComparison {
    static final Map<String, String> OPTIONS = Map.of("maps", "4");
    static final String RESUME = "./spillway compare and so on";
    static final String READY = "measuring";

    private StoppedComparison() {}

    static SavedRuns oneRun() {
        return new SavedRuns(
                "terasort-1-a",
                new SiteFiles.Totals(5, 100),
                List.of(job()),
                List.of(
                        new EngineRun(
                                EngineConfig.parse("stock"),
                                1,
                                job(),
                                List.of(new PartDigest("part-0", 5, 50, "aa", "cc", true)))));
    }

    private static JobFigures job() {
        return new JobFigures(
                "job_1_1",
                "n",
                "SUCCEEDED",
                0,
                1_000,
                4,
                2,
                new JobStages(1, 2, 3, 4, 5, 6, 7, 8, 9, List.of()),
                Optional.empty(),
                List.of(),
                Map.of(),
                ServiceCpu.UNKNOWN);
    }

    public static void main(final String[] arguments) throws InterruptedException {
        final PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        final Path json = Path.of(arguments[0]);
        final Machine machine = Machine.thisOne("3.5.0");
        final Resumption resumption = Resumption.of(json, false, OPTIONS);
        resumption.begin(Map.of(), Optional.empty());
        final SavedRuns saved = oneRun();
        try (ResultFile file =
                new ResultFile(
                        json,
                        result -> result.json(machine, Map.of()),
                        result -> result.table(false),
                        RESUME,
                        out)) {
            resumption.save(saved);
            file.accept(
                    new ComparisonResult(
                            new Comparison.Plan(
                                    Workloads.named("terasort"),
                                    1 << 20,
                                    EngineConfig.parseAll("stock,spillway"),
                                    1,
                                    false,
                                    4,
                                    2,
                                    Map.of()),
                            saved.copies(),
                            saved.runs(),
                            true));
            out.println(READY);
            TimeUnit.MINUTES.sleep(5);
        }
    }
}
