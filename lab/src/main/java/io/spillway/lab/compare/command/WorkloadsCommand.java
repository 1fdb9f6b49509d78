// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.failure.CommandException;
import io.spillway.lab.compare.workload.Workload;
import io.spillway.lab.compare.workload.Workloads;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lists the workloads. */
@Command(
        name = "workloads",
        mixinStandardHelpOptions = true,
        description = {
            "Lists the workloads of compare and scale: what each does, the suite that describes it,"
                + " its jobs, its properties, and the measured ratio of shuffled bytes to input.",
            "",
            "The data of a workload are the same on every run. Each output is checked."
        },
        footer = {
            "",
            "Examples:",
            "  spillway workloads",
            "  spillway workloads --doc > docs/workloads.md",
            "  spillway compare pagerank --size 64m -D spillway.bench.pagerank.iterations=2",
            "  spillway run selfjoin make IN 50000000 4"
        })
public final class WorkloadsCommand implements Callable<Integer> {
    private static final String RATIOS = "/io/spillway/lab/compare/workload/ratios.properties";
    private static final String NOT_MEASURED = "not measured";

    private static final List<String> HEAD =
            List.of(
                    "# Workloads",
                    "",
                    "This page is made by `./spillway workloads --doc > docs/workloads.md`.",
                    "[evaluation.md](evaluation.md#workloads) describes how to run and check them.",
                    "",
                    "| workload | does | from | jobs | shuffle / input | `-D` with its default |",
                    "|---|---|---|---|---|---|");

    @Spec private CommandSpec spec;

    @Option(names = "--doc", description = "Prints the page docs/workloads.md.")
    private boolean doc;

    @Override
    public Integer call() {
        final Properties ratios = ratios();
        final PrintWriter out = spec.commandLine().getOut();
        if (doc) {
            out.print(page(ratios));
        } else {
            Workloads.all().forEach(workload -> out.print(text(workload, ratios)));
        }
        out.flush();
        return 0;
    }

    private static Properties ratios() {
        final Properties ratios = new Properties();
        try (InputStream in = WorkloadsCommand.class.getResourceAsStream(RATIOS)) {
            ratios.load(in);
            return ratios;
        } catch (final IOException e) {
            throw new CommandException("cannot read " + RATIOS + ": " + e, e);
        }
    }

    private static String text(final Workload workload, final Properties ratios) {
        final StringBuilder text = new StringBuilder(workload.label());
        line(text, workload.summary());
        line(text, "from: " + workload.suite());
        line(text, "jobs: " + workload.chain());
        line(text, "shuffled a byte of input: " + ratio(workload, ratios));
        workload.options().forEach(option -> line(text, "-D " + option));
        return text.append(System.lineSeparator()).append(System.lineSeparator()).toString();
    }

    private static void line(final StringBuilder text, final String line) {
        text.append(System.lineSeparator()).append("    ").append(line);
    }

    private static String ratio(final Workload workload, final Properties ratios) {
        return ratios.getProperty(workload.label(), NOT_MEASURED);
    }

    private static String page(final Properties ratios) {
        return Workloads.all().stream()
                .map(workload -> row(workload, ratios))
                .collect(
                        Collectors.joining(
                                "\n",
                                String.join("\n", HEAD) + "\n",
                                "\n\n" + ratios.getProperty("measured") + "\n"));
    }

    private static String row(final Workload workload, final Properties ratios) {
        return "| `"
                + workload.label()
                + "` | "
                + workload.summary()
                + " | "
                + workload.suite()
                + " | "
                + workload.chain()
                + " | "
                + ratio(workload, ratios)
                + " | "
                + workload.options().stream()
                        .map(option -> "`" + option.replace("|", "\\|") + "`")
                        .collect(Collectors.joining(", "))
                + " |";
    }
}
