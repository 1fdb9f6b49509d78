// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.TestSegment;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.spi.RunCombiner;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.RecordCursor;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The records of merges in memory: those of the inputs are in the run, or combined away. */
class MergeAccountTest {
    private static final int CHUNK = 1024;

    private final MergeFixture fixture = new MergeFixture(CHUNK, 2_000);

    private MemoryRun segment(final int records) throws IOException {
        return fixture.segment(TestSegment.random(new Random(records), records, 60, null));
    }

    private InMemoryMerge.Result merge(final List<MemoryRun> inputs, final RunCombiner combiner)
            throws Exception {
        return fixture.merge(inputs, fixture.memory(inputs), fixture.order).run(combiner);
    }

    @Test
    void aRunThatLostARecordIsNoticedWhenItIsRead() throws Exception {
        final List<MemoryRun> inputs = List.of(segment(30), segment(40));
        final InMemoryMerge.Result result = merge(inputs, null);
        final MemoryRun run = MemoryRun.merged(result.chunks(), inputs, 1, 71);

        assertThatThrownBy(() -> fixture.read(run))
                .hasMessageContaining("a run merged in memory of places 0 to 1")
                .hasMessageContaining("expected=71 found=70");
    }

    @Test
    void aRunThatLostARecordIsNoticedByTheNextMerge() throws Exception {
        final List<MemoryRun> inputs = List.of(segment(30), segment(40));
        final InMemoryMerge.Result result = merge(inputs, null);
        final MemoryRun run = MemoryRun.merged(result.chunks(), inputs, 1, 69);

        assertThatThrownBy(() -> merge(List.of(run, segment(50)), null))
                .hasMessageContaining("expected=69 found=70");
    }

    /** Whatever a combiner reads, and whatever it makes of it. */
    @Property(tries = 200)
    void whatCombinersTakeAndGiveAddsUp(
            @ForAll @IntRange(min = 1, max = 300) final int first,
            @ForAll @IntRange(min = 1, max = 300) final int second,
            @ForAll @IntRange(min = 0, max = 700) final int reads,
            @ForAll @IntRange(min = 0, max = 3) final int copies)
            throws Exception {
        final List<MemoryRun> inputs = List.of(segment(first), segment(second));
        final RunCombiner combiner =
                (records, sink) -> {
                    RecordCursor record = null;
                    for (int i = 0; i < reads && (i == 0 || record != null); i++) {
                        record = records.next();
                        for (int copy = 0; record != null && copy < copies; copy++) {
                            sink.append(
                                    record.buffer(),
                                    record.keyStart(),
                                    record.keyLength(),
                                    record.buffer(),
                                    record.valueStart(),
                                    record.valueLength());
                        }
                    }
                };
        final InMemoryMerge.Result result = merge(inputs, combiner);

        result.unused().forEach(fixture::giveBack);
        final long left = result.rest() == null ? 0 : MergeFixture.read(result.rest()).size();
        if (result.figures().recordsOut() > 0) {
            final MemoryRun run =
                    MemoryRun.merged(result.chunks(), inputs, 1, result.figures().recordsOut());
            assertThat(fixture.read(run)).hasSize((int) result.figures().recordsOut());
        }
        assertThat(result.figures().recordsIn() + left).isEqualTo(first + second);
    }

    @Test
    void aCutThatLosesARunIsNoticed() throws Exception {
        final List<MemoryRun> inputs = List.of(segment(300), segment(400));
        inputs.get(0).fetch().records.expect(305, "it");
        final InMemoryMerge merge = fixture.merge(inputs, fixture.memory(inputs), fixture.order);
        final InMemoryMerge.Result result =
                merge.run(
                        (records, sink) -> {
                            for (int i = 0; i < 100; i++) {
                                records.next();
                            }
                            merge.cut();
                            assertThat(records.next()).isNull();
                        });
        final QueueCursor rest = result.rest();
        // Each input alone is right again, but the rest lacks five.
        inputs.get(0).fetch().records.expect(300, "it");

        assertThatThrownBy(() -> MergeFixture.read(rest))
                .hasMessageContaining("what a merge in memory has left: expected=605 found=600");
    }

    // ---- what combiners catch ------------------------------------------------------------------

    private MemoryRun uncounted(final int records) throws IOException {
        final MemoryRun run = segment(records);
        run.fetch().records.expect(RecordCounts.UNKNOWN, "it");
        return run;
    }

    private static KeyOrder failingAt(final int comparison) {
        final AtomicInteger count = new AtomicInteger();
        return KeyOrders.comparing(
                new Text.Comparator() {
                    @Override
                    public int compare(
                            final byte[] a,
                            final int aStart,
                            final int aLength,
                            final byte[] b,
                            final int bStart,
                            final int bLength) {
                        if (count.incrementAndGet() == comparison) {
                            throw new IllegalStateException("the comparator fails once");
                        }
                        return super.compare(a, aStart, aLength, b, bStart, bLength);
                    }
                });
    }

    /** The queue lies between two records then, or has none at all. */
    @ParameterizedTest
    @ValueSource(ints = {1, 50})
    void aCombinerThatCatchesWhatAComparatorThrowsDoesNotHideIt(final int comparison)
            throws Exception {
        final List<MemoryRun> inputs = List.of(uncounted(40), uncounted(50));
        final InMemoryMerge merge =
                fixture.merge(inputs, fixture.memory(inputs), failingAt(comparison));
        final RunCombiner catching =
                (records, sink) -> {
                    boolean more = true;
                    while (more) {
                        try {
                            more = records.next() != null;
                        } catch (final IllegalStateException e) {
                            // So do many combiners.
                        }
                    }
                };

        assertThatThrownBy(() -> merge.run(catching))
                .hasStackTraceContaining("the comparator fails once");
    }

    @Test
    void aCombinerThatThrowsSomethingElseDoesNotHideTheSegment() throws Exception {
        final List<MemoryRun> inputs = List.of(segment(30), segment(40));
        final SegmentFetch wrong = inputs.get(1).fetch();
        wrong.records.expect(41, "it");
        final RunCombiner other =
                (records, sink) -> {
                    try {
                        while (records.next() != null) {
                            // It takes all.
                        }
                    } catch (final IOException e) {
                        throw new IllegalStateException("no more input");
                    }
                };

        assertThatThrownBy(() -> merge(inputs, other))
                .satisfies(e -> assertThat(MiscountedSegment.of(e)).isSameAs(wrong))
                .hasStackTraceContaining("no more input");
    }
}
