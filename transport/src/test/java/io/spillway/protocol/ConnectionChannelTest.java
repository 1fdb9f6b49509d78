// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.PutRecorder;
import io.spillway.transport.SegmentId;
import io.spillway.wire.FrameType;
import io.spillway.wire.WelcomeFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

final class ConnectionChannelTest {
    private static final NodeAddress NODE = new NodeAddress("node1", 13562);
    private static final WelcomeFrame LIMITS =
            WelcomeFrame.unproved(Integer.MAX_VALUE, 16, 16, Integer.MAX_VALUE, "");
    private static final SegmentId SEGMENT = new SegmentId("attempt", 0);

    /** A connection that keeps what it takes, and fails where the test says so. */
    private static final class Connection implements FetchConnection {
        private final Queue<Runnable> tasks = new ArrayDeque<>();
        private final List<PendingFetch> taken = new ArrayList<>();
        private final List<PendingWrite> written = new ArrayList<>();
        private Executor executor = tasks::add;
        private int failingAdd = Integer.MAX_VALUE;
        private boolean failsToFlush;
        private int adds;
        private Throwable failure;

        @Override
        public ProvedNode node() {
            return new ProvedNode(NODE, 1, FrameType.V13, List.of(), LIMITS);
        }

        @Override
        public boolean isOpen() {
            return failure == null;
        }

        @Override
        public Executor executor() {
            return executor;
        }

        @Override
        public void add(final PendingFetch fetch) {
            if (failure != null) {
                fetch.fail(ConnectionChannel.failed(NODE, failure));
                return;
            }
            if (++adds == failingAdd) {
                throw new OutOfMemoryError("adding fails in a test");
            }
            taken.add(fetch);
        }

        @Override
        public void add(final PendingWrite write) {
            written.add(write);
        }

        @Override
        public void flush() {
            if (failsToFlush) {
                throw new OutOfMemoryError("flushing fails in a test");
            }
        }

        @Override
        public void close() {}

        @Override
        public void fail(final Throwable cause) {
            failure = cause;
            taken.forEach(fetch -> fetch.fail(ConnectionChannel.failed(NODE, cause)));
        }

        void work() {
            while (!tasks.isEmpty()) {
                tasks.remove().run();
            }
        }
    }

    private final Connection connection = new Connection();
    private final ConnectionChannel channel = new ConnectionChannel(connection, closed -> {});

    private List<FetchRecorder> fetches(final int count) {
        final List<FetchRecorder> fetches = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            fetches.add(FetchRecorder.fetch(channel, SEGMENT, i, 10));
        }
        return fetches;
    }

    private static void requireFailed(final List<FetchRecorder> fetches) throws Exception {
        for (final FetchRecorder fetch : fetches) {
            assertThat(fetch.calls()).isOne();
            final FetchException failure = fetch.failure();
            assertThat(failure.reason()).isEqualTo(Reason.LOCAL);
            assertThat(failure).hasMessageContaining("in a test").hasMessageContaining("node1");
        }
    }

    @Test
    void failsEveryFetchWhenTheConnectionCannotTakeOne() throws Exception {
        connection.failingAdd = 2;
        final List<FetchRecorder> fetches = fetches(4);
        connection.work();
        requireFailed(fetches);
        final List<FetchRecorder> later = fetches(1);
        connection.work();
        requireFailed(later);
    }

    @Test
    void failsEveryFetchWhenTheConnectionCannotSendThem() throws Exception {
        connection.failsToFlush = true;
        final List<FetchRecorder> fetches = fetches(4);
        connection.work();
        requireFailed(fetches);
    }

    @Test
    void takesPutsInTheOrderOfTheCalls() throws Exception {
        final PutRecorder put = PutRecorder.put(channel, SEGMENT, 5, new byte[10]);
        final CompletableFuture<Void> abort = channel.abort("attempt");
        connection.work();
        assertThat(connection.written)
                .extracting(PendingWrite::toString)
                .containsExactly(SEGMENT + " offset 5 length 10", "abort of attempt");
        connection.written.forEach(
                write -> write.fail(ConnectionChannel.failed(NODE, new Error("in a test"))));
        assertThat(put.failure().reason()).isEqualTo(Reason.LOCAL);
        assertThat(PutRecorder.failureOf(abort).reason()).isEqualTo(Reason.LOCAL);
    }

    @Test
    void aPutIsNotHandedBackWhileItsBytesAreRead() throws Exception {
        final PutRecorder put = PutRecorder.put(channel, SEGMENT, 5, new byte[10]);
        connection.work();
        final PendingWrite write = connection.written.get(0);
        write.startSending();
        write.fail(ConnectionChannel.closed(NODE));
        assertThat(put.isDone()).isFalse();
        write.stopSending();
        assertThat(put.failure().reason()).isEqualTo(Reason.DISCONNECTED);
        write.stopSending();
        write.fail(ConnectionChannel.closed(NODE));
        assertThat(put.calls()).isOne();
    }

    @Test
    void failsFetchesThatCannotGetToTheThread() throws Exception {
        connection.executor =
                task -> {
                    throw new OutOfMemoryError("no thread in a test");
                };
        requireFailed(fetches(2));
        connection.executor = connection.tasks::add;
        final List<FetchRecorder> later = fetches(1);
        connection.work();
        assertThat(connection.taken).hasSize(1);
        assertThat(later.get(0).calls()).isZero();
    }
}
