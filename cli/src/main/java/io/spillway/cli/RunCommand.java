// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.EngineNames;
import io.spillway.cli.option.JobOptions;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.TransportOptions;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.place.JobPlace;
import io.spillway.cli.place.OpenPlace;
import io.spillway.cli.report.JobReports;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.FailureReport;
import io.spillway.cli.run.HistoryClient;
import io.spillway.cli.run.JobClient;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobListener;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.run.OwnPrograms;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.WorkFolder;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs any jar, or an example, with an engine. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = {
            "Runs a MapReduce program, unchanged, with Spillway's plug-ins on.",
            "",
            "On the installed Hadoop that HADOOP_HOME or HADOOP_CONF_DIR name."
        },
        footer = {
            "",
            "Options of this command stand before the program; all that follows is the program's.",
            "",
            "Examples:",
            "  spillway run wordcount ~/books /tmp/counts",
            "  spillway run my-job.jar com.example.Main -Dmapreduce.job.reduces=4 in out",
            "  spillway run --engine stock terasort in out      the same job without Spillway",
            "  spillway run terasort -Dmapreduce.terasort.simplepartitioner=true"
                    + " -Dmapreduce.job.reduces=2 /tmp/in /tmp/out",
            "  HADOOP_CONF_DIR=/etc/hadoop/conf spillway run my-job.jar in out"
        })
final class RunCommand implements Callable<Integer> {
    private static final Duration HISTORY_PATIENCE = Duration.ofSeconds(60);

    private static final List<String> EXAMPLES =
            List.of(
                    "aggregatewordcount",
                    "aggregatewordhist",
                    "bbp",
                    "dbcount",
                    "distbbp",
                    "grep",
                    "join",
                    "multifilewc",
                    "pentomino",
                    "pi",
                    "randomtextwriter",
                    "randomwriter",
                    "secondarysort",
                    "sort",
                    "sudoku",
                    "teragen",
                    "terasort",
                    "teravalidate",
                    "wordcount",
                    "wordmean",
                    "wordmedian",
                    "wordstandarddeviation");

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;
    @Mixin private JobOptions jobOptions;
    @Mixin private TransportOptions transport;
    @Mixin private JobPlace place;

    @Option(
            names = "--engine",
            paramLabel = "NAME",
            defaultValue = "spillway",
            description =
                    "One of ${COMPLETION-CANDIDATES}; spillway is as it is installed (default:"
                            + " ${DEFAULT-VALUE}).",
            completionCandidates = EngineNames.class)
    private String engine;

    @Parameters(
            index = "0",
            paramLabel = "PROGRAM",
            description = "A jar, or an example by name, as terasort, wordcount, grep.")
    private String program;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "ARGS",
            description = "Arguments of the program.")
    private List<String> arguments = List.of();

    @Override
    public Integer call() {
        final JobSpec job = job();
        final WorkFolder folder = work.folder();
        final Screen screen = Screen.of(spec);
        try (OpenPlace open = place.open(folder, screen, "run", transport.given())) {
            return run(open.site(), job, folder);
        }
    }

    private JobSpec job() {
        final JobSpec job =
                new JobSpec(
                        Path.of(program).getFileName().toString(),
                        program(),
                        arguments,
                        engine(),
                        transport.with(jobOptions.properties()),
                        List.of());
        return ownProgram().map(own -> job.with(own.jar())).orElse(job);
    }

    private Engine engine() {
        final Engine named = Engine.parse(engine);
        if (named.isOfComparisons()) {
            throw new BadInputException(
                    "--engine "
                            + engine
                            + ": only a comparison sets it up; expected one of "
                            + String.join(", ", new EngineNames()));
        }
        return named;
    }

    private JobSpec.Program program() {
        if (EXAMPLES.contains(program)) {
            return new JobSpec.Program.Example(program);
        }
        final Optional<OwnPrograms> own = ownProgram();
        if (own.isPresent()) {
            return own.get().program(program);
        }
        final Path jar = Path.of(program);
        if (Files.isRegularFile(jar)) {
            return new JobSpec.Program.Jar(jar.toAbsolutePath());
        }
        throw new BadInputException(
                program.toLowerCase(Locale.ROOT).endsWith(".jar")
                        ? "no file " + jar.toAbsolutePath()
                        : "'"
                                + program
                                + "' is neither a jar nor one of the examples "
                                + EXAMPLES
                                + ownNames());
    }

    private Optional<OwnPrograms> ownProgram() {
        return ownPrograms().filter(own -> own.names().contains(program)).findFirst();
    }

    private static String ownNames() {
        return ownPrograms()
                .map(own -> " nor one of Spillway's programs " + own.names())
                .collect(Collectors.joining());
    }

    private static Stream<OwnPrograms> ownPrograms() {
        return ServiceLoader.load(OwnPrograms.class).stream().map(ServiceLoader.Provider::get);
    }

    private int run(final HadoopSite site, final JobSpec job, final WorkFolder folder) {
        final PrintWriter out = spec.commandLine().getOut();
        final PrintWriter err = spec.commandLine().getErr();
        final JobResult result = new JobClient(site).run(job, new Echo(out, err));
        if (!result.succeeded()) {
            err.println("spillway: " + new FailureReport(site).describe(job.label(), result));
        }
        final Optional<HistoryClient> history = HistoryClient.of(site);
        if (history.isPresent()) {
            for (final String jobId : result.jobIds()) {
                final JobFigures figures =
                        history.get().job(jobId, HISTORY_PATIENCE).withLogs(site.taskLogs(jobId));
                final Path report = new JobReports(folder).save(figures);
                err.printf(
                        Locale.ROOT,
                        "%s %s in %.1f s, CPU %.1f s; report: %s%n",
                        jobId,
                        figures.state(),
                        figures.wallMillis() / 1e3,
                        figures.cpuMillis().total() / 1e3,
                        report);
            }
        }
        err.flush();
        return result.succeeded() ? 0 : 1;
    }

    /** Passes the program's output on, each stream to its own. */
    private record Echo(PrintWriter out, PrintWriter err) implements JobListener {
        @Override
        public void onLine(final String line, final boolean isOutput) {
            final PrintWriter stream = isOutput ? out : err;
            stream.println(line);
            stream.flush();
        }
    }
}
