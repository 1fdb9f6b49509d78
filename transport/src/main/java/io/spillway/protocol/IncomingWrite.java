// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.serve.JobBudget;
import io.spillway.transport.serve.NodeService;
import io.spillway.transport.serve.PutMemory;
import io.spillway.transport.serve.SegmentSink;
import io.spillway.wire.AbortFrame;
import io.spillway.wire.CallFrame;
import io.spillway.wire.CommitFrame;
import io.spillway.wire.PutFrame;
import io.spillway.wire.SegmentTable;
import io.spillway.wire.WriteFrame;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;

/**
 * One put, commit, abort or call at the node, from its frame to its answer. It waits until the
 * server's budget has room for its bytes, then takes them straight into the sink's memory, and is
 * answered when the sink is done. The budget has its bytes back then, also where the connection
 * ended meanwhile. Used by the connection's thread but for what comes from the budget and the sink.
 */
public final class IncomingWrite
        implements JobBudget.Waiter, SegmentSink.Completion, NodeService.Reply {
    /** A client whose bytes come more slowly is cut off after the time of an idle one. */
    private static final int LEAST_BYTES_PER_SECOND = 64 << 10;

    /** What becomes of the payload. */
    private enum State {
        /** It has no room yet. */
        WAITING,
        /** It goes into memory. */
        RECEIVING,
        /** It is thrown away: the write has failed, or the sink has these bytes. */
        SKIPPING,
        /** All of it came, or none will. */
        ENDED
    }

    private final WriteQueue queue;
    private final WriteFrame frame;
    private final CRC32C crc = new CRC32C();
    private final AtomicBoolean completed = new AtomicBoolean();
    private final AtomicBoolean holdsBudget = new AtomicBoolean();
    private final Runnable wayOfGrant = this::onGranted;
    private final Runnable wayOfCompletion = this::onCompleted;
    private State state = State.WAITING;

    /** When it began to take bytes, in nanoseconds. */
    private long begunNanos;

    private int left;
    private SegmentSink.Piece piece;
    private ByteBuffer table;
    private Iterator<ByteBuffer> room;
    private ByteBuffer current;

    /** Why it is refused whatever comes; the rest of the payload has to be read first. */
    private Throwable refusal;

    /** How the sink has ended it. */
    private volatile Throwable failure;

    /** The answer to a call. */
    private volatile ByteBuffer answer;

    IncomingWrite(final WriteQueue queue, final WriteFrame frame) {
        this.queue = queue;
        this.frame = frame;
        this.left = frame.payloadLength();
    }

    WriteFrame frame() {
        return frame;
    }

    /** Whether it takes no bytes now: the server holds as many as it may. */
    public boolean isWaiting() {
        return state == State.WAITING;
    }

    /**
     * Whether its bytes take longer than those of a client on a slow link: its memory is for
     * others.
     */
    boolean isOverdue() {
        final long allowed =
                TimeUnit.MILLISECONDS.toNanos(queue.patienceMillis())
                        + TimeUnit.SECONDS.toNanos(frame.payloadLength() / LEAST_BYTES_PER_SECOND);
        return (state == State.RECEIVING || state == State.SKIPPING)
                && System.nanoTime() - begunNanos > allowed;
    }

    /** The bytes of the payload that have not come. */
    public int left() {
        return left;
    }

    /** Takes the next bytes: as many as it has {@link #left}, or all that remain. */
    public void take(final ByteBuffer bytes) {
        final int end = bytes.limit();
        bytes.limit(bytes.position() + Math.min(left, bytes.remaining()));
        left -= bytes.remaining();
        try {
            if (refusal == null) {
                crc.update(bytes.duplicate());
            }
            store(bytes);
        } finally {
            bytes.position(bytes.limit()).limit(end);
        }
        endIfWhole();
    }

    private void store(final ByteBuffer bytes) {
        while (state == State.RECEIVING && bytes.hasRemaining()) {
            if (!current.hasRemaining()) {
                current = room.next();
            }
            final int count = Math.min(current.remaining(), bytes.remaining());
            current.put(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
        }
    }

    // ---- begin ---------------------------------------------------------------------------------

    void start() {
        if (left == 0 || budget().take(queue.jobId(), weight(), this)) {
            holdsBudget.set(true);
            open();
        }
    }

    /** Bytes of puts lie outside the heap, all others on it. */
    private JobBudget budget() {
        return frame instanceof PutFrame ? queue.memory().puts() : queue.memory().tables();
    }

    private long weight() {
        final int length = frame.payloadLength();
        return frame instanceof PutFrame ? length : PutMemory.tableBytes(length);
    }

    /** Any thread. */
    @Override
    public void granted() {
        holdsBudget.set(true);
        if (!queue.onThread(wayOfGrant)) {
            giveBudget();
        }
    }

    private void onGranted() {
        if (queue.isClosed()) {
            giveBudget();
            return;
        }
        try {
            open();
            queue.resumed(this);
        } catch (final RuntimeException | Error e) {
            queue.failed(e);
        }
    }

    private void open() {
        begunNanos = System.nanoTime();
        try {
            makeRoom();
        } catch (final FetchException | RuntimeException | Error e) {
            skip(e);
        }
        endIfWhole();
    }

    private void makeRoom() throws FetchException {
        if (frame instanceof CallFrame) {
            queue.service();
            takeTable();
            return;
        }
        final SegmentSink sink = queue.sink();
        if (frame instanceof PutFrame put) {
            piece =
                    sink.begin(
                            queue.jobId(),
                            put.segment(),
                            put.offset(),
                            put.length(),
                            put.checksum());
            if (piece.isHeld()) {
                skip(null);
                return;
            }
            receive(piece.room());
        } else {
            takeTable();
        }
    }

    private void takeTable() {
        table = ByteBuffer.allocate(left);
        receive(List.of(table));
    }

    private void receive(final List<ByteBuffer> memory) {
        room = memory.iterator();
        current = room.hasNext() ? room.next() : ByteBuffer.allocate(0);
        state = State.RECEIVING;
    }

    private void skip(final Throwable why) {
        refusal = why;
        state = State.SKIPPING;
        if (why != null) {
            abandon();
        }
        // What is thrown away takes no memory.
        giveBudget();
    }

    // ---- end -----------------------------------------------------------------------------------

    private void endIfWhole() {
        if (left > 0 || state == State.ENDED || state == State.WAITING) {
            return;
        }
        state = State.ENDED;
        if (refusal == null && (int) crc.getValue() != frame.checksum()) {
            refusal = damaged();
        }
        if (refusal == null) {
            handToSink();
        } else {
            abandon();
            failed(refusal);
        }
    }

    private FetchException damaged() {
        return new FetchException(
                Reason.DAMAGED,
                String.format(
                        "CRC32C=%08x of the bytes that came, expected %08x of %s",
                        (int) crc.getValue(), frame.checksum(), frame));
    }

    private void handToSink() {
        try {
            if (frame instanceof PutFrame) {
                final SegmentSink.Piece whole = piece;
                piece = null;
                whole.arrived(this);
            } else if (frame instanceof CommitFrame || frame instanceof AbortFrame) {
                queue.commits().execute(this::endOutput);
            } else if (frame instanceof CallFrame) {
                queue.service().call(queue.jobId(), table.flip(), this);
            }
        } catch (final FetchException | RuntimeException | Error e) {
            failed(e);
        }
    }

    /**
     * On a thread of its own: the work grows with the number of segments. One thread, so that an
     * abort does not overtake the commit before it.
     */
    private void endOutput() {
        try {
            if (frame instanceof CommitFrame commit) {
                queue.sink().commit(queue.jobId(), summary(commit), this);
            } else if (frame instanceof AbortFrame abort) {
                queue.sink().abort(queue.jobId(), abort.output(), this);
            }
        } catch (final FetchException | RuntimeException | Error e) {
            failed(e);
        }
    }

    private OutputSummary summary(final CommitFrame commit) throws FetchException {
        try {
            return new OutputSummary(
                    commit.output(),
                    commit.first(),
                    commit.total(),
                    SegmentTable.decode(table.flip(), queue.version()));
        } catch (final MalformedFrameException | IllegalArgumentException e) {
            throw new FetchException(Reason.OUT_OF_RANGE, e.getMessage(), e);
        }
    }

    private void abandon() {
        if (piece != null) {
            final SegmentSink.Piece begun = piece;
            piece = null;
            begun.abandon();
        }
    }

    @Override
    public void done() {
        complete(null, null);
    }

    @Override
    public void done(final ByteBuffer bytes) {
        if (bytes.remaining() > CallFrame.MAX_LENGTH_OF_CALL) {
            complete(tooLong(bytes.remaining()), null);
        } else {
            complete(null, bytes);
        }
    }

    private static FetchException tooLong(final int length) {
        return new FetchException(
                Reason.SOURCE_FAILED,
                "an answer of "
                        + length
                        + " bytes, expected at most "
                        + CallFrame.MAX_LENGTH_OF_CALL);
    }

    @Override
    public void failed(final FetchException cause) {
        complete(cause, null);
    }

    private void failed(final Throwable cause) {
        complete(cause, null);
    }

    private void complete(final Throwable cause, final ByteBuffer bytes) {
        if (!completed.compareAndSet(false, true)) {
            return;
        }
        failure = cause;
        answer = bytes;
        giveBudget();
        queue.onThread(wayOfCompletion);
    }

    private void onCompleted() {
        queue.answer(this, failure, answer);
    }

    private void giveBudget() {
        if (holdsBudget.compareAndSet(true, false) && frame.payloadLength() > 0) {
            budget().give(queue.jobId(), weight());
        }
    }

    /** The connection has ended. What the sink is at work on has to end there. */
    void close() {
        if (state == State.ENDED) {
            return;
        }
        final boolean waits = state == State.WAITING;
        state = State.ENDED;
        if (waits) {
            // Where the grant is on its way already, its task gives the bytes back.
            budget().leave(queue.jobId(), this);
            return;
        }
        abandon();
        giveBudget();
    }
}
