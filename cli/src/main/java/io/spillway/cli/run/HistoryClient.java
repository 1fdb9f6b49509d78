// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.Rest;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Reads finished jobs from a JobHistoryServer. Immutable and thread-safe. */
public final class HistoryClient {
    private static final String PATH = "/ws/v1/history/mapreduce/jobs";
    private static final Pattern JOB_ID = Pattern.compile("job_\\d+_\\d+");
    private static final Duration PAUSE = Duration.ofMillis(300);

    private final URI server;
    private final Rest rest;

    /** Reads from the server at this address, as {@code http://localhost:19888}. */
    public HistoryClient(final URI server) {
        this(server, Rest.DIRECT);
    }

    private HistoryClient(final URI server, final Rest rest) {
        this.server = server;
        this.rest = rest;
    }

    /** Reads from a site's server, where it has one. */
    public static Optional<HistoryClient> of(final HadoopSite site) {
        return site.historyServer().map(server -> new HistoryClient(server, new Rest(site.web())));
    }

    /**
     * The figures of a job, which may have ended a moment ago and not be in the history yet.
     *
     * @param patience how long to wait for it
     */
    public JobFigures job(final String jobId, final Duration patience) {
        checkId(jobId);
        final JsonNode job = await(jobId, patience);
        try {
            final JsonNode counters = rest.get(resource("/" + jobId + "/counters"));
            return JobFigures.read(job, counters, attemptsOf(jobId, "m"), attemptsOf(jobId, "r"));
        } catch (final IOException e) {
            throw new CommandException("history of " + jobId + ": " + e, e);
        }
    }

    /**
     * The ids of all jobs that have ended.
     *
     * @throws CommandException when the server does not answer
     */
    public List<String> jobs() {
        try {
            final JsonNode jobs = rest.get(resource("")).path("jobs").path("job");
            return Rest.elements(jobs).stream().map(job -> job.path("id").asText()).toList();
        } catch (final IOException e) {
            throw new CommandException("the history of " + server + ": " + e, e);
        }
    }

    /** Why the failed tasks of a job failed, one text an attempt. */
    public List<String> diagnostics(final String jobId, final Duration patience) {
        checkId(jobId);
        final JsonNode job = await(jobId, patience);
        final List<String> all = new ArrayList<>();
        add(all, jobId, job.path("job").path("diagnostics").asText());
        try {
            for (final JsonNode task : tasks(jobId)) {
                if (!"SUCCEEDED".equals(task.path("state").asText())) {
                    addFailedAttempts(all, jobId, task.path("id").asText());
                }
            }
        } catch (final IOException e) {
            throw new CommandException("history of " + jobId + ": " + e, e);
        }
        return all;
    }

    private void addFailedAttempts(final List<String> all, final String jobId, final String task)
            throws IOException {
        for (final JsonNode attempt : attempts(jobId, task)) {
            if ("FAILED".equals(attempt.path("state").asText())) {
                add(all, attempt.path("id").asText(), attempt.path("diagnostics").asText());
            }
        }
    }

    private static void add(final List<String> all, final String who, final String text) {
        if (!text.isBlank()) {
            all.add(who + ": " + text.trim());
        }
    }

    private static void checkId(final String jobId) {
        if (!JOB_ID.matcher(jobId).matches()) {
            throw new BadInputException("job id '" + jobId + "': expected job_<time>_<number>");
        }
    }

    private JsonNode await(final String jobId, final Duration patience) {
        final long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                return rest.get(resource("/" + jobId));
            } catch (final FileNotFoundException e) {
                if (System.nanoTime() > deadline) {
                    throw new BadInputException(
                            "the JobHistoryServer at " + server + " knows no job " + jobId);
                }
            } catch (final IOException e) {
                if (System.nanoTime() > deadline) {
                    throw new CommandException(
                            "the JobHistoryServer at " + server + " does not answer: " + e, e);
                }
            }
            pause();
        }
    }

    /** The successful attempts of all tasks of one kind. */
    private List<JsonNode> attemptsOf(final String jobId, final String kind) throws IOException {
        final List<JsonNode> found = new ArrayList<>();
        final JsonNode tasks = rest.get(resource("/" + jobId + "/tasks?type=" + kind));
        for (final JsonNode task : Rest.elements(tasks.path("tasks").path("task"))) {
            final String id = task.path("id").asText();
            final String successful = task.path("successfulAttempt").asText();
            if (!successful.isEmpty()) {
                found.add(
                        rest.get(resource("/" + jobId + "/tasks/" + id + "/attempts/" + successful))
                                .path("taskAttempt"));
            }
        }
        return found;
    }

    private List<JsonNode> tasks(final String jobId) throws IOException {
        return Rest.elements(rest.get(resource("/" + jobId + "/tasks")).path("tasks").path("task"));
    }

    private List<JsonNode> attempts(final String jobId, final String task) throws IOException {
        final JsonNode answer = rest.get(resource("/" + jobId + "/tasks/" + task + "/attempts"));
        return Rest.elements(answer.path("taskAttempts").path("taskAttempt"));
    }

    private URI resource(final String path) {
        return server.resolve(PATH + path);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        }
    }
}
