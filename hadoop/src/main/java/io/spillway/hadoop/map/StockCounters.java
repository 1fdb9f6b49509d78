package io.spillway.hadoop.map;

import io.spillway.engine.spi.MapCounters;
import io.spillway.hadoop.tier.TaskTiers;
import io.spillway.report.ShuffleFigure;
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
    public ShuffleFigure figureOfSpill(final String tier) {
        return switch (tier) {
            case TaskTiers.HEAP, TaskTiers.MEMORY -> ShuffleFigure.SPILL_MEMORY_BYTES;
            case TaskTiers.NVM ->
                    isEmulated()
                            ? ShuffleFigure.SPILL_EMULATED_NVM_BYTES
                            : ShuffleFigure.SPILL_NVM_BYTES;
            case TaskTiers.LUSTRE -> ShuffleFigure.SPILL_LUSTRE_BYTES;
            default -> ShuffleFigure.SPILL_DISK_BYTES;
        };
    }

    @Override
    public ShuffleFigure figureOfOutput(final String tier) {
        if (TaskTiers.DISK.equals(tier)) {
            return ShuffleFigure.OUTPUT_DISK_BYTES;
        }
        return TaskTiers.NVM.equals(tier) && isEmulated()
                ? ShuffleFigure.OUTPUT_EMULATED_NVM_BYTES
                : ShuffleFigure.OUTPUT_MEMORY_BYTES;
    }

    private boolean isEmulated() {
        return settings.stores().emulation().isOn();
    }
}
