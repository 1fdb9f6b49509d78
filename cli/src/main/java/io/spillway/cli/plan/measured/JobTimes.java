// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.measured;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What one job of a comparison took. In seconds and bytes. Immutable.
 *
 * @param engine as it was named; empty for the copy
 * @param repeat from 1; 0 for the copy
 * @param maps number of maps
 * @param reduces number of reducers
 * @param wall from the submission to the end
 * @param startUp from the submission to the first map
 * @param mapPhase from the first map's start to the last one's end
 * @param mapCpu CPU of maps
 * @param reduceCpu CPU of reducers
 * @param managersCpu CPU of NodeManagers; not a number where it was not measured
 * @param mapOutputBytes as stored
 * @param outputBytes of the job
 */
record JobTimes(
        String engine,
        int repeat,
        int maps,
        int reduces,
        double wall,
        double startUp,
        double mapPhase,
        double mapCpu,
        double reduceCpu,
        double managersCpu,
        long mapOutputBytes,
        long outputBytes) {
    private static final double MILLIS = 1e3;
    private static final String HADOOP = "org.apache.hadoop.mapreduce.";

    static JobTimes read(final JsonNode job) {
        final JsonNode stages = job.path("stageMillis");
        final JsonNode counters = job.path("counters");
        return new JobTimes(
                job.path("engine").asText(""),
                job.path("repeat").asInt(0),
                job.path("maps").asInt(),
                job.path("reduces").asInt(),
                job.path("wallMillis").asLong() / MILLIS,
                stages.path("startUp").asLong() / MILLIS,
                stages.path("mapPhase").asLong() / MILLIS,
                job.path("cpuMapMillis").asLong() / MILLIS,
                job.path("cpuReduceMillis").asLong() / MILLIS,
                job.path("cpuNodeManagersMillis").asDouble(Double.NaN) / MILLIS,
                counters.path(HADOOP + "TaskCounter")
                        .path("MAP_OUTPUT_MATERIALIZED_BYTES")
                        .asLong(),
                counters.path(HADOOP + "lib.output.FileOutputFormatCounter")
                        .path("BYTES_WRITTEN")
                        .asLong());
    }
}
