package io.spillway.cli.test;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Runs tests, once or several times in a row, and tells how they went. */
final class TestRuns {
    private static final int MOST_ERRORS = 25;

    private final Path root;
    private final Path log;
    private final PrintWriter out;
    private final boolean maySkip;
    private final Verification verification;

    /** One run of the tests. */
    @FunctionalInterface
    interface Verification {
        /** Runs them to their end and gives Maven's exit code. */
        int run() throws IOException, InterruptedException;
    }

    /**
     * Runs nothing yet.
     *
     * @param root of the checkout
     * @param log where the verification leaves Maven's output, from the start for each run
     * @param maySkip false: a run with a test that was skipped has failed
     */
    TestRuns(
            final Path root,
            final Path log,
            final PrintWriter out,
            final boolean maySkip,
            final Verification verification) {
        this.root = root;
        this.log = log;
        this.out = out;
        this.maySkip = maySkip;
        this.verification = verification;
    }

    /** Runs the tests up to so many times, and stops when some have failed. */
    boolean pass(final int times) throws IOException, InterruptedException {
        for (int run = 1; run <= times; run++) {
            final long begun = System.nanoTime();
            TestSummary.clear(root);
            CrashReports.clear(root);
            final int code = verification.run();
            final TestSummary summary = TestSummary.read(root);
            final boolean isGood = code == 0 && summary.isGood() && !lacksTests(summary);
            if (times > 1) {
                tellRun(run, times, isGood, summary, Duration.ofNanos(System.nanoTime() - begun));
            }
            if (!isGood) {
                tellFailure(summary);
                return false;
            }
            if (run == times) {
                out.print(summary.render());
                tellSkipped(summary);
            }
        }
        out.println(
                times == 1
                        ? "All tests passed."
                        : "All tests passed " + times + " times in a row.");
        out.flush();
        return true;
    }

    private boolean lacksTests(final TestSummary summary) {
        return !maySkip && summary.skippedCount() > 0;
    }

    private void tellRun(
            final int run,
            final int times,
            final boolean isGood,
            final TestSummary summary,
            final Duration duration) {
        out.printf(
                Locale.ROOT,
                "run %d of %d: %s, %d tests in %d s%n",
                run,
                times,
                isGood ? "passed" : "FAILED",
                summary.count(),
                duration.toSeconds());
        out.flush();
    }

    private void tellSkipped(final TestSummary summary) {
        summary.skipped().forEach(line -> out.println("  skipped: " + line));
    }

    private void tellFailure(final TestSummary summary) throws IOException {
        out.print(summary.render());
        tellSkipped(summary);
        if (lacksTests(summary)) {
            out.println("Skipped tests count as failed: " + TestCommand.NO_SKIPS + " is set.");
        }
        if (summary.count() == 0) {
            out.println("No test was run.");
        }
        errors().forEach(line -> out.println("  " + line));
        CrashReports.read(root).forEach(line -> out.println("  " + line));
        out.println("FAILED; log: " + log);
        out.println("Logs of the tests' clusters: " + root.resolve(".spillway/clusters"));
        out.flush();
    }

    private List<String> errors() throws IOException {
        if (!Files.exists(log)) {
            return List.of();
        }
        final List<String> found =
                Files.readAllLines(log).stream()
                        .filter(line -> line.startsWith("[ERROR]"))
                        .filter(line -> line.length() > "[ERROR] ".length())
                        .distinct()
                        .toList();
        return found.subList(0, Math.min(found.size(), MOST_ERRORS));
    }
}
