package io.spillway.hadoop.reduce;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the job's completion events into sources of maps: attempts that succeeded, were lost again,
 * or will never be. Owned by the loop's thread.
 */
final class CompletionEvents {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionEvents.class);

    private final MapSlot[] maps;
    private final ChunkPool pool;
    private final ShuffleProgress progress;
    private final FetchFailures failures;
    private final NodeConnections connections;
    private final MapAttempts attempts;
    private final Takeovers takeovers;
    private final Random random;

    CompletionEvents(
            final MapSlot[] maps,
            final ChunkPool pool,
            final ShuffleProgress progress,
            final FetchFailures failures,
            final NodeConnections connections,
            final MapAttempts attempts,
            final Takeovers takeovers,
            final Random random) {
        this.maps = maps;
        this.pool = pool;
        this.progress = progress;
        this.failures = failures;
        this.connections = connections;
        this.attempts = attempts;
        this.takeovers = takeovers;
        this.random = random;
    }

    /** Takes events in their order, and starts the fetches they make possible. */
    void resolve(final TaskCompletionEvent[] events) {
        final List<MapSlot> announced = new ArrayList<>();
        for (final TaskCompletionEvent event : events) {
            final MapSlot map = slotOf(event);
            if (map != null) {
                resolve(event, map, announced);
            }
        }
        // Another order in each reducer, so that they do not all ask the same node first.
        Collections.shuffle(announced, random);
        announced.forEach(attempts::startNext);
    }

    private MapSlot slotOf(final TaskCompletionEvent event) {
        final TaskAttemptID attempt = event.getTaskAttemptId();
        final int index = attempt.getTaskID().getId();
        if (attempt.getTaskType() != TaskType.MAP || index < 0 || index >= maps.length) {
            progress.count(ShuffleError.BAD_ID);
            LOG.warn("Ignoring completion event of {}: there are {} maps", attempt, maps.length);
            return null;
        }
        return maps[index];
    }

    private void resolve(
            final TaskCompletionEvent event, final MapSlot map, final List<MapSlot> announced) {
        final TaskAttemptID attempt = event.getTaskAttemptId();
        switch (event.getTaskStatus()) {
            case SUCCEEDED -> {
                failures.mapRan(event.getTaskRunTime());
                addCandidate(map, attempt, event.getTaskTrackerHttp());
                announced.add(map);
            }
            case FAILED, KILLED, OBSOLETE -> {
                LOG.info(
                        "Ignoring obsolete output of {} map-task: '{}'",
                        event.getTaskStatus(),
                        attempt);
                obsolete(map, attempt);
            }
            case TIPFAILED -> {
                LOG.info("Ignoring output of failed map TIP: '{}'", attempt);
                abandon(map);
            }
        }
    }

    private void addCandidate(final MapSlot map, final TaskAttemptID attempt, final String url) {
        if (map.abandoned || map.isComplete()) {
            return;
        }
        if (map.candidates.stream().anyMatch(known -> known.attempt.equals(attempt))) {
            return;
        }
        final boolean wasAnnounced = map.isAnnounced();
        final ShuffleUrl where = ShuffleUrl.parse(url);
        final Node node = connections.node(where.address(), where.base());
        map.candidates.addLast(new MapSlot.Candidate(attempt, node));
        if (progress.isMerging()) {
            replaceIfLost(map);
        } else if (!wasAnnounced) {
            progress.mapAnnounced();
        }
    }

    /** A map that was lost while its records were being merged has run again. */
    private void replaceIfLost(final MapSlot map) {
        if (map.incomplete().anyMatch(f -> f.troubleSinceMillis > 0 || f.obsolete)) {
            takeovers.consider(map);
        }
    }

    private void obsolete(final MapSlot map, final TaskAttemptID attempt) {
        failures.forget(attempt);
        final boolean wasAnnounced = map.isAnnounced();
        map.candidates.stream()
                .filter(candidate -> candidate.attempt.equals(attempt))
                .forEach(candidate -> takeovers.withdrawn(map, candidate));
        map.candidates.removeIf(candidate -> candidate.attempt.equals(attempt));
        final boolean isCurrent = map.isOf(attempt);
        if (progress.isMerging() || map.isComplete()) {
            map.fetches.stream()
                    .filter(fetch -> fetch.attempt.equals(attempt))
                    .forEach(fetch -> fetch.obsolete = true);
            return;
        }
        if (isCurrent) {
            attempts.drop(map);
            attempts.startNext(map);
        }
        if (wasAnnounced && !map.isAnnounced()) {
            progress.mapWithdrawn();
        }
    }

    private void abandon(final MapSlot map) {
        if (progress.isMerging() || map.abandoned || map.isComplete()) {
            return;
        }
        final boolean wasAnnounced = map.isAnnounced();
        if (map.isBegun()) {
            attempts.drop(map);
        }
        map.candidates.clear();
        map.abandoned = true;
        for (final ChunkPool.Claim claim : map.claims) {
            pool.demand(claim, 0);
            pool.settle(claim);
        }
        if (!wasAnnounced) {
            progress.mapAnnounced();
        }
        progress.abandoned();
    }
}
