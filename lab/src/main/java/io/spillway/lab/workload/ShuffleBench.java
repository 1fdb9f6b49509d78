// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
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
 * them, and no file system is in between. The records of a reducer are as many as any other's
 * ({@code average}), a random number ({@code random}), or half of all for the first, a quarter for
 * the second, an eighth for the third and the rest at random ({@code skewed}): {@code
 * spillway.bench.shuffle.distribution}. {@code .key.bytes}, {@code .value.bytes} and {@code .type}
 * (bytes or text) say what a record is.
 *
 * <p>A key begins with the number of its reducer. Maps and reducers add up the records' checksums
 * in counters, of which the client writes the output: a few lines.
 *
 * <p>The input has a line a map: its number and the bytes that it sends.
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

    /** To which reducers the records of a map go. */
    enum Distribution {
        AVERAGE {
            @Override
            int reducer(final long record, final SplittableRandom random, final int reduces) {
                return (int) (record % reduces);
            }
        },
        RANDOM {
            @Override
            int reducer(final long record, final SplittableRandom random, final int reduces) {
                return random.nextInt(reduces);
            }
        },
        SKEWED {
            @Override
            int reducer(final long record, final SplittableRandom random, final int reduces) {
                final int eighth = random.nextInt(8);
                if (eighth == 7) {
                    return random.nextInt(reduces);
                }
                final int rank = eighth < 4 ? 0 : eighth < 6 ? 1 : 2;
                return rank % reduces;
            }
        };

        abstract int reducer(long record, SplittableRandom random, int reduces);

        static Distribution of(final String name) throws IOException {
            for (final Distribution one : values()) {
                if (one.name().toLowerCase(Locale.ROOT).equals(name)) {
                    return one;
                }
            }
            throw new IOException(
                    PREFIX + "distribution=" + name + ": expected average, random or skewed");
        }
    }

    /** The records of a map. */
    private static final class Records {
        private static final String ALPHABET =
                "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

        private final Distribution distribution;
        private final byte[] key;
        private final byte[] value;
        private final byte[] letters = new byte[2 * MOST_BYTES];

        Records(final Configuration conf) throws IOException {
            distribution = Distribution.of(conf.get(PREFIX + "distribution", "average"));
            key = new byte[size(conf, "key.bytes", 16, FEWEST_KEY_BYTES)];
            value = new byte[size(conf, "value.bytes", 1008, 0)];
            new SplittableRandom(1).nextBytes(letters);
            for (int i = 0; i < letters.length; i++) {
                letters[i] = (byte) ALPHABET.charAt(letters[i] & 63);
            }
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

        /** Makes all records of a line of the input. */
        void make(final String line, final int reduces, final BiConsumer<byte[], byte[]> sink) {
            final int space = line.indexOf(' ');
            final SplittableRandom random =
                    new SplittableRandom(Long.parseLong(line.substring(0, space)));
            final long records =
                    Long.parseLong(line.substring(space + 1)) / (key.length + value.length);
            for (long record = 0; record < records; record++) {
                fill(key, random);
                fill(value, random);
                int left = distribution.reducer(record, random, reduces);
                for (int digit = DIGITS - 1; digit >= 0; digit--) {
                    key[digit] = (byte) ('0' + left % 10);
                    left /= 10;
                }
                sink.accept(key, value);
            }
        }

        private void fill(final byte[] target, final SplittableRandom random) {
            System.arraycopy(letters, random.nextInt(MOST_BYTES), target, 0, target.length);
            for (int i = DIGITS; i < Math.min(FEWEST_KEY_BYTES + DIGITS, target.length); i++) {
                target[i] = (byte) ALPHABET.charAt(random.nextInt(ALPHABET.length()));
            }
        }
    }

    private static boolean isText(final Configuration conf) throws IOException {
        final String type = conf.get(PREFIX + "type", "bytes");
        if (!type.equals("text") && !type.equals("bytes")) {
            throw new IOException(PREFIX + "type=" + type + ": expected bytes or text");
        }
        return type.equals("text");
    }

    /** Sends the records of a line. */
    public static final class SendMapper
            extends Mapper<LongWritable, Text, BinaryComparable, BinaryComparable> {
        private final RecordDigest digest = new RecordDigest();

        @Override
        protected void map(final LongWritable offset, final Text line, final Context context)
                throws IOException {
            final boolean isText = isText(context.getConfiguration());
            new Records(context.getConfiguration())
                    .make(
                            line.toString(),
                            Math.max(1, context.getNumReduceTasks()),
                            (key, value) -> {
                                digest.add(key, 0, key.length, value, 0, value.length);
                                send(context, isText, key, value);
                            });
        }

        private static void send(
                final Context context, final boolean isText, final byte[] key, final byte[] value) {
            try {
                context.write(
                        isText ? new Text(key) : new BytesWritable(key),
                        isText ? new Text(value) : new BytesWritable(value));
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        @Override
        protected void cleanup(final Context context) {
            context.getCounter(Traffic.SENT_RECORDS).increment(digest.records());
            context.getCounter(Traffic.SENT_BYTES).increment(digest.bytes());
            context.getCounter(Traffic.SENT_SUM).increment(digest.sum());
        }
    }

    /** By the number that a key begins with. */
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

    /** Adds up what comes, and drops it. */
    public static final class DropReducer
            extends Reducer<BinaryComparable, BinaryComparable, NullWritable, NullWritable> {
        private final RecordDigest digest = new RecordDigest();
        private byte[] last = new byte[0];

        @Override
        protected void reduce(
                final BinaryComparable key,
                final Iterable<BinaryComparable> values,
                final Context context) {
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
        protected void cleanup(final Context context) {
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
        final Records records = new Records(getConf());
        final RecordDigest digest = new RecordDigest();
        in.forEach(
                (file, line) ->
                        records.make(
                                line,
                                reduces,
                                (key, value) ->
                                        digest.add(key, 0, key.length, value, 0, value.length)));
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
