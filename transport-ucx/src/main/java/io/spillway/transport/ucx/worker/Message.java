package io.spillway.transport.ucx.worker;

import java.nio.ByteBuffer;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One message on its way out: the memory of its header, and who learns that it went. Used again and
 * again by a {@link MessagePool}. Used by the thread of UCX.
 */
public final class Message extends UcxCallback {
    /** Learns the end of a message. */
    public interface Listener {
        /** Its memory may be used again; {@code wentOut} is false where it failed. */
        void onSent(boolean wentOut);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Message.class);
    private static final Listener NOBODY = wentOut -> {};

    private final MessagePool pool;
    private final ByteBuffer header;
    private final long address;
    private Listener listener = NOBODY;
    private Link link;
    private boolean flying;
    private int flight;

    Message(final MessagePool pool, final ByteBuffer header) {
        this.pool = pool;
        this.header = header;
        this.address = UcxUtils.getAddress(header);
    }

    /** Empty; for the envelope and the frame. */
    public ByteBuffer header() {
        return header;
    }

    long headerAddress() {
        return address;
    }

    int headerLength() {
        return header.position();
    }

    /** The listener for the end; none by default. */
    public void tell(final Listener newListener) {
        listener = newListener;
    }

    /** It is not sent after all. */
    public void discard() {
        end(begin(null), false);
    }

    /**
     * It leaves; returns what {@link #end} takes.
     *
     * @param over the link that learns of the end; null where it does not get so far
     */
    int begin(final Link over) {
        flying = true;
        link = over;
        if (over != null) {
            over.leaves(this);
        }
        return flight;
    }

    /** Its endpoint is gone. */
    void abandon() {
        end(flight, false);
    }

    /** Ends the given flight, unless it has ended: UCX may tell of a failure twice. */
    void end(final int ofFlight, final boolean wentOut) {
        if (!flying || flight != ofFlight) {
            return;
        }
        flying = false;
        flight++;
        final Link over = link;
        link = null;
        if (over != null) {
            over.hasLeft(this, wentOut);
        }
        final Listener told = listener;
        listener = NOBODY;
        header.clear();
        pool.putBack(this);
        try {
            told.onSent(wentOut);
        } catch (final RuntimeException | Error e) {
            LOG.error("Telling of the end of a message failed", e);
        }
    }

    @Override
    public void onSuccess(final UcpRequest request) {
        end(flight, true);
    }

    @Override
    public void onError(final int status, final String message) {
        LOG.debug("A message was not sent: status={} {}", status, message);
        end(flight, false);
    }
}
