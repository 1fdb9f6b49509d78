// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.ifile.HeapRecordCursor;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;

class MergeQueueTest {
    private static final RawComparator<?> COMPARATOR = new Text.Comparator();

    /** A key and the number of its run. */
    private static final class Item {
        private final byte[] key;
        private final int run;

        Item(final byte[] key, final int run) {
            this.key = key;
            this.run = run;
        }

        byte[] key() {
            return key;
        }

        int run() {
            return run;
        }
    }

    private static int compare(final byte[] a, final byte[] b) {
        return COMPARATOR.compare(a, 0, a.length, b, 0, b.length);
    }

    /** A run whose values are its number; counts how often it was closed. */
    private static final class Run extends RecordCursor {
        private int closed;

        Run(final List<Item> items) throws IOException {
            super();
            final ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (SegmentWriter writer = new SegmentWriter(out, null)) {
                for (final Item item : items) {
                    final byte[] value = {(byte) item.run()};
                    writer.append(item.key(), 0, item.key().length, value, 0, 1);
                }
                writer.endSegment();
            }
            data = out.toByteArray();
            limit = data.length;
        }

        @Override
        protected boolean ensure(final int count) {
            return limit - position >= count;
        }

        @Override
        public void close() {
            closed++;
        }
    }

    @Property(tries = 300)
    void mergesAsASortDoes(
            @ForAll @IntRange(min = 0, max = 40) final int runs,
            @ForAll @IntRange(min = 0, max = 200) final int most,
            @ForAll @IntRange(min = 1, max = 1000) final int distinct,
            @ForAll final boolean shared,
            @ForAll final boolean prefixes,
            @ForAll final long seed)
            throws IOException {
        final Random random = new Random(seed);
        final List<Run> cursors = new ArrayList<>();
        final List<Item> expected = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            final List<Item> items = new ArrayList<>();
            final int count = random.nextInt(3) == 0 ? 0 : random.nextInt(most + 1);
            for (int i = 0; i < count; i++) {
                final String key = (shared ? "a shared beginning " : "") + random.nextInt(distinct);
                items.add(new Item(KeyBytes.text(key), run));
            }
            items.sort((a, b) -> compare(a.key(), b.key()));
            expected.addAll(items);
            cursors.add(new Run(items));
        }
        expected.sort(
                Comparator.<Item, byte[]>comparing(Item::key, MergeQueueTest::compare)
                        .thenComparing(Item::run));

        final KeyOrder order =
                prefixes ? KeyOrders.of(COMPARATOR) : KeyOrders.comparing(COMPARATOR);
        final List<Item> merged = new ArrayList<>();
        try (MergeQueue queue = new MergeQueue(cursors, order)) {
            while (queue.next()) {
                merged.add(current(queue));
            }
            assertThat(queue.next()).isFalse();
        }
        assertThat(merged)
                .usingElementComparator(
                        Comparator.<Item, byte[]>comparing(Item::key, MergeQueueTest::compare)
                                .thenComparing(Item::run))
                .isEqualTo(expected);
        assertThat(cursors).allMatch(cursor -> cursor.closed == 1);
    }

    private static Item current(final MergeQueue queue) {
        final RecordCursor cursor = queue.current();
        final int start = cursor.keyStart();
        final byte[] key =
                java.util.Arrays.copyOfRange(cursor.buffer(), start, start + cursor.keyLength());
        return new Item(key, cursor.buffer()[cursor.valueStart()]);
    }

    @Test
    void ordersTheLargestPrefixBeforeEndedRuns() throws IOException {
        final KeyOrder order = KeyOrders.of(new LongWritable.Comparator());
        final List<Run> runs = new ArrayList<>();
        for (int run = 0; run < 3; run++) {
            final List<Item> items = new ArrayList<>();
            for (int i = 0; i < run; i++) {
                items.add(new Item(KeyBytes.of(new LongWritable(Long.MAX_VALUE)), run));
            }
            runs.add(new Run(items));
        }
        final List<Integer> order0 = new ArrayList<>();
        try (MergeQueue queue = new MergeQueue(runs, order)) {
            while (queue.next()) {
                order0.add(current(queue).run());
            }
        }
        assertThat(order0).containsExactly(1, 2, 2);
    }

    @Test
    void comparesContentsBehindEqualPrefixes() throws IOException {
        final KeyOrder order = KeyOrders.of(new BytesWritable.Comparator());
        final List<Run> runs =
                List.of(
                        new Run(List.of(new Item(KeyBytes.bytes(1, 0, 0), 0))),
                        new Run(List.of(new Item(KeyBytes.bytes(1, 0), 1))),
                        new Run(List.of(new Item(KeyBytes.bytes(1), 2))));
        final List<Integer> merged = new ArrayList<>();
        try (MergeQueue queue = new MergeQueue(runs, order)) {
            while (queue.next()) {
                merged.add(current(queue).run());
            }
        }
        assertThat(merged).containsExactly(2, 1, 0);
    }

    @Test
    void keepsTheCurrentRecordUntilTheNextCall() throws IOException {
        final Run run =
                new Run(List.of(new Item(KeyBytes.text("a"), 0), new Item(KeyBytes.text("b"), 0)));
        try (MergeQueue queue = new MergeQueue(List.of(run), KeyOrders.of(COMPARATOR))) {
            assertThat(queue.next()).isTrue();
            assertThat(KeyBytes.textOf(queue.current())).isEqualTo("a");
            assertThat(KeyBytes.textOf(run)).isEqualTo("a");
            assertThat(queue.next()).isTrue();
            assertThat(KeyBytes.textOf(queue.current())).isEqualTo("b");
        }
    }

    @Test
    void closesItsRunsWhenOneIsCorrupt() throws IOException {
        final Run good = new Run(List.of(new Item(KeyBytes.text("a"), 0)));
        final RecordCursor corrupt = new HeapRecordCursor(new byte[] {5}, 0, 1);
        try (MergeQueue queue = new MergeQueue(List.of(good, corrupt), KeyOrders.of(COMPARATOR))) {
            assertThatThrownBy(queue::next)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Truncated run");
        }
        assertThat(good.closed).isEqualTo(1);
    }

    /** Equal prefixes are equal keys there: nothing else is compared. */
    @Test
    void mergesByPrefixesAloneWhereTheyAreTheWholeKey() throws IOException {
        final Random random = new Random(3);
        final List<Run> runs = new ArrayList<>();
        final List<Long> expected = new ArrayList<>();
        for (int run = 0; run < 7; run++) {
            final long[] keys = random.longs(500).sorted().toArray();
            final List<Item> items = new ArrayList<>();
            for (final long key : keys) {
                items.add(new Item(KeyBytes.of(new LongWritable(key)), run));
                expected.add(key);
            }
            runs.add(new Run(items));
        }
        expected.sort(null);
        // As a run is that another queue had begun with.
        assertThat(runs.get(3).nextHead()).isTrue();
        final MergeQueue first = new MergeQueue(runs, KeyOrders.of(new LongWritable.Comparator()));
        final List<Long> merged = new ArrayList<>();
        try (MergeQueue queue =
                new MergeQueue(first.runs(), KeyOrders.of(new LongWritable.Comparator()))) {
            while (queue.next()) {
                merged.add(BigEndian.readLong(current(queue).key(), 0));
            }
        }
        assertThat(merged).isEqualTo(expected);
    }

    /** One that ends with a failure of its own. */
    private static final class Unclosable extends RecordCursor {
        private final String why;

        Unclosable(final String why) {
            super();
            this.why = why;
        }

        @Override
        protected boolean ensure(final int count) {
            return false;
        }

        @Override
        public void close() throws IOException {
            throw new IOException(why);
        }
    }

    /** What failed first is the cause; a later failure is often its consequence. */
    @Test
    void closesAllRunsAndKeepsEveryFailure() throws IOException {
        final Run good = new Run(List.of(new Item(KeyBytes.text("a"), 0)));
        final MergeQueue queue =
                new MergeQueue(
                        List.of(
                                new Unclosable("first"),
                                new Unclosable("second"),
                                good,
                                new Unclosable("third")),
                        KeyOrders.of(COMPARATOR));
        assertThatThrownBy(queue::close)
                .isInstanceOf(IOException.class)
                .hasMessage("first")
                .satisfies(
                        failure ->
                                assertThat(failure.getSuppressed())
                                        .extracting(Throwable::getMessage)
                                        .containsExactly("second", "third"));
        assertThat(good.closed).isEqualTo(1);
    }
}
