// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.nio.ByteBuffer;

/**
 * Learns how a put ended: exactly one of the two methods is called, once, on a thread of the
 * transport. It must not block. With the call, the source buffer is the listener's again, with
 * position and limit as they were.
 */
public interface PutListener {
    /** The node has the bytes. They become visible with the commit of their output. */
    void onAcknowledged(ByteBuffer source);

    /**
     * The put failed. Where the connection broke the node may have the bytes all the same: the same
     * put may be repeated, over any channel.
     */
    void onFailed(ByteBuffer source, FetchException cause);
}
