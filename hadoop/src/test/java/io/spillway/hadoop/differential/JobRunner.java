// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import io.spillway.hadoop.report.FigureCounters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.server.jobtracker.JTConfig;
import org.apache.log4j.ConsoleAppender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;

/** Runs a spec on an engine, in Hadoop's LocalJobRunner. */
final class JobRunner {
    private static final java.nio.file.Path ROOT = createRoot();
    private static final Configuration BASE = createBase();
    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final Set<String> KEPT_GROUPS = Set.of("Shuffle Errors", FigureCounters.GROUP);
    private static final int POLL_MILLIS = 5;

    static {
        quietLog();
    }

    private JobRunner() {}

    /** Runs the job to its end, good or bad. */
    static JobResult run(final JobSpec spec, final Engine engine)
            throws IOException, InterruptedException, ClassNotFoundException {
        final FailureLog failures = FailureLog.get();
        final JobConf conf = new JobConf(BASE);
        final java.nio.file.Path directory = ROOT.resolve("run-" + RUNS.incrementAndGet());
        conf.set("hadoop.tmp.dir", directory.toString());
        conf.set(JTConfig.JT_STAGING_AREA_ROOT, directory.resolve("staging").toString());
        spec.configure(conf);
        engine.configure(conf);
        final Path output = new Path(directory.toUri().toString(), "output");
        conf.set(FileOutputFormat.OUTDIR, output.toString());
        final Job job = Job.getInstance(conf);
        try {
            final boolean succeeded = job.waitForCompletion(false);
            return new JobResult(
                    succeeded ? new OutputReader(spec, conf).read(output) : List.of(),
                    counters(job.getCounters()),
                    succeeded ? List.of() : failures.await(job.getJobID().toString()));
        } finally {
            LoopbackNodes.release(job.getJobID());
            FileUtil.fullyDelete(directory.toFile());
        }
    }

    private static Map<String, Long> counters(final Counters counters) {
        final Map<String, Long> values = new HashMap<>();
        for (final TaskCounter counter : TaskCounter.values()) {
            values.put(counter.name(), counters.findCounter(counter).getValue());
        }
        for (final CounterGroup group : counters) {
            if (KEPT_GROUPS.contains(group.getName())) {
                group.forEach(c -> values.put(group.getName() + " " + c.getName(), c.getValue()));
            }
        }
        return values;
    }

    private static Configuration createBase() {
        final Configuration conf = new JobConf();
        conf.set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
        conf.set(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, "file:///");
        conf.setClass("fs.file.impl", QuickLocalFileSystem.class, FileSystem.class);
        conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, POLL_MILLIS);
        return conf;
    }

    private static java.nio.file.Path createRoot() {
        try {
            final java.nio.file.Path root = Files.createTempDirectory("spillway-differential");
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> FileUtil.fullyDelete(root.toFile())));
            return root;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void quietLog() {
        final Logger root = Logger.getRootLogger();
        if (root.getAllAppenders().hasMoreElements()) {
            return;
        }
        root.addAppender(new ConsoleAppender(new PatternLayout("%d{ABSOLUTE} %-5p %c{1} %m%n")));
        root.setLevel(Level.ERROR);
    }
}
