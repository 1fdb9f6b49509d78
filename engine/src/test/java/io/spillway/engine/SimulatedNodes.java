// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Nodes behind links of a given latency and bandwidth, for {@link ReduceSimulation}. One thread
 * answers, each request at the time at which its last byte would have come.
 */
public final class SimulatedNodes implements Transport {
    private record Answer(long atNanos, long number, Runnable action)
            implements Comparable<Answer> {
        @Override
        public int compareTo(final Answer other) {
            return atNanos == other.atNanos
                    ? Long.compare(number, other.number)
                    : Long.compare(atNanos, other.atNanos);
        }
    }

    private final long latencyNanos;
    private final double nanosPerByte;
    private final Map<String, TestSegment> segments = new ConcurrentHashMap<>();
    private final Map<String, FileSegment> files = new ConcurrentHashMap<>();
    private final PriorityBlockingQueue<Answer> answers = new PriorityBlockingQueue<>();
    private final AtomicLong requests = new AtomicLong();
    private final Thread clock = new Thread(this::answer, "simulated-nodes");
    private volatile boolean closed;

    /**
     * Creates nodes without segments.
     *
     * @param latencyNanos between a request and the first byte of its answer
     * @param bytesPerSecond of each node's link
     */
    public SimulatedNodes(final long latencyNanos, final double bytesPerSecond) {
        this.latencyNanos = latencyNanos;
        this.nanosPerByte = 1e9 / bytesPerSecond;
        clock.setDaemon(true);
        clock.start();
    }

    public void put(final String attempt, final TestSegment segment) {
        segments.put(attempt, segment);
    }

    /** Serves a segment that is too large to be in memory. */
    public void put(final String attempt, final Path file, final long rawLength) {
        files.put(attempt, new FileSegment(file, rawLength));
    }

    /** A segment in a file. */
    private record FileSegment(Path path, long rawLength) {
        FetchReply read(final long offset, final ByteBuffer destination) throws IOException {
            try (FileChannel channel = FileChannel.open(path)) {
                int count = 0;
                while (destination.hasRemaining() && offset + count < channel.size()) {
                    count += channel.read(destination, offset + count);
                }
                return new FetchReply(channel.size(), rawLength, count);
            }
        }
    }

    /** The requests so far. */
    long requests() {
        return requests.get();
    }

    private void answer() {
        try {
            while (!closed) {
                final Answer next = answers.take();
                long wait = next.atNanos - System.nanoTime();
                while (wait > 0 && !closed) {
                    LockSupport.parkNanos(wait);
                    wait = next.atNanos - System.nanoTime();
                }
                next.action.run();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public Channel open(final NodeAddress address, final JobCredentials credentials) {
        return new Link(address);
    }

    @Override
    public void close() {
        closed = true;
        clock.interrupt();
    }

    private final class Link implements Channel {
        private final NodeAddress address;
        private long freeAtNanos;
        private volatile boolean open = true;

        Link(final NodeAddress address) {
            this.address = address;
        }

        @Override
        public NodeAddress address() {
            return address;
        }

        @Override
        public long epoch() {
            return 1;
        }

        @Override
        public synchronized void fetch(
                final SegmentId segment,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            if (!open) {
                listener.onFailed(destination, new FetchException(Reason.DISCONNECTED, "closed"));
                return;
            }
            final FileSegment file = files.get(segment.output());
            if (file != null) {
                answers.add(
                        new Answer(
                                System.nanoTime(),
                                requests.incrementAndGet(),
                                () -> fetch(file, offset, destination, listener)));
                return;
            }
            final TestSegment found = segments.get(segment.output());
            final int count =
                    (int) Math.min(destination.remaining(), found.bytes().length - offset);
            final long start = Math.max(System.nanoTime() + latencyNanos, freeAtNanos);
            freeAtNanos = start + (long) (count * nanosPerByte);
            final Runnable action =
                    () -> {
                        destination.put(found.bytes(), (int) offset, count);
                        listener.onFetched(
                                destination,
                                new FetchReply(found.bytes().length, found.rawLength(), count));
                    };
            answers.add(new Answer(freeAtNanos, requests.incrementAndGet(), action));
        }

        private void fetch(
                final FileSegment file,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            try {
                listener.onFetched(destination, file.read(offset, destination));
            } catch (final IOException e) {
                listener.onFailed(
                        destination, new FetchException(Reason.DISCONNECTED, e.toString()));
            }
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() {
            open = false;
        }
    }
}
