package io.spillway.stream.server;

import io.spillway.transport.serve.ServerStats.Refusal;
import io.spillway.wire.handshake.RefusedFrame;

/** A connection is refused; carries the answer to the client. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final RefusedFrame.Code code;

    /** Creates the exception. */
    RefusedException(final RefusedFrame.Code code, final String message) {
        super(message);
        this.code = code;
    }

    /** Why, for the counters. */
    Refusal refusal() {
        return switch (code) {
            case BUSY -> Refusal.FULL;
            case UNKNOWN_JOB -> Refusal.UNKNOWN_JOB;
            case UNAUTHORIZED -> Refusal.UNAUTHORIZED;
            case VERSION -> Refusal.VERSION;
        };
    }

    /** The answer to the client. */
    RefusedFrame frame() {
        return new RefusedFrame(code, getMessage());
    }

    /** Whether only somebody who should not be here gets this. */
    boolean isSuspicious() {
        return code == RefusedFrame.Code.UNAUTHORIZED;
    }
}
