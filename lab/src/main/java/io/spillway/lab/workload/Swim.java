// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;

/**
 * SWIM's replay of a trace: jobs that read, shuffle and write as many bytes as those of the trace,
 * submitted at its times, several at once. Keys are random and all differ.
 *
 * <p>A trace has six columns with tabs between them: name, time of submission, seconds since the
 * job before, bytes of map input, of shuffle, of output. {@code spillway.bench.swim.trace} names a
 * file of the host that makes the input; without it a trace is made of the seed, with a few large
 * jobs and many small ones. The first {@code .jobs} lines are replayed. The seconds between two
 * jobs are multiplied by {@code .gap}. Sizes are multiplied by one factor: the sum over all jobs of
 * the largest of a job's three sizes becomes the size that is asked for. No size is below {@code
 * .floor}. At most {@code .flight} jobs run at a time.
 *
 * <p>The input has the scaled trace, and in a hidden folder the bytes that jobs read. The output
 * has a line for each job with its counters: bytes read, shuffled and written, records, their
 * checksum. {@code _jobs.csv} has the jobs' times.
 */
public final class Swim extends SuiteProgram {
    private static final String PREFIX = "spillway.bench.swim.";
    private static final String ROW = PREFIX + "row";
    private static final String FOLDER = PREFIX + "data";
    private static final String DATA = "_data";
    private static final int LINE = 100;
    private static final int KEY = 10;
    private static final long SPLIT = 64L << 20;
    private static final int POLL_MILLIS = 100;
    private static final String HEAD = "job,submitted_ms,wall_ms,maps,reduces,input,shuffle,output";

    /** What a job has moved. */
    enum Moved {
        READ_BYTES,
        SHUFFLED_BYTES,
        SHUFFLED_RECORDS,
        SHUFFLED_SUM,
        WRITTEN_BYTES
    }

    /**
     * A job of the trace.
     *
     * @param gapMillis since the one before was submitted
     * @param input bytes that its maps read
     * @param shuffle bytes of the records that its maps emit
     * @param output bytes that its reducers write
     * @param maps how many maps it has
     */
    record Row(String name, long gapMillis, long input, long shuffle, long output, int maps) {
        static Row parse(final String line) {
            final String[] words = line.split("\t", -1);
            return new Row(
                    words[0],
                    Long.parseLong(words[1]),
                    Long.parseLong(words[2]),
                    Long.parseLong(words[3]),
                    Long.parseLong(words[4]),
                    Integer.parseInt(words[5]));
        }

        String line() {
            return joined("\t", name, gapMillis, input, shuffle, output, maps);
        }

        /** As in SWIM, their number follows from the bytes that they receive and write. */
        int reduces() {
            return (int) Math.max(1, Math.round((double) (shuffle + output) / SPLIT));
        }

        /** Lines that each map reads. */
        long linesOfMap() {
            return Math.max(1, (input / maps + LINE - 1) / LINE);
        }

        long shuffleOfMap(final int map) {
            return new Share(map, maps, shuffle).own();
        }
    }

    @Override
    void make(final Path out, final long bytes, final int files) throws Exception {
        final List<Row> rows = scaled(trace(), bytes, files);
        long perFile = 1;
        for (final Row row : rows) {
            perFile = Math.max(perFile, row.linesOfMap() * LINE);
        }
        LineFiles.make(this, new Path(out, DATA), perFile * files, files);
        writeFile(new Path(out, "trace.tsv"), lines(rows.stream().map(Row::line)));
    }

    private static String lines(final Stream<String> lines) {
        return lines.map(line -> line + "\n").collect(Collectors.joining());
    }

    private List<String> trace() throws IOException {
        final int jobs = getConf().getInt(PREFIX + "jobs", 10);
        final String file = getConf().get(PREFIX + "trace", "");
        if (file.isEmpty()) {
            final SplittableRandom random = new SplittableRandom(seed());
            return IntStream.range(0, jobs).mapToObj(job -> synthetic(job, random)).toList();
        }
        try (Stream<String> lines = Files.lines(java.nio.file.Path.of(file))) {
            return lines.limit(jobs).toList();
        }
    }

    /** Sizes by a log-normal law; one job in two has hardly a shuffle. */
    private static String synthetic(final int job, final SplittableRandom random) {
        final long gap = Math.round(-15 * Math.log(1 - random.nextDouble()));
        final double input = Math.exp(17 + 2.5 * random.nextGaussian());
        final double shuffle =
                random.nextBoolean() ? 0 : input * Math.exp(0.2 + random.nextGaussian());
        final double output = Math.max(input, shuffle) * Math.exp(-2 + random.nextGaussian());
        return joined(
                "\t",
                "job" + job,
                0,
                gap,
                Math.round(input),
                Math.round(shuffle),
                Math.round(output));
    }

    private static String joined(final String separator, final Object... values) {
        return Stream.of(values).map(String::valueOf).collect(Collectors.joining(separator));
    }

    private List<Row> scaled(final List<String> trace, final long bytes, final int files)
            throws IOException {
        final List<String[]> jobs = new ArrayList<>();
        double sum = 0;
        for (final String line : trace) {
            final String[] columns = line.split("\t", -1);
            if (columns.length < 6) {
                throw new IOException(
                        "trace: '" + line + "', expected six columns with tabs between them");
            }
            jobs.add(columns);
            sum += Math.max(number(columns, 3), Math.max(number(columns, 4), number(columns, 5)));
        }
        final double scale = bytes / Math.max(1, sum);
        return jobs.stream().map(columns -> scaled(columns, scale, files)).toList();
    }

    private Row scaled(final String[] columns, final double scale, final int files) {
        final long floor = getConf().getLong(PREFIX + "floor", 1 << 10);
        final long input = Math.max(floor, (long) (number(columns, 3) * scale));
        return new Row(
                columns[0],
                (long) (number(columns, 2) * 1000 * getConf().getDouble(PREFIX + "gap", 0.01)),
                input,
                Math.max(floor, (long) (number(columns, 4) * scale)),
                Math.max(floor, (long) (number(columns, 5) * scale)),
                (int) Math.max(1, Math.min(files, (input + SPLIT - 1) / SPLIT)));
    }

    private static double number(final String[] columns, final int column) {
        return Double.parseDouble(columns[column]);
    }

    /** Lines of one length, so that a job can read a given number of bytes. */
    @Override
    void write(final Share share, final LineFiles.Sink out)
            throws IOException, InterruptedException {
        final SplittableRandom random = share.random(seed());
        final StringBuilder line = new StringBuilder();
        while (!out.isFull()) {
            line.setLength(0);
            while (line.length() < LINE - 1) {
                line.append(Long.toHexString(random.nextLong() | Long.MIN_VALUE));
            }
            line.setLength(LINE - 1);
            out.add(line.toString());
        }
    }

    /** A split for each map: the first lines of a file. */
    public static final class LinesFormat extends TextInputFormat {
        @Override
        public List<InputSplit> getSplits(final JobContext context) throws IOException {
            final Configuration conf = context.getConfiguration();
            final Row row = Row.parse(conf.get(ROW));
            final Path folder = new Path(conf.get(FOLDER));
            final List<InputSplit> splits = new ArrayList<>();
            for (int map = 0; map < row.maps(); map++) {
                final Path file = new Path(folder, String.format(Locale.ROOT, "part-m-%05d", map));
                // A reader goes on to the end of a line that begins at the split's end.
                splits.add(new FileSplit(file, 0, row.linesOfMap() * LINE - 1, new String[0]));
            }
            return splits;
        }
    }

    /** The records that a map emits, one after the other. */
    private static final class Records {
        private final byte[] record = new byte[LINE];
        private final SplittableRandom random;
        private final long bytes;
        private long made;

        Records(final Row row, final int map) {
            random = new SplittableRandom(31L * row.name().hashCode() + map);
            bytes = row.shuffleOfMap(map);
        }

        /**
         * Makes the next record and returns its length; the last record may be shorter than others.
         *
         * @param most bytes that all records made so far may have
         * @return 0 if there is none or it would have to wait
         */
        int next(final long most) {
            final long left = bytes - made;
            final int length = (int) Math.min(LINE, left);
            if (length == 0 || (made + length > most && most < bytes)) {
                return 0;
            }
            random.nextBytes(record);
            made += length;
            return length;
        }

        int keyLength(final int length) {
            return Math.min(KEY, length);
        }
    }

    /** Emits the job's bytes evenly over what it reads. */
    public static final class RatioMapper
            extends Mapper<LongWritable, Text, BytesWritable, BytesWritable> {
        private final BytesWritable key = new BytesWritable();
        private final BytesWritable value = new BytesWritable();
        private Row row;
        private Records records;
        private long lines;
        private long bytes;

        @Override
        protected void setup(
                final Mapper<LongWritable, Text, BytesWritable, BytesWritable>.Context context) {
            row = Row.parse(context.getConfiguration().get(ROW));
            records = new Records(row, context.getTaskAttemptID().getTaskID().getId());
        }

        @Override
        protected void map(
                final LongWritable offset,
                final Text line,
                final Mapper<LongWritable, Text, BytesWritable, BytesWritable>.Context context)
                throws IOException, InterruptedException {
            lines++;
            bytes += line.getLength() + 1;
            emit((long) ((double) records.bytes * lines / row.linesOfMap()), context);
        }

        private void emit(
                final long most,
                final Mapper<LongWritable, Text, BytesWritable, BytesWritable>.Context context)
                throws IOException, InterruptedException {
            for (int length = records.next(most); length > 0; length = records.next(most)) {
                final int keyLength = records.keyLength(length);
                key.set(records.record, 0, keyLength);
                value.set(records.record, keyLength, length - keyLength);
                context.write(key, value);
            }
        }

        @Override
        protected void cleanup(
                final Mapper<LongWritable, Text, BytesWritable, BytesWritable>.Context context)
                throws IOException, InterruptedException {
            emit(records.bytes, context);
            context.getCounter(Moved.READ_BYTES).increment(bytes);
        }
    }

    /** What a reducer has to write of what it has received. */
    private static long due(final Row row, final long received) {
        return (long) ((double) received * row.output() / row.shuffle());
    }

    /** Writes the job's bytes evenly over what it receives. */
    public static final class RatioReducer
            extends Reducer<BytesWritable, BytesWritable, NullWritable, BytesWritable> {
        private final RecordDigest digest = new RecordDigest();
        private final BytesWritable output = new BytesWritable(new byte[LINE]);
        private Row row;
        private long written;

        @Override
        protected void setup(
                final Reducer<BytesWritable, BytesWritable, NullWritable, BytesWritable>.Context
                        context) {
            row = Row.parse(context.getConfiguration().get(ROW));
        }

        @Override
        protected void reduce(
                final BytesWritable key,
                final Iterable<BytesWritable> values,
                final Reducer<BytesWritable, BytesWritable, NullWritable, BytesWritable>.Context
                        context)
                throws IOException, InterruptedException {
            for (final BytesWritable value : values) {
                digest.add(
                        key.getBytes(), 0, key.getLength(), value.getBytes(), 0, value.getLength());
                while (due(row, digest.bytes()) - written >= LINE) {
                    write(LINE, context);
                }
            }
        }

        private void write(
                final int length,
                final Reducer<BytesWritable, BytesWritable, NullWritable, BytesWritable>.Context
                        context)
                throws IOException, InterruptedException {
            output.setSize(length);
            context.write(NullWritable.get(), output);
            written += length;
        }

        @Override
        protected void cleanup(
                final Reducer<BytesWritable, BytesWritable, NullWritable, BytesWritable>.Context
                        context)
                throws IOException, InterruptedException {
            write((int) (due(row, digest.bytes()) - written), context);
            context.getCounter(Moved.SHUFFLED_BYTES).increment(digest.bytes());
            context.getCounter(Moved.SHUFFLED_RECORDS).increment(digest.records());
            context.getCounter(Moved.SHUFFLED_SUM).increment(digest.sum());
            context.getCounter(Moved.WRITTEN_BYTES).increment(written);
        }
    }

    /** A submitted job. */
    private record Flight(Row row, Job job, long submitted) {
        String result() throws IOException {
            final StringBuilder line = new StringBuilder(row.name());
            for (final Moved moved : Moved.values()) {
                line.append('\t').append(job.getCounters().findCounter(moved).getValue());
            }
            return line.toString();
        }

        /** Its columns of {@link #HEAD}, at its end. */
        String times(final long start) {
            return joined(
                    ",",
                    row.name(),
                    submitted - start,
                    System.currentTimeMillis() - submitted,
                    row.maps(),
                    row.reduces(),
                    row.input(),
                    row.shuffle(),
                    row.output());
        }
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final List<Row> rows = new ArrayList<>();
        new TextFolder(getConf(), in).forEach((file, line) -> rows.add(Row.parse(line)));
        final int most = Math.max(1, getConf().getInt(PREFIX + "flight", 3));
        final List<Flight> flights = new ArrayList<>();
        final Map<String, String> results = new HashMap<>();
        final List<String> times = new ArrayList<>(List.of(HEAD));
        final long start = System.currentTimeMillis();
        long due = start;
        try {
            for (final Row row : rows) {
                due += row.gapMillis();
                while (flights.size() >= most || System.currentTimeMillis() < due) {
                    land(flights, start, results, times);
                }
                flights.add(fly(row, in, out));
            }
            while (!flights.isEmpty()) {
                land(flights, start, results, times);
            }
        } finally {
            for (final Flight flight : flights) {
                flight.job.killJob();
            }
        }
        writeFile(
                new Path(out, "part-r-00000"),
                lines(rows.stream().map(row -> results.get(row.name()))));
        writeFile(new Path(out, "_jobs.csv"), lines(times.stream()));
        delete(between(out));
    }

    private Flight fly(final Row row, final Path in, final Path out) throws Exception {
        final Job job = job(row.name(), null, new Path(between(out), row.name()));
        job.getConfiguration().set(ROW, row.line());
        job.getConfiguration().set(FOLDER, new Path(in, DATA).toString());
        job.setInputFormatClass(LinesFormat.class);
        job.setMapperClass(RatioMapper.class);
        job.setReducerClass(RatioReducer.class);
        job.setNumReduceTasks(row.reduces());
        job.setOutputFormatClass(DrainRecords.RawFormat.class);
        job.setMapOutputKeyClass(BytesWritable.class);
        job.setMapOutputValueClass(BytesWritable.class);
        final long submitted = System.currentTimeMillis();
        job.submit();
        return new Flight(row, job, submitted);
    }

    /** Takes the results of jobs that have ended, or waits a moment. */
    private static void land(
            final List<Flight> flights,
            final long start,
            final Map<String, String> results,
            final List<String> times)
            throws IOException, InterruptedException {
        boolean isAny = false;
        for (final Flight flight : List.copyOf(flights)) {
            if (!flight.job.isComplete()) {
                continue;
            }
            requireSuccess(flight.job);
            flights.remove(flight);
            isAny = true;
            results.put(flight.row.name(), flight.result());
            final String time = flight.times(start);
            times.add(time);
            System.out.println(time);
        }
        if (!isAny) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    /** Lines are in the order of the trace. */
    @Override
    boolean isSortedByText() {
        return false;
    }

    /** Makes all records again, and deals them out as the partitioner does. */
    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        in.forEach((file, line) -> expected.accept(expected(Row.parse(line))));
    }

    private static String expected(final Row row) {
        final RecordDigest digest = new RecordDigest();
        final long[] received = new long[row.reduces()];
        for (int map = 0; map < row.maps(); map++) {
            final Records records = new Records(row, map);
            for (int length = records.next(records.bytes);
                    length > 0;
                    length = records.next(records.bytes)) {
                final int key = records.keyLength(length);
                digest.add(records.record, 0, key, records.record, key, length - key);
                final int hash = WritableComparator.hashBytes(records.record, key);
                received[(hash & Integer.MAX_VALUE) % received.length] += length;
            }
        }
        long written = 0;
        for (final long bytes : received) {
            written += due(row, bytes);
        }
        return joined(
                "\t",
                row.name(),
                row.maps() * row.linesOfMap() * LINE,
                digest.bytes(),
                digest.records(),
                digest.sum(),
                written);
    }
}
