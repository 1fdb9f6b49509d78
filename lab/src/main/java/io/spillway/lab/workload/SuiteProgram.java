// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;

/**
 * A workload in one program: {@code make} writes its input, {@code run} is its chain of jobs, and
 * {@code check} computes in one thread from the input what the output has to be. An output of other
 * records, of fewer or of more ends the program with an error.
 *
 * <p>The same seed always makes the same input. An instance is for one command and one thread.
 */
abstract class SuiteProgram extends Configured implements Tool {
    /** The seed of all that is made. */
    private static final String SEED = "spillway.bench.seed";

    @Override
    public final int run(final String[] arguments) throws Exception {
        final String verb = arguments.length == 0 ? "" : arguments[0];
        if (verb.equals("make") && arguments.length == 4) {
            make(
                    new Path(arguments[1]),
                    Long.parseLong(arguments[2]),
                    Integer.parseInt(arguments[3]));
            return 0;
        }
        if (verb.equals("run") && arguments.length == 3) {
            runJobs(new Path(arguments[1]), new Path(arguments[2]));
            return 0;
        }
        if (verb.equals("check") && arguments.length == 3) {
            return check(new Path(arguments[1]), new Path(arguments[2]));
        }
        System.err.println("make OUT BYTES FILES | run IN OUT | check IN OUT");
        return 2;
    }

    /** Its name for {@link JobRunner}: that of its class, in lower case. */
    final String name() {
        return getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /** Writes the input: by default lines, one map a file. */
    void make(final Path out, final long bytes, final int files) throws Exception {
        LineFiles.make(this, out, bytes, files);
    }

    /** Writes the lines of one file of the input. */
    abstract void write(Share share, LineFiles.Sink out) throws IOException, InterruptedException;

    /** Runs the chain of jobs. */
    abstract void runJobs(Path in, Path out) throws Exception;

    /** Whether the lines of each output file are in the order of their keys as text. */
    boolean isSortedByText() {
        return true;
    }

    /** Computes from the input the lines of the output, in any order. */
    abstract void recompute(TextFolder in, Consumer<String> expected) throws IOException;

    /**
     * Requires of the output what the comparison with the computed lines does not: by default
     * nothing.
     *
     * @throws IOException when the output is wrong
     */
    void inspect(final TextFolder out) throws IOException {}

    private int check(final Path in, final Path out) throws Exception {
        final DigestTool digests = new DigestTool();
        digests.setConf(getConf());
        final RecordDigest actual = digests.print(isSortedByText() ? "lines" : "text", out);
        inspect(new TextFolder(getConf(), out));
        final RecordDigest expected = new RecordDigest();
        recompute(
                new TextFolder(getConf(), in),
                line -> expected.addLine(new Text(line), isSortedByText()));
        if (!actual.content().equals(expected.content())) {
            throw wrong(
                    out
                            + " holds (records, bytes, checksum) "
                            + actual.content().replace('\t', ' ')
                            + ", expected by the input "
                            + expected.content().replace('\t', ' '));
        }
        System.out.println("checked\t" + name() + "\t" + actual.content());
        return 0;
    }

    final IOException wrong(final String what) {
        return new IOException(name() + ": the output is wrong: " + what);
    }

    /** Requires of lines that follow each other and are of one group that counts do not rise. */
    final class FallingCounts {
        private String group = "";
        private long last;

        void add(final String ofGroup, final long count, final String line) throws IOException {
            if (ofGroup.equals(group) && count > last) {
                throw wrong(line + " stands behind a count of " + last);
            }
            group = ofGroup;
            last = count;
        }
    }

    final long seed() {
        return getConf().getLong(SEED, 1);
    }

    /** How often a chain repeats its jobs: at least once. */
    final int iterations(final int normal) {
        return Math.max(1, getConf().getInt("spillway.bench." + name() + ".iterations", normal));
    }

    /** A job from text to text. */
    final Job job(final String what, final Path in, final Path out) throws IOException {
        final Job job = Job.getInstance(getConf(), name() + " " + what);
        job.setJarByClass(SuiteProgram.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(Text.class);
        if (in != null) {
            FileInputFormat.setInputPaths(job, in);
        }
        FileOutputFormat.setOutputPath(job, out);
        return job;
    }

    /**
     * Runs a job to its end.
     *
     * @throws IOException when it fails
     */
    static void finish(final Job job) throws Exception {
        job.waitForCompletion(true);
        requireSuccess(job);
    }

    static void requireSuccess(final Job job) throws IOException, InterruptedException {
        if (!job.isSuccessful()) {
            throw new IOException(
                    job.getJobName() + " failed: " + job.getStatus().getFailureInfo());
        }
    }

    /** Writes a small file. */
    final void writeFile(final Path file, final String text) throws IOException {
        try (OutputStream out = file.getFileSystem(getConf()).create(file, true)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Deletes a folder that a chain has put between its jobs. */
    final void delete(final Path path) throws IOException {
        path.getFileSystem(getConf()).delete(path, true);
    }

    /** The folder beside the output for data that one job of a chain leaves to the next. */
    static Path between(final Path out) {
        return out.suffix("-between");
    }
}
