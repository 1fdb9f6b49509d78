// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.combine;

import io.spillway.engine.spi.RunCombiner;
import java.io.IOException;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.Task.CombinerRunner;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;

/**
 * Runs the job's combiner, of the old or the new API, and writes what it collects as {@code
 * Task.CombineOutputCollector} and {@code IFile.Writer} do. Both sides of the shuffle use it. One
 * thread.
 *
 * @param <K> map output key
 * @param <V> map output value
 */
public final class Combiner<K, V> implements RunCombiner {
    private static final String OLD_COMBINER = "mapred.combiner.class";

    private final CombinerRunner<K, V> runner;
    private final Counters.Counter inputRecords;
    private final Counters.Counter outputRecords;
    private final TaskReporter reporter;
    private final long recordsBeforeProgress;
    private final DataOutputBuffer buffer = new DataOutputBuffer();
    private final RecordSerializer<K, V> serializer;

    private Combiner(
            final CombinerRunner<K, V> runner,
            final Counters.Counter inputRecords,
            final JobConf job,
            final TaskReporter reporter)
            throws IOException {
        this.runner = runner;
        this.inputRecords = inputRecords;
        this.reporter = reporter;
        this.outputRecords = reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS);
        this.recordsBeforeProgress =
                Math.max(
                        1,
                        job.getLong(
                                MRJobConfig.COMBINE_RECORDS_BEFORE_PROGRESS,
                                Task.DEFAULT_COMBINE_RECORDS_BEFORE_PROGRESS));
        this.serializer = new RecordSerializer<>(job, buffer);
    }

    /** Whether a job has a combiner, of either API. */
    public static boolean isSetIn(final JobConf job) {
        return job.get(OLD_COMBINER) != null || job.get(MRJobConfig.COMBINE_CLASS_ATTR) != null;
    }

    /** The job's combiner, or null when it has none. */
    public static <K, V> Combiner<K, V> of(
            final JobConf job, final TaskAttemptID attempt, final TaskReporter reporter)
            throws IOException, ClassNotFoundException {
        final Counters.Counter inputRecords =
                reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS);
        final CombinerRunner<K, V> runner =
                CombinerRunner.create(job, attempt, inputRecords, reporter, null);
        return runner == null ? null : new Combiner<>(runner, inputRecords, job, reporter);
    }

    /** As stock counts; what the job's combiner counts itself stays, as ever when it runs again. */
    @Override
    public Runnable mark() {
        final long input = inputRecords.getValue();
        final long output = outputRecords.getValue();
        return () -> {
            inputRecords.setValue(input);
            outputRecords.setValue(output);
        };
    }

    /** Combines sorted records of one partition. */
    @Override
    public void combine(final Records records, final Sink sink)
            throws IOException, InterruptedException, ClassNotFoundException {
        runner.combine(new CursorIterator(records), collectorInto(sink));
    }

    private OutputCollector<K, V> collectorInto(final Sink sink) {
        return new OutputCollector<>() {
            @Override
            public synchronized void collect(final K key, final V value) throws IOException {
                outputRecords.increment(1);
                append(key, value, sink);
                if (outputRecords.getValue() % recordsBeforeProgress == 0) {
                    reporter.progress();
                }
            }
        };
    }

    private void append(final K key, final V value, final Sink sink) throws IOException {
        requireClass("key", key, serializer.keyClass());
        requireClass("value", value, serializer.valueClass());
        buffer.reset();
        serializer.key(key);
        final int keyLength = buffer.getLength();
        serializer.value(value);
        final int valueLength = buffer.getLength() - keyLength;
        sink.append(buffer.getData(), 0, keyLength, buffer.getData(), keyLength, valueLength);
    }

    private static void requireClass(
            final String what, final Object object, final Class<?> expected) throws IOException {
        if (object.getClass() != expected) {
            throw new IOException(
                    "wrong " + what + " class: " + object.getClass() + " is not " + expected);
        }
    }
}
