// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.io.Text;

/** Records as TeraSort's: 10-byte keys and 90 bytes of value, both as Text. */
public final class BenchmarkRecords {
    static final int KEY_LENGTH = 11;
    static final int VALUE_LENGTH = 91;
    static final int RECORD_LENGTH = 2 + KEY_LENGTH + VALUE_LENGTH;
    static final KeyOrder ORDER = KeyOrders.of(new Text.Comparator());

    /** How the keys are spread. */
    public enum Keys {
        RANDOM,
        SHARED_8,
        ALL_EQUAL
    }

    private BenchmarkRecords() {}

    /** Encodes one record after the other. */
    static byte[] encode(final int records, final Keys keys, final long seed) {
        final Random random = new Random(seed);
        final byte[] data = new byte[records * RECORD_LENGTH];
        final byte[] content = new byte[10];
        for (int i = 0; i < records; i++) {
            final int at = i * RECORD_LENGTH;
            data[at] = KEY_LENGTH;
            data[at + 1] = VALUE_LENGTH;
            data[at + 2] = 10;
            fill(content, keys, random);
            System.arraycopy(content, 0, data, at + 3, 10);
            data[at + 13] = 90;
        }
        return data;
    }

    private static void fill(final byte[] content, final Keys keys, final Random random) {
        if (keys == Keys.RANDOM) {
            random.nextBytes(content);
        } else if (keys == Keys.SHARED_8) {
            content[8] = (byte) random.nextInt();
            content[9] = (byte) random.nextInt();
        }
    }

    /** The entries that a sort buffer makes of encoded records. */
    static long[] entries(final byte[] data, final int partitions) {
        final int records = data.length / RECORD_LENGTH;
        final long[] entries = new long[2 * records];
        for (int i = 0; i < records; i++) {
            final int offset = i * RECORD_LENGTH;
            entries[2 * i] = ORDER.prefix(data, offset + 2, KEY_LENGTH);
            entries[2 * i + 1] = RecordRefs.of(i % partitions, offset);
        }
        return entries;
    }

    static int[] starts(final int records, final int partitions) {
        final int[] starts = new int[partitions + 1];
        for (int p = 0; p < partitions; p++) {
            starts[p + 1] = starts[p] + (records - p + partitions - 1) / partitions;
        }
        return starts;
    }

    /** A sorted run with its end marker. */
    static byte[] sortedRun(final int records, final long seed) throws IOException {
        final byte[] data = encode(records, Keys.RANDOM, seed);
        final long[] entries = entries(data, 1);
        new RecordSorter(ORDER, records).sort(data, entries, starts(records, 1));
        final byte[] run = new byte[data.length + 2];
        for (int i = 0; i < records; i++) {
            final int offset = RecordRefs.offset(entries[2 * i + 1]);
            System.arraycopy(data, offset, run, i * RECORD_LENGTH, RECORD_LENGTH);
        }
        run[data.length] = -1;
        run[data.length + 1] = -1;
        return run;
    }
}
