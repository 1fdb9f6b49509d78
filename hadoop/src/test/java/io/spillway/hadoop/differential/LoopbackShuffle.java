// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Gives a reducer of LocalJobRunner the fetch path of a real cluster: moves the job's map outputs
 * to shuffle handlers in this JVM and hands the shuffle under test a context as a task on a
 * NodeManager has it, with a job id, a shuffle secret, completion events and no local map files.
 */
public final class LoopbackShuffle<K, V> implements ShuffleConsumerPlugin<K, V> {
    /** The class of the shuffle under test. */
    static final String DELEGATE = "differential.loopback.delegate";

    private ShuffleConsumerPlugin<K, V> delegate;

    @Override
    public void init(final Context<K, V> context) {
        final LoopbackJob job = admit(context);
        context.getReduceTask().setShuffleSecret(job.secret());
        delegate = newDelegate(context.getJobConf());
        delegate.init(onCluster(context, job));
    }

    @Override
    public RawKeyValueIterator run() throws IOException, InterruptedException {
        return delegate.run();
    }

    @Override
    public void close() {
        delegate.close();
    }

    private LoopbackJob admit(final Context<K, V> context) {
        try {
            return LoopbackNodes.admit(
                    context.getReduceId().getJobID(),
                    context.getLocalMapFiles(),
                    context.getJobConf());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked") // a class name cannot carry the type parameters
    private ShuffleConsumerPlugin<K, V> newDelegate(final JobConf conf) {
        return ReflectionUtils.newInstance(
                conf.getClass(DELEGATE, Shuffle.class, ShuffleConsumerPlugin.class), conf);
    }

    private Context<K, V> onCluster(final Context<K, V> local, final LoopbackJob job) {
        return new Context<>(
                reduceAttempt(local, job),
                local.getJobConf(),
                local.getLocalFS(),
                job.umbilical(local.getUmbilical()),
                local.getLocalDirAllocator(),
                local.getReporter(),
                local.getCodec(),
                local.getCombinerClass(),
                local.getCombineCollector(),
                local.getSpilledRecordsCounter(),
                local.getReduceCombineInputCounter(),
                local.getShuffledMapsCounter(),
                local.getReduceShuffleBytes(),
                local.getFailedShuffleCounter(),
                local.getMergedMapOutputsCounter(),
                local.getStatus(),
                local.getCopyPhase(),
                local.getMergePhase(),
                local.getReduceTask(),
                local.getMapOutputFile(),
                null);
    }

    private TaskAttemptID reduceAttempt(final Context<K, V> local, final LoopbackJob job) {
        final TaskID task = local.getReduceId().getTaskID();
        return new TaskAttemptID(
                job.id().getJtIdentifier(),
                job.id().getId(),
                task.getTaskType(),
                task.getId(),
                local.getReduceId().getId());
    }
}
