// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import io.spillway.transport.serve.ServerStats.Refusal;
import io.spillway.wire.RefusedFrame;

/** A connection is refused; carries the answer to the client. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Refusal refusal;
    private final transient RefusedFrame frame;

    /** The client is told what the log is. */
    RefusedException(final Refusal refusal, final RefusedFrame.Code code, final String message) {
        this(refusal, new RefusedFrame(code, message), message);
    }

    /**
     * Creates the exception.
     *
     * @param refusal why, for the counters
     * @param frame the answer to the client
     * @param message why, for the log
     */
    RefusedException(final Refusal refusal, final RefusedFrame frame, final String message) {
        super(message);
        this.refusal = refusal;
        this.frame = frame;
    }

    /** Why, for the counters. */
    Refusal refusal() {
        return refusal;
    }

    /** The answer to the client. */
    RefusedFrame frame() {
        return frame;
    }

    /** Whether only somebody who should not be here gets this. */
    boolean isSuspicious() {
        return refusal == Refusal.UNAUTHORIZED;
    }
}
