// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.client;

import io.spillway.frame.MalformedFrameException;
import io.spillway.protocol.PendingFetch;
import io.spillway.seal.MessageOpener.Opened;
import io.spillway.transport.FetchException;
import io.spillway.transport.ucx.worker.BufferPool;
import io.spillway.transport.ucx.worker.Link;
import io.spillway.transport.ucx.worker.PathSeal;
import io.spillway.transport.ucx.worker.UcxThread;
import java.nio.ByteBuffer;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.openucx.jucx.ucs.UcsConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One credit of a {@link ClientPath}: a fetch in flight, and the arrival of its bytes. Few bytes
 * come with the message. Many are announced, and received straight into a destination outside the
 * heap, or into registered memory and copied. Used by the thread of UCX, again and again.
 */
final class FetchSlot extends UcxCallback implements BufferPool.Waiter {
    private static final Logger LOG = LoggerFactory.getLogger(FetchSlot.class);

    /** A client is of one job, whose name its pool of buffers need not know. */
    private static final String OWN_JOB = "";

    private enum State {
        /** No fetch, or one that has not been answered. */
        QUIET,
        /** Its bytes are announced, and there is no room to receive them. */
        WAITING,
        /** UCX writes into the destination. */
        RECEIVING,
        /** UCX writes into the buffer. */
        RECEIVING_INTO_BUFFER
    }

    private final UcxThread thread;
    private final ClientPath connection;
    private final int index;
    private State state = State.QUIET;
    private PendingFetch fetch;
    private Link link;
    private boolean owed;
    private long requestId;
    private long dataHandle;
    private BufferPool.Buffer buffer;
    private Opened message;
    private ByteBuffer body;
    private FetchException lost;

    /** UCX learns from what {@link #receive} returns that it has to keep no bytes. */
    private boolean asking;

    FetchSlot(final UcxThread thread, final ClientPath connection, final int index) {
        this.thread = thread;
        this.connection = connection;
        this.index = index;
    }

    int index() {
        return index;
    }

    /** The fetch in flight, or null. */
    PendingFetch fetch() {
        return fetch;
    }

    /** Whether its answer is still to come. */
    boolean isUnanswered() {
        return fetch != null && state == State.QUIET;
    }

    /**
     * A fetch leaves over a link, which is to stay until it is answered and its bytes have come.
     */
    void begin(final PendingFetch newFetch, final long newRequestId, final Link over) {
        fetch = newFetch;
        requestId = newRequestId;
        link = over;
        owed = true;
        over.requestBegan();
    }

    /** The answer to a request has come; false where none with this id is owed. */
    boolean isAnswered(final long answeredId) {
        if (!owed || answeredId != requestId) {
            return false;
        }
        owed = false;
        link.requestEnded();
        return true;
    }

    /** Frees the slot of its fetch, which was answered. */
    void end() {
        fetch = null;
        message = null;
        body = null;
    }

    // ---- arrival -------------------------------------------------------------------------------

    /**
     * The bytes come, as many as the target of the fetch takes.
     *
     * @param opened the message of the bytes
     * @return the answer to UCX: whether it has to keep them
     */
    int receive(final Opened opened, final UcpAmData data) {
        final ByteBuffer target = fetch.target();
        message = opened;
        body = target.slice();
        if (data.isDataValid()) {
            target.put(UcxUtils.getByteBufferView(data.getDataAddress(), target.remaining()));
            connection.arrived(this);
            return UcsConstants.STATUS.UCS_OK;
        }
        dataHandle = data.getDataHandle();
        if (target.isDirect()) {
            state = State.RECEIVING;
            receiveInto(UcxUtils.getAddress(target), null);
            return UcsConstants.STATUS.UCS_OK;
        }
        state = State.WAITING;
        asking = true;
        try {
            thread.buffers().request(this);
        } catch (final RuntimeException | Error e) {
            state = State.QUIET;
            throw e;
        } finally {
            asking = false;
        }
        return state == State.WAITING
                ? UcsConstants.STATUS.UCS_INPROGRESS
                : UcsConstants.STATUS.UCS_OK;
    }

    /** Opens the bytes in place. */
    void open(final PathSeal seal) throws MalformedFrameException {
        seal.openBody(message, body);
    }

    @Override
    public String jobId() {
        return OWN_JOB;
    }

    @Override
    public int length() {
        return fetch.target().remaining();
    }

    @Override
    public boolean isWaiting() {
        return state == State.WAITING;
    }

    @Override
    public void onBuffer(final BufferPool.Buffer newBuffer) {
        buffer = newBuffer;
        state = State.RECEIVING_INTO_BUFFER;
        receiveInto(buffer.address(), buffer.params());
    }

    @Override
    public void onNoBuffer(final Throwable cause) {
        state = State.QUIET;
        connection.failLater(cause);
        if (!asking) {
            thread.worker().amDataRelease(dataHandle);
        }
    }

    private void receiveInto(final long address, final UcpRequestParams params) {
        final int length = fetch.target().remaining();
        link.operationBegan();
        try {
            thread.worker().recvAmDataNonBlocking(dataHandle, address, length, this, params);
        } catch (final UcxException e) {
            onError(e.getStatus(), e.getMessage());
        } catch (final RuntimeException | Error e) {
            onError(UcsConstants.STATUS.UCS_ERR_NO_MEMORY, e.toString());
        }
    }

    /** From within UCX: nothing may be thrown. */
    @Override
    public void onSuccess(final UcpRequest request) {
        try {
            arrived();
        } catch (final RuntimeException | Error e) {
            connection.failLater(e);
        }
    }

    private void arrived() {
        final State was = state;
        state = State.QUIET;
        if (was != State.RECEIVING && was != State.RECEIVING_INTO_BUFFER) {
            return;
        }
        link.operationEnded();
        if (was == State.RECEIVING_INTO_BUFFER) {
            takeFromBuffer();
        }
        if (lost != null) {
            failNow();
        } else if (fetch != null) {
            connection.arrived(this);
        }
    }

    private void takeFromBuffer() {
        if (fetch != null) {
            fetch.target().put(buffer.bytes());
        }
        releaseBuffer();
    }

    /** From within UCX: nothing may be thrown. */
    @Override
    public void onError(final int status, final String message) {
        if (state == State.QUIET || state == State.WAITING) {
            return;
        }
        LOG.debug("Receiving failed: status={} {}", status, message);
        state = State.QUIET;
        link.operationEnded();
        releaseBuffer();
        thread.defer(() -> connection.guard(() -> failed(status, message)));
    }

    private void failed(final int status, final String message) {
        if (lost != null) {
            failNow();
        } else {
            connection.receiveFailed(status, message);
        }
    }

    private void releaseBuffer() {
        if (buffer != null) {
            final BufferPool.Buffer released = buffer;
            buffer = null;
            released.release();
        }
    }

    // ---- loss ----------------------------------------------------------------------------------

    /**
     * The connection is lost: the fetch fails now, or, where UCX may still write into its
     * destination, as soon as it has stopped to.
     */
    void lose(final FetchException cause) {
        lost = cause;
        if (state == State.WAITING) {
            state = State.QUIET;
            thread.worker().amDataRelease(dataHandle);
        }
        if (state != State.RECEIVING) {
            failNow();
        }
    }

    /** UCX has ended: nothing writes any more. */
    void abandon() {
        if (state == State.RECEIVING) {
            state = State.QUIET;
            failNow();
        }
    }

    private void failNow() {
        if (fetch != null) {
            fetch.fail(lost);
        }
        end();
    }
}
