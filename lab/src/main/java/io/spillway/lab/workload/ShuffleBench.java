// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BinaryComparable;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/**
 * The shuffle alone, as in OSU's micro-benchmarks of MapReduce: maps make records, reducers drop
 * them, and no file system is used. {@code spillway.bench.shuffle.distribution} says which reducer
 * a record goes to: each in turn ({@code average}), a random one ({@code random}), or the first for
 * half of the records, the second for a quarter, the third for an eighth and a random one for the
 * rest ({@code skewed}). {@code .key.bytes}, {@code .value.bytes} and {@code .type} (bytes or text)
 * say what a record is.
 *
 * <p>A key begins with the number of its reducer. Maps and reducers add up the records' checksums
 * in counters. The client writes the counters as the output.
 *
 * <p>The input has a line for each map: its number and the bytes that it sends.
 */
public final class ShuffleBench extends SuiteProgram {
    private static final String PREFIX = "spillway.bench.shuffle.";
    private static final String REDUCES = "reduces";
    private static final int DIGITS = 4;
    private static final int FEWEST_KEY_BYTES = 2 * DIGITS;
    private static final int MOST_BYTES = 1 << 20;

    private int reduces = 1;

    /** What maps have sent and reducers have received. */
    enum Traffic {
        SENT_RECORDS,
        SENT_BYTES,
        SENT_SUM,
        RECEIVED_RECORDS,
        RECEIVED_BYTES,
        RECEIVED_SUM,
        MISPLACED_RECORDS,
        MISORDERED_RECORDS
    }

    @Override
    void write(final Share share, final LineFiles.Sink out)
            throws IOException, InterruptedException {
        out.add(share.file() + " " + share.own());
    }

    /** A property of few values; the first one is its default. */
    private static String choice(
            final Configuration conf, final String name, final String... choices)
            throws IOException {
        final String value = conf.get(PREFIX + name, choices[0]);
        if (!List.of(choices).contains(value)) {
            throw new IOException(
                    PREFIX + name + "=" + value + ": expected " + String.join(" or ", choices));
        }
        return value;
    }

    /** The records of a line of the input, one after the other. */
    private static final class Records {
        private static final String ALPHABET =
                "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
        private static final byte[] LETTERS = letters();

        private final String distribution;
        private final int reduces;
        private final byte[] key;
        private final byte[] value;
        private final SplittableRandom random;
        private final long records;
        private long made;

        Records(final Configuration conf, final String line, final int reduces) throws IOException {
            distribution = choice(conf, "distribution", "average", "random", "skewed");
            this.reduces = reduces;
            key = new byte[size(conf, "key.bytes", 16, FEWEST_KEY_BYTES)];
            value = new byte[size(conf, "value.bytes", 1008, 0)];
            final String[] words = line.split(" ", -1);
            random = new SplittableRandom(Long.parseLong(words[0]));
            records = Long.parseLong(words[1]) / (key.length + value.length);
        }

        private static byte[] letters() {
            final byte[] letters = new byte[2 * MOST_BYTES];
            new SplittableRandom(1).nextBytes(letters);
            for (int i = 0; i < letters.length; i++) {
                letters[i] = (byte) ALPHABET.charAt(letters[i] & 63);
            }
            return letters;
        }

        private static int size(
                final Configuration conf, final String name, final int normal, final int least)
                throws IOException {
            final int size = conf.getInt(PREFIX + name, normal);
            if (size < least || size > MOST_BYTES) {
                throw new IOException(
                        PREFIX + name + "=" + size + ": expected " + least + " to " + MOST_BYTES);
            }
            return size;
        }

        /** Makes the next record, if there is one. */
        boolean next() {
            if (made == records) {
                return false;
            }
            fill(key);
            fill(value);
            int left = reducer();
            for (int digit = DIGITS - 1; digit >= 0; digit--) {
                key[digit] = (byte) ('0' + left % 10);
                left /= 10;
            }
            made++;
            return true;
        }

        private void fill(final byte[] target) {
            System.arraycopy(LETTERS, random.nextInt(MOST_BYTES), target, 0, target.length);
            for (int i = DIGITS; i < Math.min(FEWEST_KEY_BYTES + DIGITS, target.length); i++) {
                target[i] = (byte) ALPHABET.charAt(random.nextInt(ALPHABET.length()));
            }
        }

        private int reducer() {
            return switch (distribution) {
                case "average" -> (int) (made % reduces);
                case "random" -> random.nextInt(reduces);
                default -> skewed();
            };
        }

        private int skewed() {
            final int eighth = random.nextInt(8);
            if (eighth == 7) {
                return random.nextInt(reduces);
            }
            final int rank = eighth < 4 ? 0 : eighth < 6 ? 1 : 2;
            return rank % reduces;
        }

        void addTo(final RecordDigest digest) {
            digest.add(key, 0, key.length, value, 0, value.length);
        }
    }

    private static boolean isText(final Configuration conf) throws IOException {
        return choice(conf, "type", "bytes", "text").equals("text");
    }

    /** Sends the records of a line. */
    public static final class SendMapper
            extends Mapper<LongWritable, Text, BinaryComparable, BinaryComparable> {
        private final RecordDigest digest = new RecordDigest();

        @Override
        protected void map(
                final LongWritable offset,
                final Text line,
                final Mapper<LongWritable, Text, BinaryComparable, BinaryComparable>.Context
                        context)
                throws IOException, InterruptedException {
            final Configuration conf = context.getConfiguration();
            final boolean isText = isText(conf);
            final Records records =
                    new Records(conf, line.toString(), Math.max(1, context.getNumReduceTasks()));
            while (records.next()) {
                records.addTo(digest);
                context.write(writable(isText, records.key), writable(isText, records.value));
            }
        }

        private static BinaryComparable writable(final boolean isText, final byte[] bytes) {
            return isText ? new Text(bytes) : new BytesWritable(bytes);
        }

        @Override
        protected void cleanup(
                final Mapper<LongWritable, Text, BinaryComparable, BinaryComparable>.Context
                        context) {
            context.getCounter(Traffic.SENT_RECORDS).increment(digest.records());
            context.getCounter(Traffic.SENT_BYTES).increment(digest.bytes());
            context.getCounter(Traffic.SENT_SUM).increment(digest.sum());
        }
    }

    /** The partition is the number that the key begins with. */
    public static final class NumberPartitioner
            extends Partitioner<BinaryComparable, BinaryComparable> {
        @Override
        public int getPartition(
                final BinaryComparable key, final BinaryComparable value, final int reduces) {
            return number(key);
        }
    }

    private static int number(final BinaryComparable key) {
        int number = 0;
        for (int digit = 0; digit < DIGITS; digit++) {
            number = number * 10 + key.getBytes()[digit] - '0';
        }
        return number;
    }

    /** Adds the records to a checksum, and drops them. */
    public static final class DropReducer
            extends Reducer<BinaryComparable, BinaryComparable, NullWritable, NullWritable> {
        private final RecordDigest digest = new RecordDigest();
        private byte[] last = new byte[0];

        @Override
        protected void reduce(
                final BinaryComparable key,
                final Iterable<BinaryComparable> values,
                final Reducer<BinaryComparable, BinaryComparable, NullWritable, NullWritable>
                                .Context
                        context) {
            if (number(key) != context.getTaskAttemptID().getTaskID().getId()) {
                context.getCounter(Traffic.MISPLACED_RECORDS).increment(1);
            }
            if (key.compareTo(last, 0, last.length) <= 0) {
                context.getCounter(Traffic.MISORDERED_RECORDS).increment(1);
            }
            last = Arrays.copyOf(key.getBytes(), key.getLength());
            for (final BinaryComparable value : values) {
                digest.add(
                        key.getBytes(), 0, key.getLength(), value.getBytes(), 0, value.getLength());
            }
        }

        @Override
        protected void cleanup(
                final Reducer<BinaryComparable, BinaryComparable, NullWritable, NullWritable>
                                .Context
                        context) {
            context.getCounter(Traffic.RECEIVED_RECORDS).increment(digest.records());
            context.getCounter(Traffic.RECEIVED_BYTES).increment(digest.bytes());
            context.getCounter(Traffic.RECEIVED_SUM).increment(digest.sum());
        }
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Class<?> type = isText(getConf()) ? Text.class : BytesWritable.class;
        final Job job = job("shuffle", in, out);
        job.setMapperClass(SendMapper.class);
        job.setPartitionerClass(NumberPartitioner.class);
        job.setReducerClass(DropReducer.class);
        job.setOutputFormatClass(NullOutputFormat.class);
        job.setMapOutputKeyClass(type);
        job.setMapOutputValueClass(type);
        finish(job);
        writeFile(new Path(out, "part-r-00000"), lines(job.getCounters(), job.getNumReduceTasks()));
    }

    private static String lines(final Counters counters, final int reduces) {
        final StringBuilder lines = new StringBuilder();
        for (final Traffic traffic : Traffic.values()) {
            lines.append(traffic)
                    .append('\t')
                    .append(counters.findCounter(traffic).getValue())
                    .append('\n');
        }
        return lines.append(REDUCES).append('\t').append(reduces).append('\n').toString();
    }

    /** Lines are in the order of {@link Traffic}. */
    @Override
    boolean isSortedByText() {
        return false;
    }

    /** The keys, and so the checksums, depend on how many reducers there were. */
    @Override
    void inspect(final TextFolder out) throws IOException {
        out.forEach(
                (file, line) -> {
                    if (line.startsWith(REDUCES)) {
                        reduces = Integer.parseInt(line.substring(REDUCES.length() + 1));
                    }
                });
    }

    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        final RecordDigest digest = new RecordDigest();
        in.forEach(
                (file, line) -> {
                    final Records records = new Records(getConf(), line, reduces);
                    while (records.next()) {
                        records.addTo(digest);
                    }
                });
        for (final String side : new String[] {"SENT", "RECEIVED"}) {
            expected.accept(side + "_RECORDS\t" + digest.records());
            expected.accept(side + "_BYTES\t" + digest.bytes());
            expected.accept(side + "_SUM\t" + digest.sum());
        }
        expected.accept(Traffic.MISPLACED_RECORDS + "\t0");
        expected.accept(Traffic.MISORDERED_RECORDS + "\t0");
        expected.accept(REDUCES + "\t" + reduces);
    }
}
