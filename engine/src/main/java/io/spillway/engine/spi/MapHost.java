// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import io.spillway.ifile.SegmentCipher;
import io.spillway.report.TaskReport;
import io.spillway.sort.KeyOrder;
import io.spillway.store.SpillStore;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.util.Progress;
import org.apache.hadoop.util.Progressable;

/**
 * What a framework gives the collector of one map task, and what it learns from it. Immutable.
 *
 * @param task the task attempt's name, for the report
 * @param order the order of keys
 * @param codecOrNull what the output is compressed with; null for none
 * @param cipher of stored spills and outputs
 * @param combinerOrNull the job's combiner; null for none
 * @param spills where spills go
 * @param output where the output goes
 * @param counters the framework's counters and limits
 * @param heartbeat a sign of life; called by the thread that spills
 * @param sortPhase how far the final merge is
 * @param stages whose code a stack of the task's thread is in: {@code READ}, {@code MAP} or {@code
 *     COLLECT}
 * @param publisher takes the task's report when the output is complete
 */
public record MapHost(
        String task,
        KeyOrder order,
        CompressionCodec codecOrNull,
        SegmentCipher cipher,
        RunCombiner combinerOrNull,
        SpillStore spills,
        OutputFiles output,
        MapCounters counters,
        Progressable heartbeat,
        Progress sortPhase,
        Function<StackTraceElement[], MapStage> stages,
        Consumer<TaskReport> publisher) {}
