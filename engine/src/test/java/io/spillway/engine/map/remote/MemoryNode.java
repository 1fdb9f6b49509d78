// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.spi.RemoteOutput;
import io.spillway.transport.Channel;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchListener;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.PutListener;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.held.MemorySegments;
import io.spillway.transport.serve.SegmentSink;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * A node that keeps outputs in memory, reached without a network: two threads take what is put, out
 * of order. It fails as a test says. Thread-safe.
 */
public final class MemoryNode implements AutoCloseable {
    /** The job whose outputs it takes. */
    public static final String JOB = "job_1700000000000_0001";

    private static final int CHUNK = 4 << 10;

    private final NodeAddress address;
    private final MemorySegments segments;
    private final ExecutorService answers = Executors.newFixedThreadPool(2);
    private final AtomicLong bytesTaken = new AtomicLong();
    private final AtomicInteger open = new AtomicInteger();
    private volatile long lostAfterBytes = Long.MAX_VALUE;
    private final AtomicLong epoch = new AtomicLong(4711);
    private volatile boolean losesCommits;
    private volatile boolean losesAnswers;
    private volatile boolean isUnreachable;
    private volatile int mostSegments = Integer.MAX_VALUE;
    private volatile int damagedTries;

    /**
     * Starts a node.
     *
     * @param number part of its name
     * @param capacity in bytes
     */
    public MemoryNode(final int number, final long capacity) {
        address = new NodeAddress("memory" + number, 7000 + number);
        segments =
                new MemorySegments(
                        capacity,
                        CHUNK,
                        job -> job.equals(JOB) ? new byte[1] : null,
                        DirectMemory.SYSTEM);
    }

    /** It is lost with the put that brings it more bytes than these. */
    public MemoryNode lostAfter(final long bytes) {
        lostAfterBytes = bytes;
        return this;
    }

    /** It is killed by the next commit, and started again. */
    public MemoryNode lostAtCommit() {
        losesCommits = true;
        return this;
    }

    /** The connection of the next commit breaks when that is done, before the answer. */
    public MemoryNode losesAnswerOfCommit() {
        losesAnswers = true;
        return this;
    }

    /** From then on nothing connects to it. */
    public MemoryNode unreachableFromThenOn() {
        isUnreachable = true;
        return this;
    }

    /** It takes no longer tables of a commit. */
    public MemoryNode takesSegments(final int most) {
        mostSegments = most;
        return this;
    }

    /** Opens further channels to these nodes. */
    public static RemoteOutput.Connector connector(final List<MemoryNode> nodes) {
        return address -> {
            final MemoryNode node =
                    nodes.stream()
                            .filter(known -> known.address.equals(address))
                            .findFirst()
                            .orElseThrow();
            if (Thread.currentThread().isInterrupted()) {
                throw new FetchException(Reason.DISCONNECTED, address + ": interrupted");
            }
            if (node.isUnreachable) {
                throw new FetchException(Reason.DISCONNECTED, address + ": unreachable");
            }
            return node.connect();
        };
    }

    /** The bytes of each put arrive damaged so many times. */
    public MemoryNode damages(final int tries) {
        damagedTries = tries;
        return this;
    }

    public NodeAddress address() {
        return address;
    }

    /** What it keeps. */
    public MemorySegments segments() {
        return segments;
    }

    /** The channels that were opened and not closed. */
    public int openChannels() {
        return open.get();
    }

    /** The bytes of puts that it took, repeated ones included. */
    public long bytesTaken() {
        return bytesTaken.get();
    }

    /** Waits until it keeps no more than so many bytes: an abort may still be on its way. */
    public void awaitUsed(final long bytes) throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (segments.used() > bytes) {
            assertThat(System.nanoTime()).as("%s is in use", segments.used()).isLessThan(deadline);
            Thread.sleep(1);
        }
        assertThat(segments.used()).isEqualTo(bytes);
    }

    /** A segment of a committed output. */
    public ServedSegment open(final String output, final int partition) throws FetchException {
        return open(output, partition, 0);
    }

    private ServedSegment open(final String output, final int partition, final int run)
            throws FetchException {
        return segments.open(JOB, new SegmentId(output, partition, run));
    }

    /** The bytes of a segment of a committed output. */
    public byte[] read(final String output, final int partition) throws Exception {
        return read(output, partition, 0);
    }

    /** The bytes of one run of a segment of a committed output. */
    public byte[] read(final String output, final int partition, final int run) throws Exception {
        try (ServedSegment segment = open(output, partition, run)) {
            final ByteBuffer bytes = ByteBuffer.allocate((int) segment.partLength());
            segment.read(0, bytes);
            return bytes.array();
        }
    }

    public Channel connect() {
        open.incrementAndGet();
        return new Connection();
    }

    /** Ends its threads. */
    @Override
    public void close() {
        answers.shutdownNow();
    }

    /** One connection; once it is lost everything fails. */
    private final class Connection implements Channel {
        private final Map<String, Integer> tries = new ConcurrentHashMap<>();
        private final long epochAtOpen = epoch.get();
        private volatile boolean lost;
        private volatile boolean closed;

        @Override
        public NodeAddress address() {
            return address;
        }

        @Override
        public long epoch() {
            return epochAtOpen;
        }

        @Override
        public int maxSegments() {
            return mostSegments;
        }

        @Override
        public void fetch(
                final SegmentId segment,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            listener.onFailed(destination, new FetchException(Reason.NOT_FOUND, "only puts"));
        }

        @Override
        public void put(
                final SegmentId segment,
                final long offset,
                final ByteBuffer source,
                final int checksum,
                final PutListener listener) {
            answers.execute(() -> take(segment, offset, source, checksum, listener));
        }

        private void take(
                final SegmentId segment,
                final long offset,
                final ByteBuffer source,
                final int checksum,
                final PutListener listener) {
            final long taken = bytesTaken.addAndGet(source.remaining());
            lost |= taken > lostAfterBytes;
            if (lost) {
                listener.onFailed(source, disconnected());
                return;
            }
            if (tries.merge(segment + " " + offset, 1, Integer::sum) <= damagedTries) {
                listener.onFailed(source, new FetchException(Reason.DAMAGED, "bits were turned"));
                return;
            }
            try {
                arrive(segment, offset, source, checksum, listener);
            } catch (final FetchException e) {
                listener.onFailed(source, e);
            }
        }

        private void arrive(
                final SegmentId segment,
                final long offset,
                final ByteBuffer source,
                final int checksum,
                final PutListener listener)
                throws FetchException {
            final CRC32C crc = new CRC32C();
            crc.update(source.duplicate());
            if ((int) crc.getValue() != checksum) {
                throw new FetchException(Reason.DAMAGED, "another checksum than that of the bytes");
            }
            final SegmentSink.Piece piece =
                    segments.begin(JOB, segment, offset, source.remaining(), checksum);
            final ByteBuffer bytes = source.duplicate();
            for (final ByteBuffer room : piece.room()) {
                room.put(bytes.slice(bytes.position(), room.remaining()));
                bytes.position(bytes.position() + room.limit());
            }
            piece.arrived(
                    new SegmentSink.Completion() {
                        @Override
                        public void done() {
                            listener.onAcknowledged(source);
                        }

                        @Override
                        public void failed(final FetchException cause) {
                            listener.onFailed(source, cause);
                        }
                    });
        }

        @Override
        public CompletableFuture<Void> commit(final OutputSummary output) {
            if (output.segments().size() > mostSegments) {
                return CompletableFuture.failedFuture(
                        new FetchException(Reason.OUT_OF_RANGE, "the table is too long"));
            }
            if (losesCommits) {
                losesCommits = false;
                lost = true;
                epoch.incrementAndGet();
            }
            final CompletableFuture<Void> result = new CompletableFuture<>();
            answers.execute(
                    () -> {
                        final boolean losesAnswer = losesAnswers;
                        losesAnswers = false;
                        answer(
                                losesAnswer ? new CompletableFuture<>() : result,
                                end -> segments.commit(JOB, output, end));
                        if (losesAnswer) {
                            lost = true;
                            result.completeExceptionally(disconnected());
                        }
                    });
            return result;
        }

        @Override
        public CompletableFuture<Void> abort(final String output) {
            final CompletableFuture<Void> result = new CompletableFuture<>();
            answers.execute(() -> answer(result, end -> segments.abort(JOB, output, end)));
            return result;
        }

        private void answer(
                final CompletableFuture<Void> result,
                final Consumer<SegmentSink.Completion> request) {
            if (lost) {
                result.completeExceptionally(disconnected());
                return;
            }
            request.accept(
                    new SegmentSink.Completion() {
                        @Override
                        public void done() {
                            result.complete(null);
                        }

                        @Override
                        public void failed(final FetchException cause) {
                            result.completeExceptionally(cause);
                        }
                    });
        }

        private FetchException disconnected() {
            return new FetchException(Reason.DISCONNECTED, address + " is lost");
        }

        @Override
        public boolean isOpen() {
            return !lost && !closed;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                open.decrementAndGet();
            }
        }
    }
}
