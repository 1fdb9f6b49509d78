// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.SteppedThreads;
import io.spillway.engine.TaskFixture;
import io.spillway.engine.reduce.recovery.FetchRecovery;
import io.spillway.engine.reduce.recovery.NodePatience;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.ShuffleError;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.report.TaskReport;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.fs.ChecksumException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What failures over stock HTTP count, report and delay. */
class FallbackRecoveryTest {
    private static final int MAPS = 10;
    private static final NodeAddress NODE = TaskFixture.node(1);

    @TempDir Path localDir;

    private final SteppedThreads threads = new SteppedThreads();
    private final MemoryTransport transport =
            new MemoryTransport(1, threads.blocking("answers", 1));
    private TaskFixture task;
    private ShuffleProgress progress;
    private NodeConnections connections;
    private MapAttempts attempts;
    private FetchRecovery recovery;
    private List<MapSlot> maps;
    private Node node;

    @BeforeEach
    void create() {
        task = new TaskFixture(MAPS, localDir);
        task.maxPenaltyMillis = 60_000;
    }

    /** Nine of ten maps are copied; the last one's only source is a node that speaks HTTP. */
    private SegmentFetch begin() throws IOException {
        final ShuffleSettings settings = task.settings();
        final ShuffleHost host = task.host(threads);
        final ShuffleLoop loop = new ShuffleLoop(threads, failure -> {});
        final ShuffleState shuffle = new ShuffleState(settings, loop, host, new TaskReport());
        maps = shuffle.maps;
        progress = shuffle.progress;
        connections =
                new NodeConnections(
                        shuffle, transport, host.outputs().credentials(), 1, new Deaf());
        attempts = new MapAttempts(shuffle, new FetchPlanner(shuffle, connections));
        recovery = new FetchRecovery(shuffle, connections, attempts, null);
        for (int map = 1; map < MAPS; map++) {
            progress.copied(maps.get(map));
        }
        node = connections.node(NODE, "http://" + NODE);
        node.answeredHttp(Long.MAX_VALUE);
        maps.get(0).add(new MapSlot.Candidate(TaskFixture.map(0, 0), node));
        attempts.startNext(maps.get(0));
        return maps.get(0).fetches().get(0);
    }

    /** Nothing is fetched: the test says what becomes of requests. */
    private static final class Deaf implements NodeConnections.Listener {
        @Override
        public void onHttpOnly(final Node node) {}

        @Override
        public void onFailed(final Node node, final IOException cause) {}
    }

    private long failed() {
        return task.counters.failedFetches();
    }

    private void requireBegunAfter(final long millis) {
        threads.pass(millis - 1);
        assertThat(maps.get(0).isBegun()).as("begun in %d ms", millis - 1).isFalse();
        threads.pass(1);
        assertThat(maps.get(0).isBegun()).as("begun after %d ms", millis).isTrue();
    }

    // ---- a full node ---------------------------------------------------------------------------

    @Test
    void aFullNodeRestsForAsLongAsItSays() throws IOException {
        begin();
        recovery.nodeRefused(node, 777);
        assertThat(node.state()).isEqualTo(Node.State.RESTING);
        threads.pass(776);
        assertThat(node.state()).isEqualTo(Node.State.RESTING);
        threads.pass(1);
        assertThat(node.state()).isEqualTo(Node.State.IDLE);
        assertThat(failed()).isZero();
        assertThat(task.counters.failures(ShuffleError.CONNECTION)).isZero();
    }

    @Test
    void aNodeThatIsFullForTooLongHasFailed() throws IOException {
        task.set("spillway.shuffle.rerun.wait.ms", "20000");
        begin();
        recovery.nodeRefused(node, 19_999);
        threads.pass(19_999);
        recovery.nodeRefused(node, 1);
        threads.pass(1);
        assertThat(failed()).isZero();
        recovery.nodeRefused(node, 1);

        assertThat(failed()).isOne();
        assertThat(task.counters.failures(ShuffleError.CONNECTION)).isOne();
        assertThat(node.restUntilMillis() - threads.nowMillis()).isEqualTo(13_000);
    }

    /** Outputs that were left in runs fail over HTTP as long as Spillway is not served. */
    @Test
    void aNodeThatFailsOverHttpHasTheTimeOfAStart() throws IOException {
        begin();
        transport.refuse(NODE, Reason.NOT_SPILLWAY);
        final IOException cause = new SocketTimeoutException("scripted");
        recovery.nodeFailed(node, cause);
        assertThat(node.askAgainMillis()).as("asked for Spillway").isEqualTo(threads.nowMillis());
        threads.pass(NodePatience.START_MILLIS - 1);
        recovery.nodeFailed(node, cause);
        assertThat(failed()).isZero();
        threads.pass(1);
        recovery.nodeFailed(node, cause);
        assertThat(failed()).isOne();
    }

    // ---- a transfer that fails -----------------------------------------------------------------

    @Test
    void aTransferThatFailsIsCountedReportedAndBegunAgainAfterStocksDelay() throws IOException {
        final SegmentFetch fetch = begin();
        recovery.wholeFailed(fetch, ShuffleError.WRONG_REDUCE, new IOException("scripted"));

        assertThat(task.counters.failures(ShuffleError.WRONG_REDUCE)).isOne();
        assertThat(failed()).isOne();
        assertThat(task.reported()).containsExactly(fetch.attempt);
        assertThat(progress.retries()).isOne();
        assertThat(fetch.isDropped()).isTrue();
        requireBegunAfter(13_000);
    }

    @Test
    void aTransferThatWasDroppedCountsNothing() throws IOException {
        final SegmentFetch fetch = begin();
        attempts.drop(maps.get(0));
        recovery.wholeFailed(fetch, ShuffleError.IO_ERROR, new IOException("scripted"));

        assertThat(task.counters.failures(ShuffleError.IO_ERROR)).isZero();
        assertThat(failed()).isZero();
        assertThat(task.reported()).isEmpty();
        assertThat(progress.retries()).isZero();
    }

    /** The second time, enough reports to have the map run again, and stock's for each time. */
    @Test
    void aTransferThatIsCorruptTwiceHasTheMapReportedForARerun() throws IOException {
        final ChecksumException corrupt = new ChecksumException("scripted", 0);
        recovery(begin(), corrupt);
        assertThat(task.reported()).hasSize(1);
        threads.pass(13_000);
        recovery(maps.get(0).fetches().get(0), corrupt);
        assertThat(task.reported()).hasSize(1 + 3 + 1).containsOnly(TaskFixture.map(0, 0));
        requireBegunAfter(16_900);
    }

    private void recovery(final SegmentFetch fetch, final IOException cause) {
        recovery.wholeFailed(fetch, ShuffleError.IO_ERROR, cause);
    }

    /** Stock's grace for NodeManagers that restart, which damage has no part in. */
    @Test
    void noTransferCountsWhileTheNodeMayBeStartedAgain() throws IOException {
        task.fetchRetry = true;
        task.fetchRetryMillis = 3000;
        recovery(begin(), new IOException("scripted"));
        assertThat(failed()).isZero();
        requireBegunAfter(1000);

        recovery(maps.get(0).fetches().get(0), new ChecksumException("scripted", 0));
        assertThat(failed()).isOne();
        threads.pass(13_000);
        recovery(maps.get(0).fetches().get(0), new IOException("scripted"));
        assertThat(failed()).as("after the grace").isEqualTo(2);
    }

    /** A reply with a wrong header is not a node that restarts. */
    @Test
    void aWrongReplyCountsAlsoWhileTheNodeMayBeStartedAgain() throws IOException {
        task.fetchRetry = true;
        final SegmentFetch fetch = begin();
        recovery.wholeFailed(fetch, ShuffleError.WRONG_LENGTH, new IOException("scripted"));
        assertThat(failed()).isOne();
    }
}
