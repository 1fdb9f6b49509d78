// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.settings.ShuffleSettings;

/** The parts of one shuffle that a fetcher works with, all owned by the loop's thread. */
public record FetchParts(
        ShuffleSettings settings,
        ShuffleLoop loop,
        ChunkPool pool,
        ShuffleProgress progress,
        NodeConnections connections,
        FetchPlanner planner,
        SegmentReceiver receiver,
        FailedFetches failed) {}
