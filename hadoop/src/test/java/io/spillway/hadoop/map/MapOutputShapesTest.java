// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.SpillRecord;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Map outputs of one partition to 2,000, as stock's own index and segment readers see them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MapOutputShapesTest {
    private record Pair(String key, String value) {}

    private static final int RECORDS = 60_000;

    @TempDir Path local;

    private final Random random = new Random(41);

    /** With and without spills; evenly, and with all records in the partition in the middle. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, false",
        "1, 100, false",
        "200, 1, false",
        "200, 100, false",
        "200, 1, true",
        "2000, 1, false",
        "2000, 100, false",
        "2000, 1, true",
        "2000, 100, true"
    })
    void everyPartitionHasItsRecordsInOrder(
            final int partitions, final int sortMegabytes, final boolean oneGetsAll)
            throws Exception {
        final MapFixture job = new MapFixture(local, partitions);
        job.conf.setInt(MRJobConfig.IO_SORT_MB, sortMegabytes);
        final List<List<Pair>> expected = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            expected.add(new ArrayList<>());
        }
        final MapOutputCollector<Text, Text> collector = job.collector(0, () -> {});
        for (int i = 0; i < RECORDS; i++) {
            final int partition = oneGetsAll ? partitions / 2 : random.nextInt(partitions);
            final Pair pair = new Pair("key" + random.nextInt(20_000), "value" + i);
            collector.collect(new Text(pair.key), new Text(pair.value), partition);
            expected.get(partition).add(pair);
        }
        collector.flush();
        collector.close();

        for (final List<Pair> ofPartition : expected) {
            ofPartition.sort(Comparator.comparing(Pair::key));
        }
        assertThat(read(job, partitions)).isEqualTo(expected);
    }

    private static List<List<Pair>> read(final MapFixture job, final int partitions)
            throws IOException {
        final org.apache.hadoop.fs.Path output =
                new org.apache.hadoop.fs.Path(job.lastOutput().toString());
        final SpillRecord index = new SpillRecord(output.suffix(".index"), job.conf);
        final FileSystem files = FileSystem.getLocal(job.conf).getRaw();
        final List<List<Pair>> read = new ArrayList<>();
        try (FSDataInputStream in = files.open(output)) {
            for (int partition = 0; partition < partitions; partition++) {
                read.add(read(job, in, index.getIndex(partition)));
            }
        }
        return read;
    }

    private static List<Pair> read(
            final MapFixture job, final FSDataInputStream in, final IndexRecord where)
            throws IOException {
        final List<Pair> read = new ArrayList<>();
        in.seek(where.startOffset);
        final IFile.Reader<Text, Text> reader =
                new IFile.Reader<>(job.conf, in, where.partLength, null, null);
        final DataInputBuffer buffer = new DataInputBuffer();
        final Text text = new Text();
        while (reader.nextRawKey(buffer)) {
            text.readFields(buffer);
            final String key = text.toString();
            reader.nextRawValue(buffer);
            text.readFields(buffer);
            read.add(new Pair(key, text.toString()));
        }
        return read;
    }
}
