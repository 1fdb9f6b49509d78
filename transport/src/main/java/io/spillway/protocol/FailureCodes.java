// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.transport.FetchException.Reason;
import io.spillway.wire.FailedFrame;

/** How the reason of a failed request travels. */
public final class FailureCodes {
    private FailureCodes() {}

    /** What a node sends. */
    public static FailedFrame.Code codeOf(final Reason reason) {
        return switch (reason) {
            case NOT_FOUND -> FailedFrame.Code.NOT_FOUND;
            case OUT_OF_RANGE -> FailedFrame.Code.OUT_OF_RANGE;
            case UNKNOWN_JOB -> FailedFrame.Code.UNKNOWN_JOB;
            case UNAUTHORIZED -> FailedFrame.Code.UNAUTHORIZED;
            case BUSY -> FailedFrame.Code.BUSY;
            case NO_SINK -> FailedFrame.Code.NO_SINK;
            case CONFLICT -> FailedFrame.Code.CONFLICT;
            case FULL -> FailedFrame.Code.FULL;
            case DAMAGED -> FailedFrame.Code.DAMAGED;
            case INCOMPLETE -> FailedFrame.Code.INCOMPLETE;
            case NO_SERVICE -> FailedFrame.Code.NO_SERVICE;
            default -> FailedFrame.Code.SOURCE_FAILED;
        };
    }

    /** What a client makes of it. */
    public static Reason reasonOf(final FailedFrame.Code code) {
        return switch (code) {
            case NOT_FOUND -> Reason.NOT_FOUND;
            case OUT_OF_RANGE -> Reason.OUT_OF_RANGE;
            case SOURCE_FAILED -> Reason.SOURCE_FAILED;
            case UNKNOWN_JOB -> Reason.UNKNOWN_JOB;
            case UNAUTHORIZED -> Reason.UNAUTHORIZED;
            case BUSY -> Reason.BUSY;
            case NO_SINK -> Reason.NO_SINK;
            case CONFLICT -> Reason.CONFLICT;
            case FULL -> Reason.FULL;
            case DAMAGED -> Reason.DAMAGED;
            case INCOMPLETE -> Reason.INCOMPLETE;
            case NO_SERVICE -> Reason.NO_SERVICE;
        };
    }
}
