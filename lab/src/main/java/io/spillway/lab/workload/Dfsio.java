// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * HiBench's enhanced DFSIO, a benchmark of the file system: one job writes files, one a map, and a
 * second job reads them. A map emits six figures to the only reducer. The throughput is printed and
 * kept in {@code _throughput.csv}. The output has, for each job, the number of files and the sum of
 * their bytes, and for the second job the sum of the checksums of what it has read.
 *
 * <p>The input has a line a file: its number and its bytes.
 */
public final class Dfsio extends SuiteProgram {
    private static final String DATA = "spillway.bench.dfsio.data";
    private static final String WRITES = "spillway.bench.dfsio.writes";
    private static final String HEAD =
            "phase,files,bytes,throughput_mb_s,mean_rate_mb_s,deviation_mb_s\n";
    private static final int BLOCK = 1 << 20;
    private static final double MEGA = 1e6;

    @Override
    void write(final Share share, final LineFiles.Sink out)
            throws IOException, InterruptedException {
        out.add(share.file() + " " + share.own());
    }

    /** The bytes of a file: a random block, repeated. */
    private static final class Content {
        private final byte[] block = new byte[BLOCK];
        private final long bytes;

        Content(final long file, final long bytes) {
            new SplittableRandom(file).nextBytes(block);
            this.bytes = bytes;
        }

        void writeTo(final OutputStream out) throws IOException {
            for (long left = bytes; left > 0; left -= BLOCK) {
                out.write(block, 0, (int) Math.min(left, BLOCK));
            }
        }

        long checksum() throws IOException {
            final CRC32C checksum = new CRC32C();
            writeTo(new CheckedOutputStream(OutputStream.nullOutputStream(), checksum));
            return checksum.getValue();
        }
    }

    /** Writes or reads the file of a line, and emits (figure, value). */
    public static final class FileMapper extends Mapper<LongWritable, Text, Text, Text> {
        @Override
        protected void map(
                final LongWritable offset,
                final Text line,
                final Mapper<LongWritable, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            final Configuration conf = context.getConfiguration();
            final String[] words = line.toString().split(" ", -1);
            final Path file = new Path(conf.get(DATA), "file-" + words[0]);
            final FileSystem fs = file.getFileSystem(conf);
            final Content content = new Content(Long.parseLong(words[0]), Long.parseLong(words[1]));
            final long start = System.nanoTime();
            long checksum = 0;
            if (conf.getBoolean(WRITES, true)) {
                write(fs, file, content, context);
            } else {
                checksum = read(fs, file);
            }
            final double seconds = (System.nanoTime() - start) / 1e9;
            final long bytes = fs.getFileStatus(file).getLen();
            final double rate = bytes / MEGA / seconds;
            emit(context, "l:files", 1);
            emit(context, "l:size", bytes);
            emit(context, "l:checksum", checksum);
            emit(context, "f:time", seconds);
            emit(context, "f:rate", rate);
            emit(context, "f:sqrate", rate * rate);
        }

        /** Under the attempt's own name first: another attempt may write the same file. */
        private static void write(
                final FileSystem fs,
                final Path file,
                final Content content,
                final Mapper<LongWritable, Text, Text, Text>.Context context)
                throws IOException {
            final Path part = file.suffix("-" + context.getTaskAttemptID());
            try (OutputStream out = fs.create(part, true)) {
                content.writeTo(out);
            }
            fs.delete(file, false);
            if (!fs.rename(part, file)) {
                throw new IOException("cannot rename " + part + " to " + file);
            }
        }

        private static long read(final FileSystem fs, final Path file) throws IOException {
            final CRC32C checksum = new CRC32C();
            final byte[] buffer = new byte[BLOCK];
            try (InputStream in = fs.open(file)) {
                for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                    checksum.update(buffer, 0, length);
                }
            }
            return checksum.getValue();
        }

        private static void emit(
                final Mapper<LongWritable, Text, Text, Text>.Context context,
                final String figure,
                final Number value)
                throws IOException, InterruptedException {
            context.write(new Text(figure), new Text(value.toString()));
        }
    }

    /** Adds up a figure; figures whose name begins with {@code l:} are whole numbers. */
    public static final class FigureReducer extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(
                final Text figure,
                final Iterable<Text> values,
                final Reducer<Text, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            final boolean isWhole = figure.charAt(0) == 'l';
            long whole = 0;
            double sum = 0;
            for (final Text value : values) {
                whole += isWhole ? Long.parseLong(value.toString()) : 0;
                sum += isWhole ? 0 : Double.parseDouble(value.toString());
            }
            context.write(figure, new Text(isWhole ? String.valueOf(whole) : String.valueOf(sum)));
        }
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Path between = between(out);
        final Map<String, String> written = figures("write", in, between);
        final Map<String, String> read = figures("read", in, between);
        delete(between);
        writeFile(
                new Path(out, "part-r-00000"),
                line("read", read) + "\n" + line("write", written) + "\n");
        final String throughput =
                throughput("write", written) + "\n" + throughput("read", read) + "\n";
        System.out.print(HEAD + throughput);
        writeFile(new Path(out, "_throughput.csv"), HEAD + throughput);
    }

    private Map<String, String> figures(final String phase, final Path in, final Path between)
            throws Exception {
        final Path out = new Path(between, phase);
        final Job job = job(phase, in, out);
        job.getConfiguration().set(DATA, new Path(between, "data").toString());
        job.getConfiguration().setBoolean(WRITES, phase.equals("write"));
        job.setMapperClass(FileMapper.class);
        job.setReducerClass(FigureReducer.class);
        job.setNumReduceTasks(1);
        finish(job);
        final Map<String, String> figures = new TreeMap<>();
        new TextFolder(getConf(), out)
                .forEach(
                        (file, line) -> {
                            final int tab = line.indexOf('\t');
                            figures.put(line.substring(0, tab), line.substring(tab + 1));
                        });
        return figures;
    }

    private static String line(final String phase, final Map<String, String> figures) {
        return String.join(
                "\t",
                phase,
                figures.get("l:files"),
                figures.get("l:size"),
                figures.get("l:checksum"));
    }

    private static String throughput(final String phase, final Map<String, String> figures) {
        final double files = Double.parseDouble(figures.get("l:files"));
        final double bytes = Double.parseDouble(figures.get("l:size"));
        final double mean = Double.parseDouble(figures.get("f:rate")) / files;
        final double squares = Double.parseDouble(figures.get("f:sqrate")) / files;
        return String.format(
                Locale.ROOT,
                "%s,%.0f,%.0f,%.2f,%.2f,%.2f",
                phase,
                files,
                bytes,
                bytes / MEGA / Double.parseDouble(figures.get("f:time")),
                mean,
                Math.sqrt(Math.max(0, squares - mean * mean)));
    }

    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        final long[] sums = new long[3];
        in.forEach(
                (file, line) -> {
                    final String[] words = line.split(" ", -1);
                    final long bytes = Long.parseLong(words[1]);
                    sums[0]++;
                    sums[1] += bytes;
                    sums[2] += new Content(Long.parseLong(words[0]), bytes).checksum();
                });
        final String size = "\t" + sums[0] + "\t" + sums[1] + "\t";
        expected.accept("write" + size + 0);
        expected.accept("read" + size + sums[2]);
    }
}
