// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.load;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.PutListener;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;

/** Puts or fetches segments over its connection, several at a time. One thread. */
final class SimulatedTask implements PutListener, FetchListener {
    private static final int IN_FLIGHT = 64;
    private static final int PATIENCE_SECONDS = 120;

    private final Channel channel;
    private final AtomicReference<Exception> failure = new AtomicReference<>();

    /** Buffers that the transport does not have. */
    private final BlockingQueue<ByteBuffer> free = new LinkedBlockingQueue<>();

    private final int inFlight;
    private long segments;
    private long bytes;

    /**
     * Creates a task.
     *
     * @param channel that only this task uses
     * @param segment the most bytes of a segment
     * @param most so many segments at most
     */
    SimulatedTask(final Channel channel, final int segment, final int most) {
        this.channel = channel;
        this.inFlight = Math.min(IN_FLIGHT, most);
        for (int i = 0; i < inFlight; i++) {
            final byte[] content = new byte[segment];
            Arrays.fill(content, (byte) i);
            free.add(ByteBuffer.wrap(content));
        }
    }

    /** Segments put or fetched. */
    long segments() {
        return segments;
    }

    /** The bytes of them. */
    long bytes() {
        return bytes;
    }

    /** Puts an output of equal segments and commits it. */
    void put(final String output, final int partitions, final int runs)
            throws IOException, InterruptedException {
        final List<OutputSummary.Segment> listed = new ArrayList<>(partitions * runs);
        for (int run = 0; run < runs; run++) {
            for (int partition = 0; partition < partitions; partition++) {
                final ByteBuffer segment = take().clear().put(0, (byte) partition);
                final int checksum = crcOf(segment);
                final int length = segment.remaining();
                listed.add(new OutputSummary.Segment(partition, run, length, length, checksum, 1));
                segments++;
                bytes += length;
                channel.put(new SegmentId(output, partition, run), 0, segment, checksum, this);
            }
        }
        awaitAll();
        commit(new OutputSummary(output, listed));
    }

    private void commit(final OutputSummary output) throws IOException, InterruptedException {
        try {
            channel.commit(output).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (final ExecutionException | TimeoutException e) {
            throw new IOException("commit of " + output.output() + ": " + e.getMessage(), e);
        }
    }

    private static int crcOf(final ByteBuffer buffer) {
        final CRC32C crc = new CRC32C();
        crc.update(buffer.duplicate());
        return (int) crc.getValue();
    }

    /** Fetches segments, and compares their bytes with their checksums. */
    void fetch(final List<SegmentId> wanted) throws IOException, InterruptedException {
        for (final SegmentId segment : wanted) {
            channel.fetch(segment, 0, take().clear(), this);
        }
        awaitAll();
    }

    /** Waits for a buffer. */
    private ByteBuffer take() throws IOException, InterruptedException {
        final ByteBuffer taken = free.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (taken == null) {
            throw new IOException("no answer within " + PATIENCE_SECONDS + " s");
        }
        throwFailure();
        return taken;
    }

    private void awaitAll() throws IOException, InterruptedException {
        final List<ByteBuffer> all = new ArrayList<>(inFlight);
        while (all.size() < inFlight) {
            all.add(take());
        }
        throwFailure();
        free.addAll(all);
    }

    private void throwFailure() throws IOException {
        final Exception cause = failure.get();
        if (cause != null) {
            throw new IOException(cause.getMessage(), cause);
        }
    }

    @Override
    public void onAcknowledged(final ByteBuffer source) {
        free.add(source);
    }

    @Override
    public void onFetched(final ByteBuffer destination, final FetchReply reply) {
        final ByteBuffer read = destination.duplicate().flip();
        if (reply.length() != reply.partLength()
                || reply.checksum() != Integer.toUnsignedLong(crcOf(read))) {
            failure.compareAndSet(
                    null, new IOException("other bytes than the map has written: " + reply));
        }
        segments++;
        bytes += reply.length();
        free.add(destination);
    }

    @Override
    public void onElsewhere(final ByteBuffer destination, final SegmentPlaces places) {
        failure.compareAndSet(null, new IOException("the node sends on to " + places));
        free.add(destination);
    }

    @Override
    public void onFailed(final ByteBuffer buffer, final FetchException cause) {
        failure.compareAndSet(null, cause);
        free.add(buffer);
    }
}
