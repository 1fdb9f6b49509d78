package io.spillway.transport.tcp;

import io.spillway.wire.RefusedFrame;

/** A connection is refused; carries what the client is told. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final RefusedFrame.Code code;

    /** Creates the exception. */
    RefusedException(final RefusedFrame.Code code, final String message) {
        super(message);
        this.code = code;
    }

    /** What the client is told. */
    RefusedFrame frame() {
        return new RefusedFrame(code, getMessage());
    }

    /** Whether only somebody who should not be here gets this. */
    boolean isSuspicious() {
        return code == RefusedFrame.Code.UNAUTHORIZED;
    }
}
