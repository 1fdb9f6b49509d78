// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.segment.Node;

/** A way to fetch from nodes. Owned by the loop's thread. */
@FunctionalInterface
interface NodeFetcher {
    /** Asks a node for fetches that wait for it, as many as it takes now. */
    void fetch(Node node);
}
