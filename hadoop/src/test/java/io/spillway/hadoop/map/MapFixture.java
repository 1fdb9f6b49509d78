// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import io.spillway.hadoop.SpillwayCollector;
import io.spillway.store.pool.FilePool;
import io.spillway.store.pool.TierAdvertisement;
import io.spillway.version.VersionRange;
import io.spillway.wire.FrameType;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MROutputFiles;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;
import org.apache.hadoop.util.Progress;

/** Map tasks of one job as Hadoop sets them up, with the real collector, and no Hadoop. */
public final class MapFixture {
    static final String APPLICATION = "application_1700000000000_0001";

    private static final TaskUmbilicalProtocol NO_MASTER =
            (TaskUmbilicalProtocol)
                    Proxy.newProxyInstance(
                            MapFixture.class.getClassLoader(),
                            new Class<?>[] {TaskUmbilicalProtocol.class},
                            (proxy, method, arguments) -> {
                                throw new UnsupportedOperationException(method.getName());
                            });

    /** The job's settings. */
    public final JobConf conf = new JobConf(false);

    private final Path local;
    private TaskStatus.Phase phase = TaskStatus.Phase.SORT;

    /**
     * A job without maps.
     *
     * @param local the node's local directory
     */
    public MapFixture(final Path local, final int reduces) throws IOException {
        this.local = local;
        conf.setNumReduceTasks(reduces);
        conf.setMapOutputKeyClass(Text.class);
        conf.setMapOutputValueClass(Text.class);
        conf.set("fs.file.impl", "org.apache.hadoop.fs.LocalFileSystem");
        conf.set("fs.defaultFS", "file:///");
    }

    /** The phase of all tasks: that of a mapper which has returned, unless this sets another. */
    MapFixture phase(final TaskStatus.Phase of) {
        phase = of;
        return this;
    }

    /** Lets tasks lease files, as from the memory tier of their node. */
    MapFixture offer(final FilePool folder, final long limit) throws IOException {
        return offer(folder, limit, FrameType.VERSIONS);
    }

    /** The same of a node that speaks these versions of the wire protocol. */
    MapFixture offer(final FilePool folder, final long limit, final VersionRange versions)
            throws IOException {
        TierAdvertisement.of(
                        Map.of("memory", new TierAdvertisement.Offer(folder.root(), limit)),
                        versions)
                .writeTo(local);
        return this;
    }

    /** A task's collector; {@code onProgress} is run at each sign of life. */
    public MapOutputCollector<Text, Text> collector(final int map, final Runnable onProgress)
            throws IOException, ClassNotFoundException {
        final SpillwayCollector<Text, Text> collector = new SpillwayCollector<>();
        collector.init(context(map, onProgress));
        return collector;
    }

    /** What a task gives its collector; {@code onProgress} is run at each sign of life. */
    public MapOutputCollector.Context context(final int map, final Runnable onProgress)
            throws IOException {
        final TaskAttemptID attempt =
                TaskAttemptID.forName(String.format("attempt_1700000000000_0001_m_%06d_0", map));
        final JobConf job = new JobConf(conf);
        final Path folder =
                Files.createDirectories(
                        local.resolve("usercache/user/appcache").resolve(APPLICATION));
        job.set(MRConfig.LOCAL_DIR, folder.toString());
        job.set("mapreduce.task.attempt.id", attempt.toString());
        job.setClass("mapreduce.task.output.files", MROutputFiles.class, Object.class);
        final MapTask task = new Sorting(attempt, map);
        task.setConf(job);
        return new MapOutputCollector.Context(task, job, reporter(task, onProgress));
    }

    /** Where the output of the last map is, with its index beside it. */
    public Path lastOutput() {
        return local.resolve("usercache/user/appcache")
                .resolve(APPLICATION)
                .resolve("output")
                .resolve("file.out");
    }

    /** Hadoop sets the phase when it runs the task. */
    private final class Sorting extends MapTask {
        private final Progress sortPhase = new Progress();

        Sorting(final TaskAttemptID attempt, final int map) {
            super("job.xml", attempt, map, new TaskSplitIndex(), 1);
        }

        @Override
        public Progress getSortPhase() {
            return sortPhase;
        }

        @Override
        public synchronized TaskStatus.Phase getPhase() {
            return phase;
        }
    }

    private static TaskReporter reporter(final Task task, final Runnable onProgress) {
        return task.new TaskReporter(new Progress(), NO_MASTER) {
            @Override
            public void progress() {
                super.progress();
                onProgress.run();
            }
        };
    }
}
