package io.spillway.cli;

import io.spillway.bench.BenchException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
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

/** Runs all tests. */
@Command(
        name = "test",
        mixinStandardHelpOptions = true,
        description = {
            "Runs all tests, unit and integration (mvn verify), and prints a summary.",
            "",
            "The integration tests start clusters of their own and take some minutes."
        },
        footer = {
            "",
            "Examples:",
            "  spillway test",
            "  spillway test --unit              without the integration tests"
        })
final class TestCommand implements Callable<Integer> {
    private static final Pattern MODULE =
            Pattern.compile("Building (Spillway.*?) +[\\d.]+ +\\[(\\d+)/(\\d+)]");

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;

    @Option(names = "--unit", description = "Only unit tests.")
    private boolean unitOnly;

    @Override
    public Integer call() throws IOException, InterruptedException {
        final Path root = work.folder().repository();
        final Path log = work.folder().root().resolve("test.log");
        final Screen screen = new Screen(spec.commandLine().getErr());
        TestSummary.clear(root);
        final int code = verify(root, log, screen);
        final TestSummary summary = TestSummary.read(root);
        final PrintWriter out = spec.commandLine().getOut();
        out.print(summary.render());
        if (code != 0) {
            errors(log).forEach(line -> out.println("  " + line));
            out.println("FAILED; log: " + log);
        } else {
            out.println("All tests passed.");
        }
        out.flush();
        return code == 0 && summary.isGood() ? 0 : 1;
    }

    private int verify(final Path root, final Path log, final Screen screen)
            throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>();
        command.add(Optional.ofNullable(System.getenv("SPILLWAY_MVN")).orElse("mvn"));
        command.addAll(List.of("-B", "--fail-at-end", "verify"));
        if (unitOnly) {
            command.add("-DskipITs");
        }
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

    private static List<String> errors(final Path log) throws IOException {
        final List<String> found =
                Files.readAllLines(log).stream()
                        .filter(line -> line.startsWith("[ERROR]"))
                        .filter(line -> line.length() > "[ERROR] ".length())
                        .distinct()
                        .toList();
        return found.subList(0, Math.min(found.size(), 25));
    }
}
