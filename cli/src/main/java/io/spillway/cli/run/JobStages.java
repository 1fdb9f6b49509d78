// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Where a job's time went, from the successful attempts of its tasks. Milliseconds.
 *
 * @param startUp from submission to the first map's start
 * @param mapPhase from the first map's start to the last map's end
 * @param shuffleAfterMaps from the last map's end to the last reducer's end of shuffle
 * @param mergeAfterMaps from the last map's end to the last reducer's end of merge: before it,
 *     stock calls no reduce()
 * @param tail from the last map's end to the job's end: what cannot overlap with maps
 * @param meanMap mean time of a map
 * @param meanShuffle mean time of a reducer's shuffle
 * @param meanMerge mean time of a reducer's merge (Hadoop calls it sort)
 * @param meanReduce mean time of a reducer's reduce phase
 * @param tasks when each of them ran, job by job, maps first
 */
public record JobStages(
        long startUp,
        long mapPhase,
        long shuffleAfterMaps,
        long mergeAfterMaps,
        long tail,
        long meanMap,
        long meanShuffle,
        long meanMerge,
        long meanReduce,
        List<TaskTime> tasks) {
    /** Copies what is mutable. */
    public JobStages {
        tasks = List.copyOf(tasks);
    }

    /**
     * When the successful attempt of a task ran.
     *
     * @param isMap whether the task is a map
     * @param start since the job was submitted
     * @param end since the job was submitted
     */
    public record TaskTime(boolean isMap, long start, long end) {}

    static JobStages of(
            final long submitted,
            final long finished,
            final List<JsonNode> maps,
            final List<JsonNode> reduces) {
        final long firstMap = maps.stream().mapToLong(start()).min().orElse(submitted);
        final long lastMap = maps.stream().mapToLong(end()).max().orElse(submitted);
        final long lastShuffle =
                reduces.stream().mapToLong(time("shuffleFinishTime")).max().orElse(lastMap);
        final long lastMerge =
                reduces.stream().mapToLong(time("mergeFinishTime")).max().orElse(lastMap);
        return new JobStages(
                Math.max(0, firstMap - submitted),
                lastMap - firstMap,
                Math.max(0, lastShuffle - lastMap),
                Math.max(0, lastMerge - lastMap),
                Math.max(0, finished - lastMap),
                mean(maps, node -> end().applyAsLong(node) - start().applyAsLong(node)),
                mean(reduces, time("elapsedShuffleTime")),
                mean(reduces, time("elapsedMergeTime")),
                mean(reduces, time("elapsedReduceTime")),
                Stream.concat(times(maps, true, submitted), times(reduces, false, submitted))
                        .toList());
    }

    private static Stream<TaskTime> times(
            final List<JsonNode> attempts, final boolean areMaps, final long submitted) {
        return attempts.stream()
                .map(
                        node ->
                                new TaskTime(
                                        areMaps,
                                        start().applyAsLong(node) - submitted,
                                        end().applyAsLong(node) - submitted));
    }

    /** Combines the jobs of one program: phases are sums, means are over all tasks. */
    static JobStages ofChain(final List<JobFigures> jobs) {
        return new JobStages(
                sum(jobs, JobStages::startUp),
                sum(jobs, JobStages::mapPhase),
                sum(jobs, JobStages::shuffleAfterMaps),
                sum(jobs, JobStages::mergeAfterMaps),
                sum(jobs, JobStages::tail),
                mean(jobs, JobFigures::maps, JobStages::meanMap),
                mean(jobs, JobFigures::reduces, JobStages::meanShuffle),
                mean(jobs, JobFigures::reduces, JobStages::meanMerge),
                mean(jobs, JobFigures::reduces, JobStages::meanReduce),
                jobs.stream()
                        .flatMap(
                                job ->
                                        job.stages()
                                                .after(job.submitted() - jobs.get(0).submitted()))
                        .toList());
    }

    /** Returns the times of the tasks relative to a job that began so much earlier. */
    private Stream<TaskTime> after(final long millis) {
        return tasks.stream()
                .map(
                        task ->
                                new TaskTime(
                                        task.isMap(), task.start() + millis, task.end() + millis));
    }

    private static long sum(final List<JobFigures> jobs, final ToLongFunction<JobStages> phase) {
        return jobs.stream().mapToLong(job -> phase.applyAsLong(job.stages())).sum();
    }

    private static long mean(
            final List<JobFigures> jobs,
            final ToIntFunction<JobFigures> tasks,
            final ToLongFunction<JobStages> mean) {
        final long sum =
                jobs.stream()
                        .mapToLong(job -> tasks.applyAsInt(job) * mean.applyAsLong(job.stages()))
                        .sum();
        return sum / Math.max(1, jobs.stream().mapToInt(tasks).sum());
    }

    private static ToLongFunction<JsonNode> start() {
        return time("startTime");
    }

    private static ToLongFunction<JsonNode> end() {
        return time("finishTime");
    }

    private static ToLongFunction<JsonNode> time(final String field) {
        return node -> node.path(field).asLong();
    }

    private static long mean(final List<JsonNode> attempts, final ToLongFunction<JsonNode> time) {
        return Math.round(attempts.stream().mapToLong(time).average().orElse(0));
    }
}
