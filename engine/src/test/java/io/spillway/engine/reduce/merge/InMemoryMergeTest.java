// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.TestSegment;
import io.spillway.sort.KeyOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class InMemoryMergeTest {
    private static final int CHUNK = 256;
    private static final int MANY_CHUNKS = 4000;

    /** Cuts a merge when a number of records were looked at. */
    private static final class CuttingOrder implements KeyOrder {
        private final KeyOrder order;
        private int left;
        private InMemoryMerge merge;

        CuttingOrder(final KeyOrder order, final int left) {
            this.order = order;
            this.left = left;
        }

        @Override
        public int compare(
                final byte[] a,
                final int aStart,
                final int aLength,
                final byte[] b,
                final int bStart,
                final int bLength) {
            return order.compare(a, aStart, aLength, b, bStart, bLength);
        }

        @Override
        public Strength strength() {
            return order.strength();
        }

        @Override
        public long prefix(final byte[] buffer, final int start, final int length) {
            if (left-- == 0) {
                merge.cut();
            }
            return order.prefix(buffer, start, length);
        }

        @Override
        public long chunk(final byte[] buffer, final int start, final int length, final int depth) {
            return order.chunk(buffer, start, length, depth);
        }

        @Override
        public int contentLength(final byte[] buffer, final int start, final int length) {
            return order.contentLength(buffer, start, length);
        }
    }

    private static List<TestSegment> segments(final Random random, final int count)
            throws IOException {
        final List<TestSegment> segments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            // Some are trimmed copies, some take several chunks, some records are larger than one.
            final int records = 1 + random.nextInt(random.nextInt(4) == 0 ? 60 : 6);
            final int maxValue = random.nextInt(3) == 0 ? 3 * CHUNK : 40;
            segments.add(TestSegment.random(random, records, maxValue, null));
        }
        return segments;
    }

    @Property(tries = 300)
    void whereverItIsCutNoRecordIsLostAndNoChunk(
            @ForAll @IntRange(min = 2, max = 20) final int count,
            @ForAll @IntRange(min = 0, max = 400) final int cutAfter,
            @ForAll final long seed)
            throws Exception {
        final MergeFixture fixture = new MergeFixture(CHUNK, MANY_CHUNKS);
        final List<TestSegment> segments = segments(new Random(seed), count);
        final List<MemoryRun> inputs = segments.stream().map(fixture::segment).toList();
        final MergeMemory memory = fixture.memory(inputs);
        final CuttingOrder order = new CuttingOrder(fixture.order, cutAfter);
        order.merge = fixture.merge(inputs, memory, order);

        final InMemoryMerge.Result result = order.merge.run(null);

        result.unused().forEach(fixture::giveBack);
        final List<TestSegment.Entry> written =
                result.chunks().isEmpty()
                        ? List.of()
                        : fixture.read(
                                MemoryRun.merged(
                                        result.chunks(), inputs, 1, result.figures().recordsOut()));
        final List<TestSegment.Entry> left =
                result.rest() == null ? List.of() : MergeFixture.read(result.rest());
        assertThat(result.exceeded()).isFalse();
        assertThat(written).hasSize((int) result.figures().recordsOut());
        // Equal keys come in the order of the inputs, as in any merge of them.
        assertThat(Stream.concat(written.stream(), left.stream()))
                .isEqualTo(TestSegment.merged(segments));
        assertThat(fixture.pool.surplus()).isEqualTo(MANY_CHUNKS);
    }

    @Property(tries = 100)
    void whatWasMergedIsMergedAgain(
            @ForAll @IntRange(min = 4, max = 16) final int count, @ForAll final long seed)
            throws Exception {
        final MergeFixture fixture = new MergeFixture(CHUNK, MANY_CHUNKS);
        final List<TestSegment> segments = segments(new Random(seed), count);
        final List<MemoryRun> halves = new ArrayList<>();
        for (final List<TestSegment> half :
                List.of(segments.subList(0, count / 2), segments.subList(count / 2, count))) {
            halves.add(mergeAll(fixture, half.stream().map(fixture::segment).toList()));
        }

        final MemoryRun all = mergeAll(fixture, halves);

        assertThat(fixture.read(all)).isEqualTo(TestSegment.merged(segments));
        assertThat(fixture.pool.surplus()).isEqualTo(MANY_CHUNKS);
    }

    private static MemoryRun mergeAll(final MergeFixture fixture, final List<MemoryRun> inputs)
            throws Exception {
        final InMemoryMerge.Result result =
                fixture.merge(inputs, fixture.memory(inputs), fixture.order).run(null);
        assertThat(result.exceeded()).isFalse();
        assertThat(result.rest()).isNull();
        assertThat(result.figures().bytesIn() + 2).isEqualTo(result.bytesOut());
        result.unused().forEach(fixture::giveBack);
        return MemoryRun.merged(
                result.chunks(), inputs, inputs.get(0).level() + 1, result.figures().recordsOut());
    }

    @Test
    void needsLittleMemoryBesideItsInputs() throws Exception {
        final Random random = new Random(3);
        final List<TestSegment> segments = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            segments.add(TestSegment.random(random, 500, 30, null));
        }
        final int chunksOfInputs =
                segments.stream().mapToInt(s -> (s.bytes().length + CHUNK - 1) / CHUNK).sum();
        // Four that are being read, and one that is being written.
        final MergeFixture fixture = new MergeFixture(CHUNK, chunksOfInputs + 5);
        final List<MemoryRun> inputs = segments.stream().map(fixture::segment).toList();

        final MemoryRun merged = mergeAll(fixture, inputs);

        assertThat(fixture.read(merged)).isEqualTo(TestSegment.merged(segments));
        assertThat(fixture.pool.peakBytes()).isLessThanOrEqualTo((chunksOfInputs + 5L) * CHUNK);
    }

    @Test
    void borrowsNothingWhereThereIsNotEnough() throws Exception {
        final TestSegment segment = TestSegment.random(new Random(3), 100, 30, null);
        final int chunks = (segment.bytes().length + CHUNK - 1) / CHUNK;
        final MergeFixture fixture = new MergeFixture(CHUNK, 2 * chunks + 2);
        final List<MemoryRun> inputs = List.of(fixture.segment(segment), fixture.segment(segment));

        assertThat(fixture.memory(inputs)).isNull();

        assertThat(fixture.pool.surplus()).isEqualTo(2);
        fixture.pool.claim();
    }

    @Test
    void anAbandonedMergeLeavesNothingBehind() throws Exception {
        final MergeFixture fixture = new MergeFixture(CHUNK, MANY_CHUNKS);
        final List<MemoryRun> inputs =
                segments(new Random(5), 5).stream().map(fixture::segment).toList();
        final InMemoryMerge merge = fixture.merge(inputs, fixture.memory(inputs), fixture.order);
        merge.abandon();

        final InMemoryMerge.Result result = merge.run(null);

        assertThat(result.rest()).isNull();
        assertThat(result.chunks()).isEmpty();
        result.unused().forEach(fixture::giveBack);
        assertThat(fixture.pool.surplus()).isEqualTo(MANY_CHUNKS);
    }

    @Test
    void aRunThatIsNotWhatItSaysFails() throws Exception {
        final MergeFixture fixture = new MergeFixture(CHUNK, MANY_CHUNKS);
        final TestSegment good =
                TestSegment.of(List.of(new TestSegment.Entry("key", "value")), null);
        // The length of the key.
        final TestSegment bad = good.corrupted(0);
        final List<MemoryRun> inputs =
                Stream.of(good, bad)
                        .sorted(Comparator.comparing(s -> s.bytes()[0]))
                        .map(fixture::segment)
                        .toList();
        final InMemoryMerge merge = fixture.merge(inputs, fixture.memory(inputs), fixture.order);

        assertThatThrownBy(() -> merge.run(null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Truncated run");
    }
}
