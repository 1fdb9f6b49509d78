// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.ServedSegment;
import io.spillway.wire.DataFrame;
import io.spillway.wire.ElsewhereFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.FetchFrame;

/** A node's checks of a fetch, and the frames that answer it. */
public final class FetchRequests {
    private FetchRequests() {}

    /**
     * Checks what can be told without the segment.
     *
     * @param maxLength the most bytes that one fetch may ask for
     * @throws FetchException with {@code OUT_OF_RANGE}
     */
    public static void check(final FetchFrame fetch, final int maxLength) throws FetchException {
        if (fetch.length() > maxLength) {
            throw new FetchException(
                    Reason.OUT_OF_RANGE,
                    "length=" + fetch.length() + ", expected 0 to " + maxLength);
        }
    }

    /** What is asked for. */
    public static SegmentId segmentOf(final FetchFrame fetch) {
        return new SegmentId(fetch.output(), fetch.partition(), fetch.run());
    }

    /**
     * The bytes to send: what is asked for, or less at the segment's end.
     *
     * @throws FetchException with {@code OUT_OF_RANGE} when the fetch begins behind the end
     */
    public static int lengthOf(final FetchFrame fetch, final ServedSegment segment)
            throws FetchException {
        final long left = segment.partLength() - fetch.offset();
        if (left < 0) {
            throw new FetchException(
                    Reason.OUT_OF_RANGE,
                    "offset=" + fetch.offset() + ", expected 0 to " + segment.partLength());
        }
        return (int) Math.min(fetch.length(), left);
    }

    /** The frame in front of the bytes, in a session of this version. */
    public static DataFrame answer(
            final FetchFrame fetch,
            final ServedSegment segment,
            final int length,
            final int version) {
        return DataFrame.answering(
                fetch,
                segment.partLength(),
                segment.rawLength(),
                segment.runs(),
                length,
                segment.checksum(fetch.offset(), length),
                segment.tier().code(),
                segment.records(),
                version);
    }

    /** The frame that names the nodes to ask. */
    public static ElsewhereFrame elsewhere(final FetchFrame fetch, final SegmentPlaces places) {
        return new ElsewhereFrame(fetch.requestId(), places);
    }

    /** The frame that says why there are no bytes. */
    public static FailedFrame failure(final FetchFrame fetch, final FetchException cause) {
        return new FailedFrame(
                fetch.requestId(), FailureCodes.codeOf(cause.reason()), cause.getMessage());
    }
}
