// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.remote;

import io.spillway.checksum.Crc32cMath;
import io.spillway.engine.spi.RemoteOutput;
import io.spillway.ifile.IndexEntry;
import io.spillway.thread.Uninterrupted;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentId;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends an output to other nodes as it is written, run after run, segment after segment from
 * partition 0 on; ended by {@link #commit}, or by {@link #close}, which has the nodes forget it.
 * One thread.
 *
 * <p>The bytes go out in pieces as long as the blocks of the output, or as 64 KiB where blocks are
 * longer. A node can tell a reducer the checksum of whole pieces only, and a reducer asks for whole
 * blocks: so it can verify whatever it asks for. A segment begins with a piece of its own, as it
 * does with a block. The writer waits where nodes are slower, interrupted or not; a failure of any
 * node is thrown by the next call, and by all that follow.
 */
public final class RemoteSink extends OutputStream {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteSink.class);

    private static final int LONGEST_PIECE = 64 << 10;

    /**
     * What a writer waits for nodes that are to forget its output: for most of them, not for all.
     */
    private static final long ABORT_MILLIS = 2_000;

    /** What a commit waits for a node that does not answer, and for an answer to another try. */
    private static final long COMMIT_MILLIS = 20_000;

    private final RemoteOutput output;
    private final long patienceMillis;
    private final PieceWindow window;
    private final byte[] single = new byte[1];
    private final List<OutputSummary.Segment> segments = new ArrayList<>();
    private SegmentId segment;

    /** The piece that is being filled, or null. */
    private Piece piece;

    /** The bytes of the segment that went out. */
    private long sent;

    /** The CRC32C of the bytes of the segment that went out. */
    private int checksum;

    private long length;
    private long commitNanos;
    private boolean ended;

    /**
     * Begins an output; sends nothing yet.
     *
     * @param output whose channels stay the caller's to close
     * @param blockLength the bytes of a block of the output, a power of two
     */
    public RemoteSink(final RemoteOutput output, final int blockLength) {
        this(output, blockLength, DirectMemory.SYSTEM, COMMIT_MILLIS);
    }

    RemoteSink(
            final RemoteOutput output,
            final int blockLength,
            final DirectMemory memory,
            final long patienceMillis) {
        this.output = output;
        this.patienceMillis = patienceMillis;
        this.window = PieceWindow.open(output, Math.min(blockLength, LONGEST_PIECE), memory);
        this.segment = new SegmentId(output.output(), 0);
    }

    @Override
    public void write(final int b) throws IOException {
        single[0] = (byte) b;
        write(single, 0, 1);
    }

    /**
     * Takes the next bytes of the segment.
     *
     * @throws RemoteStoreException when a node has failed
     */
    @Override
    public void write(final byte[] bytes, final int offset, final int count) throws IOException {
        int from = offset;
        int left = count;
        while (left > 0) {
            if (piece == null) {
                piece = nextPiece();
            }
            final int some = Math.min(left, piece.room());
            piece.add(bytes, from, some);
            from += some;
            left -= some;
            if (piece.room() == 0) {
                send();
            }
        }
    }

    private Piece nextPiece() throws IOException {
        return window.take();
    }

    private void send() {
        final int bytes = piece.length();
        checksum = Crc32cMath.combine(checksum, piece.send(segment, sent), bytes);
        piece = null;
        sent += bytes;
    }

    /**
     * The segment is complete; what is written from now on is the next partition's.
     *
     * @param entry what was written; where it starts has no meaning here
     * @param records how many were written, or {@link io.spillway.ifile.RecordCounts#UNKNOWN}
     * @return the CRC32C of the segment's bytes
     * @throws IllegalStateException when more or less was written
     */
    public int endSegment(final IndexEntry entry, final long records) {
        if (piece != null && piece.length() > 0) {
            send();
        }
        if (sent != entry.partLength()) {
            throw new IllegalStateException(
                    segment + ": written=" + sent + ", expected " + entry.partLength());
        }
        final int partition = segment.partition();
        final int run = segment.run();
        final int sum = checksum;
        segments.add(
                new OutputSummary.Segment(partition, run, sent, entry.rawLength(), sum, records));
        checksum = 0;
        length += sent;
        sent = 0;
        segment = new SegmentId(output.output(), partition + 1, run);
        return sum;
    }

    /** All segments of the run have ended; what is written from now on is the next one's. */
    public void endRun() {
        segment = new SegmentId(output.output(), 0, segment.run() + 1);
    }

    /**
     * Makes the output visible at every node; all of its segments have ended.
     *
     * @throws RemoteStoreException when a node has failed, or does not have the whole output: then
     *     none serves it
     * @throws UnclearCommitException when a node does not say whether it has the whole output
     */
    public void commit() throws IOException {
        window.awaitAll();
        final long start = System.nanoTime();
        commitCopies();
        commitNanos = System.nanoTime() - start;
        ended = true;
    }

    private void commitCopies() throws IOException {
        final OutputSummary summary = new OutputSummary(output.output(), segments);
        final List<NodeCommit> commits =
                output.copies().stream()
                        .map(node -> NodeCommit.send(output, node, summary, patienceMillis))
                        .toList();
        final List<NodeCommit> held = new ArrayList<>();
        NodeCommit refused = null;
        FetchException refusal = null;
        for (final NodeCommit commit : commits) {
            final FetchException failure = commit.await();
            if (failure == null) {
                held.add(commit);
            } else if (refusal == null) {
                refused = commit;
                refusal = failure;
            }
        }
        if (refused == null) {
            return;
        }
        // The output is stored elsewhere now: no node may serve it too.
        for (final NodeCommit commit : held) {
            commit.withdraw();
        }
        // Not earlier: a writer falls back for it, but must not where a node's answer is unclear.
        window.fail(refused.node().address(), refusal);
        throw window.failureOrNull();
    }

    /** The bytes of all segments that have ended. */
    public long length() {
        return length;
    }

    /** The time that the writer has waited for nodes, in nanoseconds. */
    public long waitedNanos() {
        return window.waitedNanos() + commitNanos;
    }

    /**
     * The first failure of a node, or null: any exception that a writer catches may stem from it.
     */
    public RemoteStoreException failureOrNull() {
        return window.failureOrNull();
    }

    /**
     * Has the nodes forget an output that was not committed, as far as they can be reached now;
     * what is left of it is free at the job's end. Idempotent; does not throw.
     */
    @Override
    public void close() {
        if (ended) {
            return;
        }
        ended = true;
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ABORT_MILLIS);
        try {
            giveBackUnsent();
            // A put that arrives after the abort would begin the output anew.
            window.awaitAll(ABORT_MILLIS);
            final List<CompletableFuture<Void>> aborts =
                    output.copies().stream().map(node -> node.abort(output.output())).toList();
            for (final CompletableFuture<Void> abort : aborts) {
                awaitAbort(abort, deadline);
            }
        } catch (final RuntimeException e) {
            LOG.warn("Aborting {} failed", output.output(), e);
        }
    }

    private void giveBackUnsent() {
        if (piece != null) {
            window.giveBack(piece);
            piece = null;
        }
    }

    private void awaitAbort(final CompletableFuture<Void> abort, final long deadline) {
        try {
            Uninterrupted.<Void, Exception>await(
                    () ->
                            abort.get(
                                    Math.max(0, deadline - System.nanoTime()),
                                    TimeUnit.NANOSECONDS));
        } catch (final Exception e) {
            LOG.debug("Some of {} may stay at a node until the job ends", output.output(), e);
        }
    }
}
