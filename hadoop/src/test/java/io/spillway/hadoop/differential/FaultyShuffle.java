// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;
import org.apache.hadoop.util.Progress;

/** Hadoop's shuffle with one fault, for the harness to find. */
public final class FaultyShuffle<K, V> implements ShuffleConsumerPlugin<K, V> {
    /** The fault, one of {@link Fault}. */
    static final String FAULT = "differential.fault";

    /** What can be wrong with the records that a reducer sees. */
    enum Fault {
        /** Nothing. */
        NONE,
        /** A record is missing. */
        LOSES,
        /** A record comes twice. */
        DOUBLES,
        /** The last byte of a value has changed. */
        ALTERS_VALUE,
        /** The last byte of a key has changed. */
        ALTERS_KEY,
        /** The last record comes first. */
        MISPLACES
    }

    private final Shuffle<K, V> shuffle = new Shuffle<>();
    private Fault fault;

    @Override
    public void init(final Context<K, V> context) {
        fault = context.getJobConf().getEnum(FAULT, Fault.NONE);
        shuffle.init(context);
    }

    @Override
    public RawKeyValueIterator run() throws IOException, InterruptedException {
        final RawKeyValueIterator source = shuffle.run();
        final List<byte[][]> records = new ArrayList<>();
        while (source.next()) {
            records.add(new byte[][] {copy(source.getKey()), copy(source.getValue())});
        }
        if (!records.isEmpty()) {
            spoil(records);
        }
        return new Replay(records);
    }

    private void spoil(final List<byte[][]> records) {
        final int middle = records.size() / 2;
        final byte[] key = records.get(middle)[0];
        final byte[] value = records.get(middle)[1];
        switch (fault) {
            case NONE -> {}
            case LOSES -> records.remove(middle);
            case DOUBLES -> records.add(middle, records.get(middle));
            case ALTERS_VALUE -> value[value.length - 1] ^= 1;
            case ALTERS_KEY -> key[key.length - 1] ^= 1;
            case MISPLACES -> records.add(0, records.remove(records.size() - 1));
        }
    }

    private static byte[] copy(final DataInputBuffer buffer) {
        final byte[] bytes = new byte[buffer.getLength() - buffer.getPosition()];
        System.arraycopy(buffer.getData(), buffer.getPosition(), bytes, 0, bytes.length);
        return bytes;
    }

    @Override
    public void close() {
        shuffle.close();
    }

    private static final class Replay implements RawKeyValueIterator {
        private final List<byte[][]> records;
        private final DataInputBuffer key = new DataInputBuffer();
        private final DataInputBuffer value = new DataInputBuffer();
        private int next;

        Replay(final List<byte[][]> records) {
            this.records = records;
        }

        @Override
        public boolean next() {
            if (next == records.size()) {
                return false;
            }
            final byte[][] record = records.get(next++);
            key.reset(record[0], record[0].length);
            value.reset(record[1], record[1].length);
            return true;
        }

        @Override
        public DataInputBuffer getKey() {
            return key;
        }

        @Override
        public DataInputBuffer getValue() {
            return value;
        }

        @Override
        public Progress getProgress() {
            return new Progress();
        }

        @Override
        public void close() {
            // Holds no resource.
        }
    }
}
