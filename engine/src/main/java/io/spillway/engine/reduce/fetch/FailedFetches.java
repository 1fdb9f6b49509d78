// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.spi.ShuffleError;
import java.io.IOException;

/** Takes what fetchers could not fetch. Owned by the loop's thread. */
public interface FailedFetches {
    /** A node cannot be reached, or refuses everything. */
    void nodeFailed(Node node, IOException cause);

    /** A node has no room for a request in the framework's own way, and says how long to wait. */
    void nodeRefused(Node node, long delayMillis);

    /** The node answers, but not with this map's output. */
    void mapFailed(SegmentFetch fetch, Exception cause);

    /** The node that took this map's output in answers that it does not have it any more. */
    void lost(SegmentFetch fetch, Exception cause);

    /** A piece is not what the map wrote; it waits to be fetched again. */
    void damaged(SegmentFetch fetch, long offset, String damage);

    /** All bytes of a segment are here, and they are not those its checksum was made of. */
    void corrupt(SegmentFetch fetch);

    /** A reply's lengths cannot be, or are not what they were. */
    void wrongLength(SegmentFetch fetch, String problem);

    /** A transfer in the framework's own way failed; those end before the merge begins. */
    void wholeFailed(SegmentFetch fetch, ShuffleError error, Exception cause);
}
