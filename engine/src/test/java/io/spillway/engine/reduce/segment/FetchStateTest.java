// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.SegmentForm;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import java.util.List;
import org.junit.jupiter.api.Test;

class FetchStateTest {
    private static final int CHUNK = 1024;

    private final ChunkPool pool = new ChunkPool(CHUNK, 16, false);
    private final Node node = new Node(new NodeAddress("host", 13562), due -> {});

    private MapSlot.Candidate attempt(final String name) {
        return new MapSlot.Candidate(new OutputId(0, name), node);
    }

    private SegmentFetch fetch() {
        final MapSlot map = new MapSlot(List.of(pool.claim()));
        final SegmentId id = new SegmentId("m_0_0", 3, 0);
        return new SegmentFetch(map, attempt("m_0_0"), id, CHUNK, SegmentForm.PLAIN, null);
    }

    @Test
    void fetchIsLearnedAwaitedCompletedAndMerged() {
        final SegmentFetch fetch = fetch();
        fetch.learn(new SegmentLengths(100, 96, 1));
        fetch.waitForWhole();
        assertThat(fetch.isCopied()).isFalse();
        fetch.stream();
        assertThat(fetch.isCopied()).isTrue();
        assertThat(fetch.isComplete()).isFalse();
        fetch.complete();
        fetch.mergeAhead();

        assertThat(fetch.isComplete()).isTrue();
        assertThat(fetch.wantsMore()).isFalse();
    }

    @Test
    void whatWasMergedCannotBeDropped() {
        final SegmentFetch fetch = fetch();
        fetch.learn(new SegmentLengths(100, 96, 1));
        fetch.complete();
        fetch.mergeAhead();

        assertThatThrownBy(fetch::drop)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("state=MERGED")
                .hasMessageContaining("next=DROPPED");
    }

    @Test
    void lengthsAreLearnedOnce() {
        final SegmentFetch fetch = fetch();
        fetch.learn(new SegmentLengths(100, 96, 1));

        assertThatThrownBy(() -> fetch.learn(new SegmentLengths(200, 196, 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("state=HEAD")
                .hasMessageContaining("next=HEAD");
        assertThat(fetch.partLength()).isEqualTo(100);
    }

    @Test
    void droppedFetchStaysDropped() {
        for (final FetchState next : FetchState.values()) {
            assertThat(FetchState.DROPPED.allows(next)).as("%s", next).isFalse();
        }
    }

    @Test
    void onlyCompleteFetchesAreMerged() {
        for (final FetchState state : FetchState.values()) {
            assertThat(state.allows(FetchState.MERGED))
                    .as("%s", state)
                    .isEqualTo(state == FetchState.COMPLETE);
        }
    }

    @Test
    void successorStreamsFromWhereTheFetchHasCome() {
        final SegmentFetch fetch = fetch();
        fetch.learn(new SegmentLengths(CHUNK + 500, CHUNK + 496, 1));
        fetch.takeOffset();
        fetch.stream();

        final SegmentFetch next =
                fetch.succeededBy(
                        attempt("m_0_1"), new SegmentChecksum(CHUNK + 500, SegmentForm.PLAIN));

        assertThat(fetch.isDropped()).isTrue();
        assertThat(next.state()).isEqualTo(FetchState.STREAM);
        assertThat(next.takeOffset()).isEqualTo(next.delivered()).isZero();
    }

    @Test
    void scheduleRefusesToBeEnteredTwice() {
        final FetchSchedule schedule = fetch().schedule;
        schedule.enqueue();

        assertThatThrownBy(schedule::enqueue)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("queued");
    }
}
