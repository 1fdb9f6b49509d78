package io.spillway.cli.test;

import io.spillway.bench.BadInputException;
import io.spillway.bench.BenchException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.WorkOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs all tests, or some of them, once or several times in a row. */
@Command(
        name = "test",
        mixinStandardHelpOptions = true,
        description = {
            "Runs all tests, unit and integration (mvn verify), and prints a summary.",
            "",
            "The integration tests start clusters of their own and take some minutes.",
            "With SPILLWAY_TEST_NO_SKIPS=true in the environment a skipped test is a failure."
        },
        footer = {
            "",
            "Examples:",
            "  spillway test",
            "  spillway test --unit              without the integration tests",
            "  spillway test --only failure      those that kill parts of a cluster",
            "  spillway test --only NodeLossIT   one class",
            "  spillway test --only failure --repeat 10"
        })
public final class TestCommand implements Callable<Integer> {
    /** In the environment: a run in which a test was skipped has failed. */
    public static final String NO_SKIPS = "SPILLWAY_TEST_NO_SKIPS";

    private static final Pattern MODULE =
            Pattern.compile("Building (Spillway.*?) +[\\d.]+ +\\[(\\d+)/(\\d+)]");
    private static final Pattern PACKAGE = Pattern.compile("[a-z]+");
    private static final Pattern CLASS = Pattern.compile("[A-Z][A-Za-z0-9]*IT");
    private static final int MOST_RUNS = 1000;

    /**
     * Modules that do not need each other side by side: tests that wait leave the cores to others.
     */
    private static final String MODULES_A_CORE = "-T1C";

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;

    @Option(names = "--unit", description = "Only unit tests.")
    private boolean unitOnly;

    @Option(
            names = "--only",
            paramLabel = "NAME",
            description = {
                "Only the integration tests of a package (its last name: failure, cluster,",
                "differential) or of a class (NodeLossIT)."
            })
    private String only;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "1",
            description = {
                "Run them N times in a row (default: ${DEFAULT-VALUE}), a line each; stop at the",
                "first run that fails and say where its logs are."
            })
    private int repeat;

    @Override
    public Integer call() throws IOException, InterruptedException {
        final List<String> command = command();
        if (repeat < 1 || repeat > MOST_RUNS) {
            throw new BadInputException("--repeat " + repeat + ": expected 1 to " + MOST_RUNS);
        }
        final Path root = work.folder().repository();
        final Path log = work.folder().root().resolve("test.log");
        final Screen screen = Screen.of(spec);
        final TestRuns runs =
                new TestRuns(
                        root,
                        log,
                        spec.commandLine().getOut(),
                        !Boolean.parseBoolean(System.getenv(NO_SKIPS)),
                        () -> verify(root, command, log, screen));
        return runs.pass(repeat) ? 0 : 1;
    }

    private List<String> command() {
        final List<String> command = new ArrayList<>();
        command.add(Optional.ofNullable(System.getenv("SPILLWAY_MVN")).orElse("mvn"));
        command.addAll(List.of("-B", MODULES_A_CORE, "--fail-at-end", "verify"));
        if (unitOnly && only != null) {
            throw new BadInputException("--unit and --only: expected one of them");
        }
        if (unitOnly) {
            command.add("-DskipITs");
        }
        if (only != null) {
            command.addAll(selection(only));
        }
        return command;
    }

    private static List<String> selection(final String name) {
        final boolean isClass = CLASS.matcher(name).matches();
        if (!isClass && !PACKAGE.matcher(name).matches()) {
            throw new BadInputException(
                    "--only "
                            + name
                            + ": expected a package, as failure, or a class, as NodeLossIT");
        }
        return List.of(
                "-Dit.test=" + (isClass ? name : "**/" + name + "/*IT"),
                "-Dfailsafe.failIfNoSpecifiedTests=false",
                // No such class: unit tests are left out, but still compiled.
                "-Dtest=None",
                "-Dsurefire.failIfNoSpecifiedTests=false");
    }

    private static int verify(
            final Path root, final List<String> command, final Path log, final Screen screen)
            throws IOException, InterruptedException {
        final ProcessBuilder builder = new ProcessBuilder(command).directory(root.toFile());
        builder.redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        final Process maven;
        try {
            maven = builder.start();
        } catch (final IOException e) {
            throw new BenchException("Maven does not start: " + e.getMessage(), e);
        }
        final Thread killer = new Thread(maven::destroy, "maven-killer");
        Runtime.getRuntime().addShutdownHook(killer);
        try (BufferedReader lines = maven.inputReader(StandardCharsets.UTF_8);
                Writer writer = Files.newBufferedWriter(log)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                writer.append(line).append('\n').flush();
                show(line, screen);
            }
            return maven.waitFor();
        }
    }

    private static void show(final String line, final Screen screen) {
        final Matcher module = MODULE.matcher(line);
        if (module.find()) {
            screen.note("[" + module.group(2) + "/" + module.group(3) + "] " + module.group(1));
        } else if (line.contains("Tests run:") && line.contains(" -- in ")) {
            screen.note("  " + line.replaceFirst("^\\[\\w+] +", ""));
        }
    }
}
