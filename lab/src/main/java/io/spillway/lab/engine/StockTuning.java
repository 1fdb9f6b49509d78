// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.engine;

import java.util.Map;

/**
 * Stock Hadoop as a careful administrator sets it: a map spills once, and a reducer merges its
 * segments on disk in one pass.
 */
final class StockTuning {
    /** What a task's default heap of 1 GiB has room for beside the job itself. */
    static final long MOST_SORT_MB = 600;

    private static final long LEAST_SORT_MB = 100;

    /** A spill begins at 80 % of the buffer, and each record takes 16 bytes of metadata in it. */
    private static final double BUFFER_PER_INPUT = 1.2 / 0.8;

    private StockTuning() {}

    static Map<String, String> properties(final long bytesPerMap) {
        final long wanted = (long) Math.ceil(bytesPerMap * BUFFER_PER_INPUT / (1 << 20));
        final long sortMb = Math.max(LEAST_SORT_MB, Math.min(MOST_SORT_MB, wanted));
        return Map.of(
                "mapreduce.task.io.sort.mb",
                Long.toString(sortMb),
                "mapreduce.task.io.sort.factor",
                "100");
    }
}
