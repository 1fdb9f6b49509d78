// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
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
 * <p>What comes of a seed is the same on every run. An instance does one of these, in one thread.
 */
abstract class SuiteProgram extends Configured implements Tool {
    /** The seed of all that is made. */
    private static final String SEED = "spillway.bench.seed";

    /** So much input makes state for a quarter of a client's heap, whatever the workload. */
    private static final long PASS_BYTES = 16L << 20;

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

    /** Its name, by which {@link JobRunner} knows it. */
    abstract String name();

    /** Writes the input: by default lines, one map a file. */
    void make(final Path out, final long bytes, final int files) throws Exception {
        LineFiles.make(this, out, bytes, files);
    }

    /** Writes the lines of one file of the input. */
    void write(final Share share, final LineFiles.Sink out)
            throws IOException, InterruptedException {
        throw new UnsupportedOperationException(name() + " has no lines");
    }

    /** Runs the chain of jobs. */
    abstract void runJobs(Path in, Path out) throws Exception;

    /** How the output is read: {@code lines} sorted by key, or {@code text} in any order. */
    String format() {
        return "lines";
    }

    /**
     * Computes from the input the lines of the output, in any order.
     *
     * @param keys those of the output that are asked for now; others may be left out only where
     *     {@link #passes} gives more than one
     */
    abstract void recompute(TextFolder in, KeyShare keys, Consumer<String> expected)
            throws IOException;

    /** How often the input is read, each time for another share of keys: memory is bounded. */
    int passes(final long inputBytes) {
        return 1;
    }

    /** Passes of a workload whose state grows with its input. */
    static int passesOf(final long inputBytes) {
        return (int) (1 + inputBytes / PASS_BYTES);
    }

    /**
     * Looks at a line of the output, in the order of its file.
     *
     * @throws IOException when it may not stand there
     */
    void inspect(final String file, final String line) throws IOException {}

    private int check(final Path in, final Path out) throws Exception {
        final DigestTool digests = new DigestTool();
        digests.setConf(getConf());
        digests.run(new String[] {format(), out.toString()});
        final RecordDigest actual = new RecordDigest();
        new TextFolder(getConf(), out)
                .forEach(
                        (file, line) -> {
                            add(actual, line);
                            inspect(file, line);
                        });
        final TextFolder input = new TextFolder(getConf(), in);
        final RecordDigest expected = new RecordDigest();
        final int passes = passes(input.bytes());
        for (int pass = 0; pass < passes; pass++) {
            recompute(input, new KeyShare(pass, passes), line -> add(expected, line));
        }
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

    private static void add(final RecordDigest digest, final String line) {
        final Text text = new Text(line);
        digest.add(text.getBytes(), 0, 0, text.getBytes(), 0, text.getLength());
    }

    final long seed() {
        return getConf().getLong(SEED, 1);
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
    static void finish(final Job job) throws IOException, InterruptedException {
        try {
            if (!job.waitForCompletion(true)) {
                throw new IOException(
                        job.getJobName() + " failed: " + job.getStatus().getFailureInfo());
            }
        } catch (final ClassNotFoundException e) {
            throw new IOException(e);
        }
    }

    /** Writes a small file. */
    final void writeFile(final Path file, final String text) throws IOException {
        try (OutputStream out = file.getFileSystem(getConf()).create(file, true)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Deletes what a chain has put between its jobs. */
    final void delete(final Path path) throws IOException {
        path.getFileSystem(getConf()).delete(path, true);
    }

    /** Where a chain keeps what is between its jobs: beside its output. */
    static Path between(final Path out) {
        return out.suffix("-between");
    }

    /** For a map-only job that writes lines. */
    static void writesLines(final Job job) {
        job.setNumReduceTasks(0);
        job.setOutputKeyClass(NullWritable.class);
        job.setOutputValueClass(Text.class);
    }
}
