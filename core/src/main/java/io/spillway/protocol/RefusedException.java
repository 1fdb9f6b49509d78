package io.spillway.protocol;

import io.spillway.wire.RefusedFrame;

/** A connection is refused; carries what the client is told. */
public final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final RefusedFrame.Code code;

    /** Creates the exception. */
    public RefusedException(final RefusedFrame.Code code, final String message) {
        super(message);
        this.code = code;
    }

    /** What the client is told. */
    public RefusedFrame frame() {
        return new RefusedFrame(code, getMessage());
    }

    /** Whether only somebody who should not be here gets this. */
    public boolean isSuspicious() {
        return code == RefusedFrame.Code.UNAUTHORIZED;
    }
}
