package io.spillway.sort;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.ifile.HeapRecordCursor;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.SegmentWriter;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;

class SortBufferTest {
    @Test
    void sortsByPartitionAndKeyAndMergesSpills() throws IOException {
        final KeyOrder order = KeyOrders.of(new Text.Comparator());
        final List<RecordCursor> runs = new ArrayList<>();
        final SortBuffer[] holder = new SortBuffer[1];
        final SortBuffer buffer =
                new SortBuffer(1 << 20, 1, order, () -> runs.add(spill(holder[0])));
        holder[0] = buffer;
        final DataOutputStream out = new DataOutputStream(buffer.stream());
        final int count = 100_000;
        for (int i = 0; i < count; i++) {
            buffer.beginRecord();
            new Text(Integer.toString(i * 7919 % count)).write(out);
            buffer.endKey();
            new Text("value").write(out);
            assertThat(buffer.endRecord(0)).isGreaterThan(7);
        }
        runs.add(spill(buffer));
        assertThat(runs).hasSizeGreaterThan(1);

        final List<String> expected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            expected.add(Integer.toString(i));
        }
        expected.sort(null);
        final List<String> merged = new ArrayList<>();
        try (MergeQueue queue = new MergeQueue(runs, order)) {
            while (queue.next()) {
                final RecordCursor current = queue.current();
                merged.add(
                        new String(
                                current.buffer(),
                                current.keyStart() + 1,
                                current.keyLength() - 1,
                                java.nio.charset.StandardCharsets.UTF_8));
            }
        }
        assertThat(merged).isEqualTo(expected);
    }

    private static RecordCursor spill(final SortBuffer buffer) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final IndexEntry entry;
        try (SegmentWriter writer = new SegmentWriter(out, null)) {
            final SortedRecords sorted = buffer.sort();
            for (int i = 0; i < sorted.records(); i++) {
                writer.append(sorted.data(), sorted.recordOffset(i), sorted.recordLength(i));
            }
            entry = writer.endSegment();
        }
        buffer.clear();
        assertThat(entry.partLength()).isEqualTo(out.size());
        return new HeapRecordCursor(out.toByteArray(), 0, (int) entry.rawLength());
    }
}
