// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.thread.DaemonThreads;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.PutListener;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.TransportOffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads map outputs in memory on the task's own host straight from their files: no bytes go through
 * a socket, the node's process and a seal. One thread reads, as memory is not faster for two.
 * Thread-safe.
 *
 * <p>The node stays the authority: what cannot be read here, for whatever reason, is fetched from
 * it, and so is all that is left of that output.
 */
final class OwnHostReads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnHostReads.class);

    private static final long IDLE_SECONDS = 5;

    /** How long the end waits for a piece that is being read. */
    private static final long END_SECONDS = 10;

    private final OwnHost host;
    private final LongAdder bytes;
    private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final ThreadPoolExecutor reader;

    /** Of outputs of which something could not be read here. */
    private final Set<String> atTheNode = ConcurrentHashMap.newKeySet();

    private volatile Thread thread;
    private volatile boolean closed;

    /**
     * Starts no thread yet.
     *
     * @param host belongs to this object from here on
     * @param bytes what is read is added here
     */
    OwnHostReads(final OwnHost host, final LongAdder bytes) {
        this.host = host;
        this.bytes = bytes;
        this.reader =
                new ThreadPoolExecutor(
                        1, 1, IDLE_SECONDS, TimeUnit.SECONDS, waiting, this::newThread);
        reader.allowCoreThreadTimeOut(true);
    }

    private Thread newThread(final Runnable work) {
        thread = DaemonThreads.of("spillway-own-host", work);
        return thread;
    }

    /** Whether a channel leads to the node of this host. */
    boolean isOwn(final Channel channel) {
        return host.isNode(channel.epoch());
    }

    /** A channel that reads here what it can, and has the rest from the one to the node. */
    Channel before(final Channel node, final JobCredentials credentials) {
        return new ReadingChannel(node, credentials.jobId());
    }

    /** Fails what waits; a piece that is being read is waited for, as it is being written to. */
    @Override
    public void close() {
        closed = true;
        reader.shutdown();
        final List<Runnable> left = new ArrayList<>();
        waiting.drainTo(left);
        left.forEach(Runnable::run);
        awaitEnd();
        host.close();
    }

    private void awaitEnd() {
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            if (!reader.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("A map output on this host is being read for {} s", END_SECONDS);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a reducer has opened. */
    private final class ReadingChannel implements Channel {
        private final Channel node;
        private final String jobId;

        ReadingChannel(final Channel node, final String jobId) {
            this.node = node;
            this.jobId = jobId;
        }

        @Override
        public void fetch(
                final SegmentId segment,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            if (atTheNode.contains(segment.output()) || !node.isOpen()) {
                node.fetch(segment, offset, destination, listener);
                return;
            }
            try {
                reader.execute(() -> read(segment, offset, destination, listener));
            } catch (final RejectedExecutionException e) {
                LOG.debug("No more is read on this host", e);
                node.fetch(segment, offset, destination, listener);
            }
        }

        private void read(
                final SegmentId segment,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            final FetchReply reply =
                    closed || !node.isOpen() ? null : readOrNull(segment, offset, destination);
            try {
                if (reply == null) {
                    node.fetch(segment, offset, destination, listener);
                } else {
                    bytes.add(reply.length());
                    listener.onFetched(destination, reply);
                }
            } catch (final RuntimeException | Error e) {
                LOG.warn("A listener failed for {} of {}: {}", segment, node.address(), e, e);
            }
        }

        /** Null where the node has to be asked; then the buffer is as it was. */
        private FetchReply readOrNull(
                final SegmentId segment, final long offset, final ByteBuffer destination) {
            final int start = destination.position();
            final int limit = destination.limit();
            try {
                if (host.outputs().open(jobId, segment) instanceof ServedSegment found) {
                    try (found) {
                        if (host.reads(found.tier()) && offset <= found.partLength()) {
                            return readPiece(found, offset, destination);
                        }
                    }
                }
            } catch (final IOException | RuntimeException | LinkageError e) {
                LOG.debug("{} cannot be read on this host", segment, e);
                destination.position(start);
            } finally {
                destination.limit(limit);
            }
            atTheNode.add(segment.output());
            return null;
        }

        private FetchReply readPiece(
                final ServedSegment found, final long offset, final ByteBuffer destination)
                throws IOException {
            final int length = (int) Math.min(destination.remaining(), found.partLength() - offset);
            destination.limit(destination.position() + length);
            found.read(offset, destination);
            return new FetchReply(
                    found.partLength(),
                    found.rawLength(),
                    found.runs(),
                    length,
                    found.checksum(offset, length),
                    found.tier().code(),
                    found.records());
        }

        @Override
        public NodeAddress address() {
            return node.address();
        }

        @Override
        public long epoch() {
            return node.epoch();
        }

        @Override
        public List<TransportOffer> offers() {
            return node.offers();
        }

        @Override
        public int maxSegments() {
            return node.maxSegments();
        }

        @Override
        public boolean hasFallback() {
            return node.hasFallback();
        }

        @Override
        public void put(
                final SegmentId segment,
                final long offset,
                final ByteBuffer source,
                final int checksum,
                final PutListener listener) {
            node.put(segment, offset, source, checksum, listener);
        }

        @Override
        public CompletableFuture<Void> commit(final OutputSummary output) {
            return node.commit(output);
        }

        @Override
        public CompletableFuture<Void> abort(final String output) {
            return node.abort(output);
        }

        @Override
        public CompletableFuture<ByteBuffer> call(final ByteBuffer request) {
            return node.call(request);
        }

        @Override
        public boolean isOpen() {
            return node.isOpen();
        }

        @Override
        public void close() {
            node.close();
        }
    }
}
