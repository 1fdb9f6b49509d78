// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.mapred.JobConf;

/**
 * Reads what the reducers recorded and brings it into normal form: MapReduce leaves the order of
 * records with equal keys open, so each run of them is sorted, unless the job asks for their order;
 * all other order stays as it is.
 */
final class OutputReader {
    private static final Comparator<Line> BY_BYTES =
            Comparator.<Line, byte[]>comparing(line -> line.key, Arrays::compareUnsigned)
                    .thenComparing(line -> line.value, Arrays::compareUnsigned);

    private final JobSpec spec;
    private final JobConf conf;

    OutputReader(final JobSpec spec, final JobConf conf) {
        this.spec = spec;
        this.conf = conf;
    }

    /** One output record. */
    static final class Line {
        private final int group;
        private final byte[] key;
        private final byte[] value;

        Line(final BytesWritable key, final BytesWritable value) {
            final ByteBuffer buffer = ByteBuffer.wrap(key.getBytes(), 0, key.getLength());
            this.group = buffer.getInt();
            this.key = new byte[buffer.remaining()];
            buffer.get(this.key);
            this.value = value.copyBytes();
        }

        @Override
        public boolean equals(final Object other) {
            return other instanceof Line line
                    && group == line.group
                    && Arrays.equals(key, line.key)
                    && Arrays.equals(value, line.value);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(key) * 31 + Arrays.hashCode(value);
        }

        @Override
        public String toString() {
            final HexFormat hex = HexFormat.of();
            return "group " + group + ": " + hex.formatHex(key) + " -> " + hex.formatHex(value);
        }
    }

    /** Each reducer's output. */
    List<List<Line>> read(final Path directory) throws IOException {
        final List<List<Line>> partitions = new ArrayList<>();
        for (int partition = 0; partition < spec.reducers(); partition++) {
            final String file = conf.getUseNewReducer() ? "part-r-%05d" : "part-%05d";
            final List<Line> lines = readFile(new Path(directory, file.formatted(partition)));
            final boolean showsOrder =
                    spec.valuesEchoKeys() && !spec.ordering().differentKeysCompareEqual();
            if (!spec.inOrder() && !showsOrder) {
                normalize(lines);
            }
            partitions.add(lines);
        }
        return partitions;
    }

    private List<Line> readFile(final Path file) throws IOException {
        final List<Line> lines = new ArrayList<>();
        try (SequenceFile.Reader reader =
                new SequenceFile.Reader(conf, SequenceFile.Reader.file(file))) {
            final BytesWritable key = new BytesWritable();
            final BytesWritable value = new BytesWritable();
            while (reader.next(key, value)) {
                lines.add(new Line(key, value));
            }
        }
        return lines;
    }

    private void normalize(final List<Line> lines) {
        int start = 0;
        for (int end = 1; end <= lines.size(); end++) {
            if (end == lines.size() || !sameKey(lines.get(start), lines.get(end))) {
                lines.subList(start, end).sort(BY_BYTES);
                start = end;
            }
        }
    }

    private boolean sameKey(final Line a, final Line b) {
        if (a.group != b.group) {
            return false;
        }
        if (!spec.ordering().differentKeysCompareEqual()) {
            return Arrays.equals(a.key, b.key);
        }
        final RawComparator<?> comparator = conf.getOutputKeyComparator();
        return comparator.compare(a.key, 0, a.key.length, b.key, 0, b.key.length) == 0;
    }
}
