// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.combine;

import io.spillway.engine.spi.RunCombiner;
import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * The combiner of a reducer's merges in memory, created when it is first needed. Owned by the
 * merging thread.
 *
 * <p>As in stock, it groups by the combiner's own comparator and counts in the task's COMBINE
 * counters. Beyond stock's in-memory merge, which runs combiners of the old API only and without a
 * reporter, those of the new API run too, and what a combiner counts or reports is the task's.
 */
public final class MergeCombiner implements RunCombiner.Source {
    private final JobConf conf;
    private final TaskAttemptID attempt;
    private final Reporter reporter;
    private RunCombiner combiner;

    public MergeCombiner(
            final ShuffleConsumerPlugin.Context<?, ?> context, final TaskAttemptID attempt) {
        this.conf = context.getJobConf();
        this.attempt = attempt;
        this.reporter = context.getReporter();
    }

    /** Whether the job has a combiner that can run here: Hadoop wants a reporter of its own. */
    @Override
    public boolean exists() {
        return reporter instanceof TaskReporter && Combiner.isSetIn(conf);
    }

    @Override
    public RunCombiner get() throws IOException, ClassNotFoundException {
        if (combiner == null) {
            combiner = Combiner.of(conf, attempt, (TaskReporter) reporter);
        }
        return combiner;
    }
}
