// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.TestSegment;
import io.spillway.engine.reduce.thread.ShuffleThreads;
import io.spillway.engine.reduce.thread.SystemThreads;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.job.ShuffleTls;
import io.spillway.hadoop.report.FigureCounters;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MROutputFiles;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.Progress;

/** One reduce task as Hadoop sets it up, without Hadoop. */
final class ReduceFixture {
    static final JobID JOB = new JobID("1700000000000", 1);
    static final int PARTITION = 3;
    static final SecretKey SECRET =
            new SecretKeySpec("the job's secret".getBytes(StandardCharsets.UTF_8), "HmacSHA1");

    final JobConf conf = new JobConf(false);
    final TestUmbilical umbilical = new TestUmbilical();
    final Counters counters = new Counters();
    final List<TaskAttemptID> reported = new ArrayList<>();
    final Progress root = new Progress();
    final Progress copyPhase = root.addPhase("copy");
    final Progress mergePhase = root.addPhase("sort");
    final TaskStatus status = new Status(counters, reported);
    final TaskAttemptID reduceId =
            new TaskAttemptID(JOB.getJtIdentifier(), JOB.getId(), TaskType.REDUCE, PARTITION, 0);
    final ReduceTask task;
    long heapBytes = Runtime.getRuntime().maxMemory();
    CompressionCodec codec;
    Reporter reporter = new TestReporter(counters);
    Map<TaskAttemptID, MapOutputFile> localMapFiles;

    ReduceFixture(final int numMaps, final Path localDir) {
        conf.setNumMapTasks(numMaps);
        conf.setNumReduceTasks(PARTITION + 1);
        conf.setMapOutputKeyClass(Text.class);
        conf.setMapOutputValueClass(Text.class);
        conf.set(MRConfig.LOCAL_DIR, localDir.toString());
        conf.set("fs.file.impl", "org.apache.hadoop.fs.LocalFileSystem");
        conf.set("fs.defaultFS", "file:///");
        conf.setLong(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, 100);
        set(EngineKeys.SHUFFLE_POLL_INTERVAL.name(), "50");
        set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "4m");
        task = new ReduceTask("job.xml", reduceId, PARTITION, numMaps, 1);
        task.setConf(conf);
        task.setShuffleSecret(SECRET);
    }

    ReduceFixture set(final String name, final String value) {
        conf.set(name, value);
        return this;
    }

    /**
     * As in a real task; combiners need it. Counters are then in it, see {@link #reporterCount}.
     */
    ReduceFixture withHadoopsReporter() {
        reporter = task.new TaskReporter(root, umbilical.protocol());
        return this;
    }

    long reporterCount(final Enum<?> counter) {
        return reporter.getCounter(counter).getValue();
    }

    /** A budget of exactly two windows of {@code window} bytes a map. */
    ReduceFixture minimalBuffer(final int window) {
        final long bytes = 2L * window * conf.getNumMapTasks();
        set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), Integer.toString(window));
        set(EngineKeys.SHUFFLE_WINDOW_MAX.name(), Integer.toString(Math.max(4096, window)));
        return set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), Long.toString(bytes));
    }

    /**
     * What a buffer of so many bytes may take in all. One that is just large enough for two windows
     * a map has no room for the heads that cross chunks: they come on top.
     */
    static long withHeads(final long bufferBytes) {
        return bufferBytes + bufferBytes / 10;
    }

    /** Waits until a condition holds no more; for threads beside the task's. */
    static void awaitWhile(final BooleanSupplier condition) {
        try {
            while (condition.getAsBoolean()) {
                Thread.sleep(1);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static TaskAttemptID map(final int index, final int attempt) {
        return new TaskAttemptID(JOB.getJtIdentifier(), JOB.getId(), TaskType.MAP, index, attempt);
    }

    static NodeAddress node(final int number) {
        return new NodeAddress("node" + number, 13562);
    }

    private String scheme() {
        return ShuffleTls.isSetIn(conf) ? "https://" : "http://";
    }

    void succeeded(final TaskAttemptID attempt, final NodeAddress node) {
        umbilical.add(attempt, TaskCompletionEvent.Status.SUCCEEDED, scheme() + node);
    }

    void event(final TaskAttemptID attempt, final TaskCompletionEvent.Status how) {
        umbilical.add(attempt, how, "http://nowhere:1");
    }

    ShuffleConsumerPlugin.Context<Object, Object> context() throws IOException {
        final MROutputFiles files = new MROutputFiles();
        files.setConf(conf);
        return new ShuffleConsumerPlugin.Context<>(
                reduceId,
                conf,
                FileSystem.getLocal(conf),
                umbilical.protocol(),
                new LocalDirAllocator(MRConfig.LOCAL_DIR),
                reporter,
                codec,
                null,
                null,
                counters.findCounter(TaskCounter.SPILLED_RECORDS),
                counters.findCounter(TaskCounter.COMBINE_INPUT_RECORDS),
                counters.findCounter(TaskCounter.SHUFFLED_MAPS),
                counters.findCounter(TaskCounter.REDUCE_SHUFFLE_BYTES),
                counters.findCounter(TaskCounter.FAILED_SHUFFLE),
                counters.findCounter(TaskCounter.MERGED_MAP_OUTPUTS),
                status,
                copyPhase,
                mergePhase,
                task,
                files,
                localMapFiles);
    }

    ReduceShuffle shuffle(final Transport transport) throws IOException {
        return shuffle(transport, new SystemThreads());
    }

    ReduceShuffle shuffle(final Transport transport, final ShuffleThreads threads)
            throws IOException {
        final ShuffleConsumerPlugin.Context<Object, Object> context = context();
        final ShuffleChoice choice = ShuffleChoice.of(context, heapBytes);
        if (choice.stockReason() != null) {
            throw new AssertionError(choice.stockReason());
        }
        return new ReduceShuffle(context, choice, transport, threads);
    }

    /** Runs the whole shuffle and gives all its records. */
    List<TestSegment.Entry> readAll(final Transport transport)
            throws IOException, InterruptedException {
        final ReduceShuffle shuffle = shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = IteratedRecords.readAll(iterator);
        shuffle.close();
        return read;
    }

    long count(final Enum<?> counter) {
        return counters.findCounter(counter).getValue();
    }

    long count(final String group, final String name) {
        return counters.findCounter(group, name).getValue();
    }

    /** A figure of Spillway's shuffle report. */
    long figure(final ShuffleCounter figure) {
        return count(FigureCounters.GROUP, FigureCounters.nameOf(figure));
    }

    List<TaskAttemptID> reported() {
        synchronized (reported) {
            return List.copyOf(reported);
        }
    }

    private static final class Status extends TaskStatus {
        private final List<TaskAttemptID> reported;

        Status(final Counters counters, final List<TaskAttemptID> reported) {
            super(new TaskAttemptID(), 0, 1, State.RUNNING, "", "", "", Phase.SHUFFLE, counters);
            this.reported = reported;
        }

        @Override
        public boolean getIsMap() {
            return false;
        }

        @Override
        public void addFetchFailedMap(final TaskAttemptID attempt) {
            synchronized (reported) {
                reported.add(attempt);
            }
        }
    }

    /** Counts, and says nothing. */
    private static final class TestReporter implements Reporter {
        private final Counters counters;

        TestReporter(final Counters counters) {
            this.counters = counters;
        }

        @Override
        public void setStatus(final String text) {}

        @Override
        public Counters.Counter getCounter(final Enum<?> name) {
            return counters.findCounter(name);
        }

        @Override
        public Counters.Counter getCounter(final String group, final String name) {
            return counters.findCounter(group, name);
        }

        @Override
        public void incrCounter(final Enum<?> key, final long amount) {
            counters.incrCounter(key, amount);
        }

        @Override
        public void incrCounter(final String group, final String counter, final long amount) {
            counters.incrCounter(group, counter, amount);
        }

        @Override
        public InputSplit getInputSplit() {
            throw new UnsupportedOperationException();
        }

        @Override
        public float getProgress() {
            return 0;
        }

        @Override
        public void progress() {}
    }
}
