// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import io.spillway.engine.spi.MapCounters;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.tier.Tiers;
import java.io.IOException;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapreduce.TaskCounter;

/** What stock counts of spills and map output, and its limit on spills. */
final class StockCounters implements MapCounters {
    private final CollectSettings settings;
    private final Counters.Counter materializedBytes;
    private final Counters.Counter spilledRecords;

    StockCounters(final TaskReporter reporter, final CollectSettings settings) {
        this.settings = settings;
        this.materializedBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES);
        this.spilledRecords = reporter.getCounter(TaskCounter.SPILLED_RECORDS);
    }

    @Override
    public void recordsSpilled(final long count) {
        spilledRecords.increment(count);
    }

    @Override
    public void spilled(final int spills) throws IOException {
        settings.requireSpills(spills);
    }

    @Override
    public void outputWritten(final long bytes) {
        materializedBytes.increment(bytes);
    }

    @Override
    public ShuffleCounter figureOfSpill(final String tier) {
        return Tiers.named(tier).spilled(settings.stores().lookup());
    }

    @Override
    public ShuffleCounter figureOfOutput(final String tier) {
        return Tiers.named(tier).written(settings.stores().lookup());
    }
}
