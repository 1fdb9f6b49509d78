// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.remote;

import io.spillway.cli.doctor.check.Differences;
import io.spillway.cli.doctor.check.DoctorReport;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.check.HostFindings;
import io.spillway.cli.failure.CommandException;
import io.spillway.thread.DaemonThreads;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Has hosts examine themselves, and puts together what they say. */
public final class RemoteDoctor {
    /** A host that has not answered then is a finding. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final int AT_A_TIME = 64;
    private static final int MOST_TEXT = 200;

    private final List<String> by;
    private final List<String> command;
    private final Duration limit;

    /**
     * Creates it.
     *
     * @param by a command that takes a host and a command to run there
     * @param command what to run there: prints a report as JSON
     */
    public RemoteDoctor(final List<String> by, final List<String> command) {
        this(by, command, LIMIT);
    }

    /** As the other; {@code limit} is how long a host may take. */
    RemoteDoctor(final List<String> by, final List<String> command, final Duration limit) {
        this.by = List.copyOf(by);
        this.command = List.copyOf(command);
        this.limit = limit;
    }

    /** By srun in an allocation of Slurm, else by ssh. */
    public static List<String> usual(final Map<String, String> environment) {
        return environment.containsKey("SLURM_JOB_ID")
                ? List.of("srun", "--overlap", "--quiet", "--nodes=1", "--ntasks=1", "--nodelist")
                : List.of("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5");
    }

    /** Examines hosts, some at a time. */
    public DoctorReport examine(final List<String> hosts) {
        final ExecutorService threads =
                Executors.newFixedThreadPool(
                        Math.min(AT_A_TIME, hosts.size()), DaemonThreads.numbered("doctor-host"));
        try {
            final List<HostFindings> reports = onEach(threads, hosts, this::examine);
            final List<Finding> findings = new ArrayList<>(Differences.among(reports));
            findings.addAll(
                    new SharedView((some, asked) -> onEach(threads, some, host -> say(host, asked)))
                            .among(reports));
            return new DoctorReport(reports, findings);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Runs a command on one host. */
    @FunctionalInterface
    private interface Asking<T> {
        T of(String host) throws IOException;
    }

    private static <T> List<T> onEach(
            final ExecutorService threads, final List<String> hosts, final Asking<T> asking)
            throws InterruptedException {
        final List<Future<T>> asked = new ArrayList<>();
        hosts.forEach(host -> asked.add(threads.submit(() -> asking.of(host))));
        final List<T> answers = new ArrayList<>();
        try {
            for (final Future<T> answer : asked) {
                answers.add(answer.get());
            }
        } catch (final ExecutionException e) {
            throw new CommandException("cannot examine a host: " + e.getCause(), e);
        }
        return answers;
    }

    private HostFindings examine(final String host) {
        try {
            final HostFindings own = DoctorReport.parse(ask(host)).hosts().get(0);
            return new HostFindings(host, own.facts(), own.findings());
        } catch (final IOException | IndexOutOfBoundsException e) {
            return new HostFindings(
                    host,
                    Map.of(),
                    List.of(
                            Finding.error(
                                            "no answer: " + e.getMessage(),
                                            "nothing is known of that host",
                                            String.join(" ", line(host, command)))
                                    .by("host")));
        }
    }

    private List<String> line(final String host, final List<String> asked) {
        final List<String> line = new ArrayList<>(by);
        line.add(host);
        line.addAll(asked);
        return line;
    }

    /** The last line of what a host prints; others are of its shell, or of ssh. */
    private String ask(final String host) throws IOException {
        final String text = say(host, command);
        return text.lines()
                .filter(line -> line.startsWith("{"))
                .reduce((first, last) -> last)
                .orElseThrow(() -> new IOException(reason(text)));
    }

    /** Returns the output of a command on a host, until it ends or reaches the time limit. */
    private String say(final String host, final List<String> asked) throws IOException {
        final Process process =
                new ProcessBuilder(line(host, asked))
                        .redirectErrorStream(true)
                        .redirectInput(new File("/dev/null"))
                        .start();
        final Thread end = DaemonThreads.of("doctor-end", () -> endAfter(process));
        end.start();
        final String text =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        end.interrupt();
        return text;
    }

    private String reason(final String text) {
        final String said = text.strip();
        return said.isEmpty()
                ? "no output within " + limit.toSeconds() + " s"
                : said.substring(Math.max(0, said.length() - MOST_TEXT)).replace('\n', ' ');
    }

    private void endAfter(final Process process) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt(); // it has answered
        }
    }
}
