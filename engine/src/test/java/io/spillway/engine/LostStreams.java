// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.reduce.segment.SegmentChecksum;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.spi.OutputId;
import io.spillway.transport.FetchException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A merge whose streams lose their sources, one step at a time: map i's output is on node i, and
 * larger than all memory.
 */
final class LostStreams implements AutoCloseable {
    static final int WINDOW = 1024;
    private static final int RECORDS = 400;

    final TaskFixture task;
    final List<TestSegment> segments = new ArrayList<>();
    SteppedShuffle shuffle;
    List<SegmentFetch> streams;

    private final Random random = new Random(23);
    private final List<byte[]> taken = new ArrayList<>();
    private final int maps;
    private boolean withChecksums = true;

    LostStreams(final int maps, final Path localDir) throws IOException {
        this.maps = maps;
        this.task = new TaskFixture(maps, localDir).minimalBuffer(WINDOW);
        for (int map = 0; map < maps; map++) {
            segments.add(TestSegment.random(random, RECORDS, 200, null));
            taken.add(new byte[0]);
        }
    }

    static OutputId first(final int map) {
        return TaskFixture.map(map, 0);
    }

    static OutputId second(final int map) {
        return TaskFixture.map(map, 1);
    }

    /** The heads are here. */
    LostStreams begin() throws IOException {
        shuffle = new SteppedShuffle(task);
        if (!withChecksums) {
            shuffle.nodes.withoutChecksums();
        }
        for (int map = 0; map < maps; map++) {
            shuffle.succeeded(first(map), TaskFixture.node(map), stored(map));
        }
        shuffle.pass(300);
        streams = shuffle.copied();
        assertThat(streams).as("copied").hasSize(maps);
        assertThat(streams).noneMatch(SegmentFetch::isComplete);
        return this;
    }

    /** As {@link #begin}, of outputs as the stock collector writes them. */
    LostStreams beginWithoutChecksums() throws IOException {
        withChecksums = false;
        return begin();
    }

    /** The merge takes so many chunks of a map's stream. */
    void take(final int map, final int chunks) throws IOException {
        final byte[] more = shuffle.take(streams.get(map), chunks);
        final byte[] all = Arrays.copyOf(taken.get(map), taken.get(map).length + more.length);
        System.arraycopy(more, 0, all, taken.get(map).length, more.length);
        taken.set(map, all);
    }

    /** A node fails, and the merge asks it for more. */
    void lose(final int node, final Reason reason) throws IOException {
        shuffle.nodes.refuse(TaskFixture.node(node), reason);
        take(node, 1);
    }

    void bringBack(final int node) {
        shuffle.nodes.refuse(TaskFixture.node(node), null);
    }

    /** The stored output of a map attempt. */
    private TestSegment stored(final int map) throws IOException {
        return segments.get(map).encrypted(null, task.cipher);
    }

    /** A second attempt of a map has the same output, on node 9. */
    void runAgain(final int map) throws IOException {
        shuffle.succeeded(second(map), TaskFixture.node(9), stored(map));
    }

    boolean hasFailed(final int map) {
        return streams.get(map).queue.hasFailed();
    }

    /** Reads every stream to its end: it has what its map wrote, and all memory is given back. */
    void requireRest() throws IOException {
        for (int map = 0; map < maps; map++) {
            take(map, Integer.MAX_VALUE);
            requireAllOf(map);
        }
        shuffle.threads.settle();
        shuffle.pool().verify();
        assertThat(streams).as("demands").allMatch(stream -> stream.claim.demand() == 0);
        assertThat(shuffle.pool().chunksOut()).as("chunks that were not given back").isZero();
    }

    void requireAllOf(final int map) {
        final byte[] whole = segments.get(map).bytes();
        assertThat(taken.get(map))
                .as("map %d", map)
                .isEqualTo(Arrays.copyOf(whole, whole.length - SegmentChecksum.LENGTH));
    }

    @Override
    public void close() {
        if (shuffle != null) {
            shuffle.close();
        }
    }
}
