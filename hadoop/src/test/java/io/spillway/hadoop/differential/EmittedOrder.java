// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * What a job puts out when equal keys come in the order of the maps' numbers and, of one map, of
 * emission: computed from the spec by one stable sort of all records, without any shuffle. For jobs
 * of Writables, hash partitioning and reducers of the new API; combiners do not run.
 */
final class EmittedOrder {
    private final JobSpec spec;
    private final JobConf conf = new JobConf(false);

    private EmittedOrder(final JobSpec spec) {
        this.spec = spec;
        spec.configure(conf);
    }

    /** Each reducer's output. */
    static List<List<OutputReader.Line>> of(final JobSpec spec)
            throws IOException, InterruptedException {
        return new EmittedOrder(spec).partitions();
    }

    private static final class Emitted {
        private final byte[] key;
        private final byte[] value;

        Emitted(final byte[] key, final byte[] value) {
            this.key = key;
            this.value = value;
        }
    }

    private List<List<OutputReader.Line>> partitions() throws IOException, InterruptedException {
        final RawComparator<?> order = conf.getOutputKeyComparator();
        final Comparator<Emitted> byKey = (a, b) -> compare(order, a, b);
        final List<List<OutputReader.Line>> lines = new ArrayList<>();
        for (final List<Emitted> partition : emitted()) {
            // Stable.
            partition.sort(byKey);
            lines.add(reduced(partition));
        }
        return lines;
    }

    private static int compare(final RawComparator<?> order, final Emitted a, final Emitted b) {
        return order.compare(a.key, 0, a.key.length, b.key, 0, b.key.length);
    }

    private List<List<Emitted>> emitted() throws IOException, InterruptedException {
        final List<List<Emitted>> partitions = new ArrayList<>();
        for (int partition = 0; partition < spec.reducers(); partition++) {
            partitions.add(new ArrayList<>());
        }
        for (int map = 0; map < spec.maps(); map++) {
            final RecordEmitter emitter = new RecordEmitter(conf);
            for (int index = 0; index < JobSpec.recordsPerMap(conf); index++) {
                emitter.emit(
                        map,
                        index,
                        (key, value) ->
                                partitions
                                        .get((key.hashCode() & Integer.MAX_VALUE) % spec.reducers())
                                        .add(
                                                new Emitted(
                                                        Serialized.bytes(key),
                                                        Serialized.bytes(value))));
            }
        }
        return partitions;
    }

    private List<OutputReader.Line> reduced(final List<Emitted> sorted)
            throws IOException, InterruptedException {
        final RawComparator<?> grouping = conf.getOutputValueGroupingComparator();
        final GroupRecorder recorder = new GroupRecorder(conf);
        final List<OutputReader.Line> lines = new ArrayList<>();
        int start = 0;
        while (start < sorted.size()) {
            int end = start + 1;
            while (end < sorted.size()
                    && compare(grouping, sorted.get(end - 1), sorted.get(end)) == 0) {
                end++;
            }
            final Group group = new Group(sorted.subList(start, end).iterator());
            recorder.reduce(
                    group.key, group, (key, value) -> lines.add(new OutputReader.Line(key, value)));
            start = end;
        }
        return lines;
    }

    /** A group's values; the key is always that of the last value taken, as in the new API. */
    private final class Group implements Iterator<Writable> {
        private final Writable key = instance(conf.getMapOutputKeyClass());
        private final Iterator<Emitted> records;

        Group(final Iterator<Emitted> records) {
            this.records = records;
        }

        private Writable instance(final Class<?> type) {
            return (Writable) ReflectionUtils.newInstance(type, conf);
        }

        @Override
        public boolean hasNext() {
            return records.hasNext();
        }

        @Override
        public Writable next() {
            final Emitted record = records.next();
            final Writable value = instance(conf.getMapOutputValueClass());
            Serialized.read(record.key, key);
            Serialized.read(record.value, value);
            return value;
        }
    }
}
