// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.io.IOException;

/** A request, or the opening of a channel, failed; {@link #reason} says what the caller can do. */
public final class FetchException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Why, by what the caller can do about it. */
    public enum Reason {
        /** The peer does not speak Spillway: use stock HTTP for this node. */
        NOT_SPILLWAY,
        /** The node could not prove itself, or refuses what was proved or asked for. */
        UNAUTHORIZED,
        /**
         * The node does not know the job (yet, or any more), or not by this secret: it does not say
         * which.
         */
        UNKNOWN_JOB,
        /** The node has no such map output. */
        NOT_FOUND,
        /** The request lies outside the segment. */
        OUT_OF_RANGE,
        /** The node could not read the map output or its index. */
        SOURCE_FAILED,
        /** The node has no room for another connection, or no memory for a request now. */
        BUSY,
        /** The node, or this kind of channel, takes no puts. */
        NO_SINK,
        /** The node, or this kind of channel, answers no calls. */
        NO_SERVICE,
        /** The node holds other bytes than those put, or another commit: repeating is in vain. */
        CONFLICT,
        /** The node has no room for the bytes put: another node, or a local tier, may. */
        FULL,
        /** The bytes put were damaged on the way, and not kept: put them again. */
        DAMAGED,
        /** A commit names bytes that the node has not acknowledged. */
        INCOMPLETE,
        /** The connection could not be opened, was closed or broke. */
        DISCONNECTED,
        /** No answer in time. */
        TIMED_OUT,
        /** The peer broke the protocol. */
        PROTOCOL,
        /** This process failed, for want of memory or by a defect: no node is to blame. */
        LOCAL
    }

    private final Reason reason;

    /** Creates the exception; the message names what failed, its value and what was expected. */
    public FetchException(final Reason reason, final String message) {
        super(message);
        this.reason = reason;
    }

    /** Creates the exception with its cause. */
    public FetchException(final Reason reason, final String message, final Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }
}
