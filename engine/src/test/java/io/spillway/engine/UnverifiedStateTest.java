// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.merge.MergedRecords;
import io.spillway.engine.reduce.merge.UnverifiedStreams;
import io.spillway.engine.reduce.segment.ChunkQueue;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.thread.StallClock;
import io.spillway.engine.reduce.thread.SystemThreads;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.spi.SegmentForm;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.SegmentId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which streams still have to be verified, and which failure says so already. */
@Timeout(60)
class UnverifiedStateTest {
    private static final int WINDOW = 1024;

    @TempDir Path localDir;

    private final ChunkPool pool = new ChunkPool(WINDOW, 16, false);
    private final List<SegmentFetch> streams = IntStream.range(0, 3).mapToObj(this::fetch).toList();
    private final List<Chunk> consumed = new ArrayList<>();
    private final UnverifiedStreams unverified =
            new UnverifiedStreams(
                    streams,
                    new StallClock(() -> {}, new SteppedThreads(), () -> true),
                    (fetch, chunk) -> consumed.add(chunk));

    private SegmentFetch fetch(final int map) {
        final Node node = new Node(TaskFixture.node(map), due -> {});
        final MapSlot slot = new MapSlot(List.of(pool.claim()));
        final MapSlot.Candidate from = new MapSlot.Candidate(TaskFixture.map(map, 0), node);
        final SegmentId id = new SegmentId(from.attempt.name(), 3, 0);
        return new SegmentFetch(slot, from, id, WINDOW, SegmentForm.PLAIN, null);
    }

    private ChunkQueue queue(final int map) {
        return streams.get(map).queue;
    }

    @Test
    void oneFailedSourceIsEnough() {
        assertThat(unverified.hasFailed()).isFalse();
        queue(1).fail(new IOException("lost"));
        assertThat(unverified.hasFailed()).isTrue();
    }

    @Test
    void aStreamIsUnverifiedFromItsFirstSuchPieceToItsEnd() {
        assertThat(unverified.isAny()).isFalse();
        queue(2).markUnverified();
        assertThat(unverified.isAny()).isTrue();
        queue(2).end();
        assertThat(unverified.isAny()).isFalse();
    }

    @Test
    void allChunksOfThoseAreTakenAndOfOthersNone() throws IOException {
        final List<Chunk> chunks =
                IntStream.range(0, 4).mapToObj(i -> Chunk.unpooled(WINDOW)).toList();
        queue(0).put(chunks.get(0));
        queue(1).markUnverified();
        chunks.subList(1, 4).forEach(queue(1)::put);
        queue(1).end();
        queue(1).markUnverified();

        unverified.verify();

        assertThat(consumed).containsExactlyElementsOf(chunks.subList(1, 4));
        assertThat(queue(0).isEmpty()).isFalse();
    }

    @Test
    void aSourceThatIsLostMeanwhileFailsTheVerification() {
        queue(1).markUnverified();
        queue(1).fail(new IOException("lost"));
        assertThatThrownBy(unverified::verify).hasMessage("lost");
    }

    /** The lost source is why the merge has failed: what other sources have changes nothing. */
    @Test
    void aMergeThatFailsByALostSourceReadsNoOtherToItsEnd() throws Exception {
        final MemoryTransport transport = new MemoryTransport(4);
        final TaskFixture task = new TaskFixture(2, localDir).minimalBuffer(WINDOW);
        task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "0");
        transport.withoutChecksums();
        final Random random = new Random(3);
        for (int map = 0; map < 2; map++) {
            transport.put(
                    TaskFixture.node(map),
                    TaskFixture.map(map, 0).name(),
                    TestSegment.random(random, 4000, 100, null));
            task.succeeded(TaskFixture.map(map, 0), TaskFixture.node(map));
        }
        final ReduceEngine engine = task.engine(transport, new SystemThreads());
        final MergedRecords records = engine.run(merged -> {});
        for (int i = 0; i < 20; i++) {
            assertThat(records.next()).isTrue();
        }
        transport.refuse(TaskFixture.node(1), Reason.DISCONNECTED);

        final Throwable failure = catchThrowable(() -> TestSegment.readAll(records));
        engine.verifyAfter(failure);

        assertThat(failure)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Lost map output")
                .hasNoSuppressedExceptions();
        assertThat(transport.isClosed()).isTrue();
    }
}
