// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.TestSegment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.RawKeyValueIterator;

/** Reads the records of an iterator as Hadoop does. */
final class IteratedRecords {
    private IteratedRecords() {}

    static List<TestSegment.Entry> readAll(final RawKeyValueIterator iterator) throws IOException {
        final List<TestSegment.Entry> read = new ArrayList<>();
        while (iterator.next()) {
            read.add(entry(iterator));
        }
        return read;
    }

    static TestSegment.Entry entry(final RawKeyValueIterator iterator) throws IOException {
        final DataInputBuffer rawKey = iterator.getKey();
        final DataInputBuffer in = new DataInputBuffer();
        in.reset(rawKey.getData(), rawKey.getPosition(), rawKey.getLength() - rawKey.getPosition());
        final Text key = new Text();
        key.readFields(in);
        final DataInputBuffer value = iterator.getValue();
        return new TestSegment.Entry(
                key.toString(),
                new String(
                        value.getData(),
                        value.getPosition(),
                        value.getLength() - value.getPosition(),
                        StandardCharsets.ISO_8859_1));
    }
}
