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
 * @param events where map outputs are
 * @param copying how far the copy phase is
 * @param heartbeat a sign of life; called by the task thread
 * @param counters the framework's counters
 * @param failures outputs that cannot be had
 * @param places where outputs are whose node cannot be reached
 * @param orders the order of keys, each time with a comparator of its own: these may have state
 * @param combiner the job's combiner
 * @param codecOrNull what map outputs are compressed with; null for none
 * @param stores where runs go that leave memory
 * @param credentials what the task proves itself with to nodes
 * @param publisher takes the task's report when everything is freed
 */
public record ShuffleHost(
        OutputFeed events,
        CopyProgress copying,
        Progressable heartbeat,
        TaskCounters counters,
        FailureReports failures,
        OutputPlaces places,
        Supplier<KeyOrder> orders,
        RunCombiner.Source combiner,
        CompressionCodec codecOrNull,
        RunStores stores,
        JobCredentials credentials,
        Consumer<TaskReport> publisher) {}
