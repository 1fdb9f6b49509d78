// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.site.Rest;
import io.spillway.cli.site.ServiceCpu;
import io.spillway.hadoop.report.FigureCounters;
import io.spillway.report.ShuffleCounter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the job history tells about one finished job. Times are in milliseconds.
 *
 * @param jobId its id
 * @param name its name
 * @param state SUCCEEDED, FAILED, KILLED, ...
 * @param submitted when it was submitted, since the epoch
 * @param wallMillis from its submission to its end
 * @param maps number of map tasks
 * @param reduces number of reduce tasks
 * @param stages where the time went
 * @param mapStages what its maps' logs tell, where they are at hand
 * @param reduceReports what its reducers' logs tell, where they are at hand; none of the stock
 *     engine
 * @param counters by group and name; those that hold Spillway's figures are the group {@link
 *     #FIGURES}, by the figures' names
 * @param services CPU that the processes which serve map output took meanwhile
 */
public record JobFigures(
        String jobId,
        String name,
        String state,
        long submitted,
        long wallMillis,
        int maps,
        int reduces,
        JobStages stages,
        Optional<MapStages> mapStages,
        List<ReduceReport> reduceReports,
        Map<String, Map<String, CounterValue>> counters,
        ServiceCpu services) {
    /** The group of Spillway's own figures among the counters. */
    public static final String FIGURES = "Spillway";

    private static final String TASK_GROUP = "org.apache.hadoop.mapreduce.TaskCounter";
    private static final String FILE_GROUP = "org.apache.hadoop.mapreduce.FileSystemCounter";
    private static final String OUTPUT_GROUP =
            "org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter";

    /** The suffixes of Hadoop's counters that are maxima, not sums. */
    private static final String MAXIMUM = "_MAX";

    private static final CounterValue ZERO = new CounterValue(0, 0, 0);

    /** Copies what is mutable. */
    public JobFigures {
        reduceReports = List.copyOf(reduceReports);
    }

    /**
     * A counter's value.
     *
     * @param map summed over maps
     * @param reduce summed over reduces
     * @param total summed over the job
     */
    public record CounterValue(long map, long reduce, long total) {
        private CounterValue plus(final CounterValue other) {
            return new CounterValue(map + other.map, reduce + other.reduce, total + other.total);
        }

        private CounterValue most(final CounterValue other) {
            return new CounterValue(
                    Math.max(map, other.map),
                    Math.max(reduce, other.reduce),
                    Math.max(total, other.total));
        }
    }

    /** Reads the answers of the JobHistoryServer's REST service. */
    static JobFigures read(
            final JsonNode job,
            final JsonNode counters,
            final List<JsonNode> mapAttempts,
            final List<JsonNode> reduceAttempts) {
        final JsonNode body = job.path("job");
        final long submitted = body.path("submitTime").asLong();
        final long finished = body.path("finishTime").asLong();
        return new JobFigures(
                body.path("id").asText(),
                body.path("name").asText(),
                body.path("state").asText(),
                submitted,
                finished - submitted,
                body.path("mapsTotal").asInt(),
                body.path("reducesTotal").asInt(),
                JobStages.of(submitted, finished, mapAttempts, reduceAttempts),
                Optional.empty(),
                List.of(),
                readCounters(counters),
                ServiceCpu.UNKNOWN);
    }

    /**
     * Combines the figures of all jobs of one program into those of one job, with the last job's
     * id. Times are from the first submission to the last end, means are over all tasks, maxima are
     * over all jobs, and all other figures are sums.
     *
     * @param jobs at least one, in the order of their submission
     */
    static JobFigures ofChain(final List<JobFigures> jobs) {
        final JobFigures last = jobs.get(jobs.size() - 1);
        if (jobs.size() == 1) {
            return last;
        }
        final long begin = jobs.stream().mapToLong(JobFigures::submitted).min().orElseThrow();
        final long end =
                jobs.stream()
                        .mapToLong(job -> job.submitted() + job.wallMillis())
                        .max()
                        .orElseThrow();
        return new JobFigures(
                last.jobId(),
                last.name() + " and " + (jobs.size() - 1) + " jobs before",
                last.state(),
                begin,
                end - begin,
                jobs.stream().mapToInt(JobFigures::maps).sum(),
                jobs.stream().mapToInt(JobFigures::reduces).sum(),
                JobStages.ofChain(jobs),
                MapStages.sum(jobs.stream().flatMap(job -> job.mapStages().stream()).toList()),
                jobs.stream().flatMap(job -> job.reduceReports().stream()).toList(),
                sum(jobs),
                ServiceCpu.UNKNOWN);
    }

    private static Map<String, Map<String, CounterValue>> sum(final List<JobFigures> jobs) {
        final Map<String, Map<String, CounterValue>> all = new TreeMap<>();
        for (final JobFigures job : jobs) {
            job.counters()
                    .forEach(
                            (group, counters) -> {
                                final Map<String, CounterValue> sums =
                                        all.computeIfAbsent(group, key -> new TreeMap<>());
                                counters.forEach(
                                        (name, value) ->
                                                sums.merge(
                                                        name,
                                                        value,
                                                        name.endsWith(MAXIMUM)
                                                                ? CounterValue::most
                                                                : CounterValue::plus));
                            });
        }
        return all;
    }

    /** The same with what the logs of its tasks tell. */
    public JobFigures withLogs(final List<Path> logs) {
        return new JobFigures(
                jobId,
                name,
                state,
                submitted,
                wallMillis,
                maps,
                reduces,
                stages,
                MapStages.read(logs),
                ReduceReport.read(logs),
                counters,
                services);
    }

    /** The same with what the site's services took while it ran. */
    public JobFigures withServices(final ServiceCpu taken) {
        return new JobFigures(
                jobId,
                name,
                state,
                submitted,
                wallMillis,
                maps,
                reduces,
                stages,
                mapStages,
                reduceReports,
                counters,
                taken);
    }

    private static Map<String, Map<String, CounterValue>> readCounters(final JsonNode counters) {
        final Map<String, Map<String, CounterValue>> all = new TreeMap<>();
        for (final JsonNode group :
                Rest.elements(counters.path("jobCounters").path("counterGroup"))) {
            final String groupName = group.path("counterGroupName").asText();
            for (final JsonNode counter : Rest.elements(group.path("counter"))) {
                put(all, groupName, counter);
            }
        }
        return all;
    }

    private static void put(
            final Map<String, Map<String, CounterValue>> all,
            final String group,
            final JsonNode counter) {
        final String name = counter.path("name").asText();
        final Optional<String> figure =
                group.equals(FigureCounters.GROUP)
                        ? FigureCounters.figureOf(name)
                        : Optional.empty();
        all.computeIfAbsent(figure.isPresent() ? FIGURES : group, key -> new TreeMap<>())
                .put(
                        figure.orElse(name),
                        new CounterValue(
                                counter.path("mapCounterValue").asLong(),
                                counter.path("reduceCounterValue").asLong(),
                                counter.path("totalCounterValue").asLong()));
    }

    /** Whether the job ended well. */
    public boolean succeeded() {
        return "SUCCEEDED".equals(state);
    }

    /** A counter, zero where the job has none of this name. */
    public CounterValue counter(final String group, final String name) {
        return counters.getOrDefault(group, Map.of()).getOrDefault(name, ZERO);
    }

    /** One of Spillway's figures, zero where the job has none of this name. */
    public CounterValue figure(final ShuffleCounter figure) {
        return counter(FIGURES, figure.name());
    }

    /** One of Hadoop's task counters. */
    public CounterValue task(final String name) {
        return counter(TASK_GROUP, name);
    }

    /** CPU time of successful tasks, in milliseconds. */
    public CounterValue cpuMillis() {
        return task("CPU_MILLISECONDS");
    }

    /** Records written to local disk between map() and reduce(). */
    public long spilledRecords() {
        return task("SPILLED_RECORDS").total();
    }

    /**
     * Bytes written through Hadoop's local file system, the job's output included if it is there.
     */
    public long fileBytesWritten() {
        return counter(FILE_GROUP, "FILE_BYTES_WRITTEN").total();
    }

    /** The same, of map tasks only: spills and map outputs. */
    public long fileBytesWrittenByMaps() {
        return counter(FILE_GROUP, "FILE_BYTES_WRITTEN").map();
    }

    /** Bytes of the job's output. */
    public long outputBytes() {
        return counter(OUTPUT_GROUP, "BYTES_WRITTEN").total();
    }

    /**
     * Bytes written to local disk between map() and reduce().
     *
     * @param outputOnLocalFiles whether the job's output went through the local file system too
     */
    public long intermediateBytesWritten(final boolean outputOnLocalFiles) {
        final long all = fileBytesWritten();
        return outputOnLocalFiles ? Math.max(0, all - outputBytes()) : all;
    }
}
