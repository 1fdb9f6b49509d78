// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

/** The parts of one shuffle that a fetcher works with, all owned by the loop's thread. */
public record FetchParts(
        ShuffleState shuffle,
        NodeConnections connections,
        FetchPlanner planner,
        SegmentReceiver receiver,
        FailedFetches failed) {}
