// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.nio.ByteBuffer;

/**
 * Learns how a fetch ended: exactly one of the methods is called, once, on a thread of the
 * transport. It must not block. With the call, the destination buffer is the listener's again.
 */
public interface FetchListener {
    /** The bytes lie in {@code destination}, from its old position to its new one. */
    void onFetched(ByteBuffer destination, FetchReply reply);

    /**
     * Another node has the segment: it is to be asked, for this piece and those to come. Nothing
     * usable lies in {@code destination}; its position is as it was.
     */
    void onElsewhere(ByteBuffer destination, SegmentPlaces places);

    /** Nothing usable lies in {@code destination}; its position is as it was. */
    void onFailed(ByteBuffer destination, FetchException cause);
}
