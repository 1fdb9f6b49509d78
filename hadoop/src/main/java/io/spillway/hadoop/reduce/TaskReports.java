// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.spi.FailureReports;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.ShuffleError;
import io.spillway.engine.spi.TaskCounters;
import java.io.IOException;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts in stock's counters, and reports failed fetches to the MRAppMaster. */
final class TaskReports implements TaskCounters, FailureReports {
    private static final Logger LOG = LoggerFactory.getLogger(TaskReports.class);

    /** Stock's group of counters of failed fetches. */
    static final String ERRORS = "Shuffle Errors";

    private final ShuffleConsumerPlugin.Context<?, ?> context;

    TaskReports(final ShuffleConsumerPlugin.Context<?, ?> context) {
        this.context = context;
    }

    @Override
    public void mapShuffled() {
        context.getShuffledMapsCounter().increment(1);
    }

    @Override
    public void bytesShuffled(final long bytes) {
        context.getReduceShuffleBytes().increment(bytes);
    }

    @Override
    public void outputsMerged(final long count) {
        context.getMergedMapOutputsCounter().increment(count);
    }

    @Override
    public void fetchFailed() {
        context.getFailedShuffleCounter().increment(1);
    }

    @Override
    public long failedFetches() {
        return context.getFailedShuffleCounter().getValue();
    }

    @Override
    public void failed(final ShuffleError error) {
        final Counters.Counter counter = context.getReporter().getCounter(ERRORS, error.name());
        if (counter != null) {
            counter.increment(1);
        }
    }

    @Override
    public void outputFailed(final OutputId output) {
        context.getStatus().addFetchFailedMap(MapOutputEvents.attempt(output));
    }

    @Override
    public void send() {
        try {
            context.getReduceTask().statusUpdate(context.getUmbilical());
        } catch (final IOException | RuntimeException e) {
            LOG.warn("Cannot report fetch failures to the MRAppMaster", e);
        }
    }
}
