// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import io.spillway.report.TaskReport;
import io.spillway.sort.KeyOrder;
import io.spillway.transport.JobCredentials;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.util.Progressable;

/**
 * What a framework gives the shuffle of one reduce task, and what it learns from it. Immutable.
 *
 * @param outputs where map outputs are
 * @param job what the job does to records
 * @param task what is shown of the task
 * @param stores where runs go that leave memory
 */
public record ShuffleHost(MapOutputs outputs, JobRecords job, TaskView task, RunStores stores) {
    /**
     * Where map outputs are.
     *
     * @param events that they are ready, or gone
     * @param places where those are whose node cannot be reached
     * @param failures those that cannot be had
     * @param credentials what the task proves itself with to nodes
     */
    public record MapOutputs(
            OutputFeed events,
            OutputPlaces places,
            FailureReports failures,
            JobCredentials credentials) {}

    /**
     * What the job does to records.
     *
     * @param orders the order of keys, each time with a comparator of its own: these may have state
     * @param combiner the job's combiner
     * @param codecOrNull what map outputs are compressed with; null for none
     */
    public record JobRecords(
            Supplier<KeyOrder> orders, RunCombiner.Source combiner, CompressionCodec codecOrNull) {}

    /**
     * What is shown of the task.
     *
     * @param copying how far the copy phase is
     * @param counters the framework's counters
     * @param heartbeat a sign of life; called by the task thread
     * @param publisher takes the task's report when everything is freed
     */
    public record TaskView(
            CopyProgress copying,
            TaskCounters counters,
            Progressable heartbeat,
            Consumer<TaskReport> publisher) {}
}
