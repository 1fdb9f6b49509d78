// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.spillway.engine.spi.RemoteOutput;
import io.spillway.ifile.IndexEntry;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchListener;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.PutListener;
import io.spillway.transport.SegmentId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A writer and a node that is slower. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackPressureTest {
    private static final int OUTPUT_BYTES = 20 << 20;
    private static final int WINDOW_BYTES = 1 << 20;

    private final HeldPuts held = new HeldPuts();
    private final RemoteSink sink =
            new RemoteSink(new RemoteOutput("output", List.of(held), node -> held), 64 << 10);
    private volatile Throwable failure;

    /** A node that answers no put until a test says so. Thread-safe. */
    private static final class HeldPuts implements Channel {
        private record Put(ByteBuffer source, PutListener listener) {}

        private final Queue<Put> puts = new ArrayDeque<>();
        private long bytes;
        private long mostBytes;
        private long allBytes;

        @Override
        public synchronized void put(
                final SegmentId segment,
                final long offset,
                final ByteBuffer source,
                final int checksum,
                final PutListener listener) {
            puts.add(new Put(source, listener));
            bytes += source.remaining();
            allBytes += source.remaining();
            mostBytes = Math.max(mostBytes, bytes);
            notifyAll();
        }

        synchronized void awaitBytes(final long count) throws InterruptedException {
            while (bytes < count) {
                wait();
            }
        }

        /** Answers the one that waits longest; returns whether there was one. */
        boolean answer() {
            final Put put;
            synchronized (this) {
                put = puts.poll();
                bytes -= put == null ? 0 : put.source.remaining();
            }
            if (put != null) {
                put.listener.onAcknowledged(put.source);
            }
            return put != null;
        }

        synchronized long mostBytes() {
            return mostBytes;
        }

        synchronized long allBytes() {
            return allBytes;
        }

        @Override
        public CompletableFuture<Void> commit(final OutputSummary output) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Void> abort(final String output) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public NodeAddress address() {
            return new NodeAddress("slow", 1);
        }

        @Override
        public long epoch() {
            return 1;
        }

        @Override
        public void fetch(
                final SegmentId segment,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            throw new AssertionError("fetch of " + segment);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    private Thread writer() {
        final Thread writer = new Thread(() -> failure = catchThrowable(this::write));
        writer.start();
        return writer;
    }

    private void write() throws IOException {
        sink.write(new byte[OUTPUT_BYTES]);
        sink.endSegment(new IndexEntry(0, OUTPUT_BYTES, OUTPUT_BYTES), 1);
        sink.commit();
    }

    @Test
    void aWriterIsNoFasterThanTheNode() throws InterruptedException {
        final Thread writer = writer();
        held.awaitBytes(WINDOW_BYTES);
        while (writer.isAlive()) {
            if (!held.answer()) {
                Thread.onSpinWait();
            }
        }
        assertThat(failure).isNull();
        assertThat(held.allBytes()).isEqualTo(OUTPUT_BYTES);
        assertThat(held.mostBytes()).isEqualTo(WINDOW_BYTES);
        assertThat(sink.waitedNanos()).isPositive();
    }

    /** Stock's writer waits for no node, so that an interrupt does it no harm. */
    @Test
    void anInterruptDoesNotEndTheWait() throws InterruptedException {
        final Thread writer = writer();
        held.awaitBytes(WINDOW_BYTES);
        while (writer.isAlive()) {
            writer.interrupt();
            if (!held.answer()) {
                Thread.onSpinWait();
            }
        }
        assertThat(failure).isNull();
        assertThat(held.allBytes()).isEqualTo(OUTPUT_BYTES);
    }
}
