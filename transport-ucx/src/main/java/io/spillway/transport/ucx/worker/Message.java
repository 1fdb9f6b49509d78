// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import java.nio.ByteBuffer;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One message on its way out, and the callback by which UCX reports its end. Each send has an
 * object of its own, so a late callback cannot end another message. The memory of the header, and
 * that of the bytes after it, is free when UCX has reported the end: also where the endpoint is
 * gone, for UCX reads the memory until then. The link ends it where that report does not come. Used
 * by the thread of UCX.
 */
public final class Message extends UcxCallback {
    /** Learns the end of a message. */
    public interface Listener {
        /** Its memory may be used again; {@code wentOut} is false where it failed. */
        void onSent(boolean wentOut);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Message.class);

    private final Link link;
    private final HeaderPool headers;
    private final long number;
    private final ByteBuffer header;
    private final long headerAddress;
    private Listener listener = wentOut -> {};
    private boolean leaving;
    private boolean ended;

    /**
     * Takes memory for the header.
     *
     * @param number of its seal
     * @throws OutOfMemoryError where there is none
     */
    Message(final Link link, final HeaderPool headers, final long number) {
        this.link = link;
        this.number = number;
        this.headers = headers;
        this.header = headers.take();
        this.headerAddress = UcxUtils.getAddress(header);
    }

    /** Empty; for the envelope and the frame. Not to be used once the message was sent. */
    public ByteBuffer header() {
        return header;
    }

    long number() {
        return number;
    }

    long headerAddress() {
        return headerAddress;
    }

    int headerLength() {
        return header.position();
    }

    /** The listener for the end; none by default. */
    public void tell(final Listener newListener) {
        listener = newListener;
    }

    /** It is given to UCX. */
    void leaves() {
        leaving = true;
        link.leaves(this);
    }

    /** UCX has ended it, or never had it. Does nothing where it has ended already. */
    void end(final boolean wentOut) {
        if (ended) {
            return;
        }
        ended = true;
        headers.putBack(header);
        if (leaving) {
            link.hasLeft(this, wentOut);
        }
        try {
            listener.onSent(wentOut);
        } catch (final RuntimeException | Error e) {
            LOG.error("The listener for the end of a message failed", e);
        }
    }

    @Override
    public void onSuccess(final UcpRequest request) {
        end(true);
    }

    /** Where UCX refuses a message at once, jucx calls this and throws an exception as well. */
    @Override
    public void onError(final int status, final String message) {
        LOG.debug("A message was not sent: status={} {}", status, message);
        end(false);
    }
}
