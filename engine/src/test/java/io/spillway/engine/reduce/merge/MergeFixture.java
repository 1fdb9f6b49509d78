// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.TaskFixture;
import io.spillway.engine.TestSegment;
import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.memory.Claim;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.segment.SegmentLengths;
import io.spillway.engine.spi.SegmentForm;
import io.spillway.ifile.HeadMemory;
import io.spillway.ifile.RecordCursor;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import io.spillway.transport.SegmentId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Text;

/** Complete segments in a pool, without a shuffle around them. One thread. */
public final class MergeFixture {
    final ChunkPool pool;
    final HeadMemory heads = new HeadMemory(1 << 20, 8, 0);
    final KeyOrder order = KeyOrders.of(new Text.Comparator());
    final Claim claim;
    private int maps;

    MergeFixture(final int chunkSize, final int chunks) {
        pool = new ChunkPool(chunkSize, chunks, false);
        claim = pool.claimWithoutReserve();
    }

    /** A segment as the receiver leaves it: verified, trimmed, its claim settled. */
    MemoryRun segment(final TestSegment segment) {
        return segment(segment, maps++);
    }

    /** A segment as the receiver leaves it, of a given map. */
    MemoryRun segment(final TestSegment segment, final int number) {
        final MapSlot map = new MapSlot(List.of(pool.claim()));
        final SegmentFetch fetch =
                new SegmentFetch(
                        map,
                        new MapSlot.Candidate(
                                TaskFixture.map(number, 0),
                                new Node(TaskFixture.node(0), due -> {})),
                        new SegmentId(TaskFixture.map(number, 0).name(), TaskFixture.PARTITION, 0),
                        pool.chunkSize(),
                        SegmentForm.PLAIN,
                        null);
        map.add(fetch);
        fetch.learn(new SegmentLengths(segment.bytes().length, segment.rawLength(), 1));
        fetch.records.expect(segment.count(), fetch);
        fill(fetch, segment);
        pool.settle(fetch.claim);
        fetch.complete();
        return MemoryRun.of(fetch);
    }

    private void fill(final SegmentFetch fetch, final TestSegment segment) {
        final byte[] bytes = segment.bytes();
        final int size = pool.chunkSize();
        final int count = (bytes.length + size - 1) / size;
        pool.demand(fetch.claim, count);
        if (!pool.commitWhole(fetch.claim)) {
            throw new AssertionError("the test's pool is too small");
        }
        for (int i = 0; i < count; i++) {
            final Chunk chunk = pool.take(fetch.claim);
            final int length = Math.min(size, bytes.length - i * size);
            chunk.destination(length).put(bytes, i * size, length);
            chunk.length(length);
            fetch.arrive((long) i * size, chunk);
        }
        for (int i = 0; i < count; i++) {
            final Chunk chunk = fetch.nextInOrder();
            if (chunk.length() == 0) {
                pool.giveBack(fetch.claim, chunk);
            } else {
                fetch.queue.put(count == 1 ? pool.trim(fetch.claim, chunk) : chunk);
            }
        }
        fetch.queue.end();
    }

    MergeMemory memory(final List<MemoryRun> inputs) {
        final int ahead = MergeMemory.chunksAhead(inputs, false, pool.chunkSize());
        final List<Chunk> borrowed = MergeMemory.borrow(pool, claim, ahead);
        return borrowed == null ? null : new MergeMemory(pool.chunkSize(), borrowed);
    }

    InMemoryMerge merge(final List<MemoryRun> inputs, final MergeMemory memory, final KeyOrder by) {
        return new InMemoryMerge(
                inputs, run -> run.take(pool, claim), memory, cursors(), by, this::giveBack);
    }

    RunCursors cursors() {
        return new RunCursors(null, heads);
    }

    void giveBack(final Chunk chunk) {
        pool.giveBack(claim, chunk);
    }

    /** Reads a run to its end, and gives its chunks back. */
    List<TestSegment.Entry> read(final MemoryRun run) throws IOException {
        return read(cursors().run(run, new MemoryRunSource(run.take(pool, claim), this::giveBack)));
    }

    public static List<TestSegment.Entry> read(final RecordCursor cursor) throws IOException {
        final List<TestSegment.Entry> entries = new ArrayList<>();
        while (cursor.next()) {
            entries.add(TestSegment.entry(cursor));
        }
        cursor.close();
        return entries;
    }
}
