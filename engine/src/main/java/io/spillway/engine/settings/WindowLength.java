// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.settings;

import java.util.function.Function;

/**
 * The pieces in which a reducer fetches: the largest power of two between the smallest and the
 * largest window of which the budget holds two for every stream. Everything that maps and reducers
 * have to agree on is computed here, for both.
 */
public final class WindowLength {
    /** Windows a stream needs: one being merged, one being fetched. */
    public static final int WINDOWS = 2;

    /** The smallest window that can be set, and the smallest of all. */
    static final int LEAST = 1 << 10;

    private WindowLength() {}

    /**
     * The memory for windows, in bytes: what is set, but no more than the heap can bear, and no
     * less than the least windows take.
     *
     * @param lookup returns the text of a property, or null where it is not set
     * @param heapBytes of the reducer
     * @param maps of the job
     * @param runsPerMap the most runs that a map leaves its output in
     * @throws io.spillway.conf.InvalidSettingException for a wrong value
     */
    public static long budget(
            final Function<String, String> lookup,
            final long heapBytes,
            final int maps,
            final int runsPerMap) {
        final double percent = EngineKeys.SHUFFLE_BUFFER_PERCENT.get(lookup);
        final long wanted =
                EngineKeys.SHUFFLE_BUFFER_BYTES.get(lookup).orElse((long) (heapBytes * percent));
        final long least = (long) WINDOWS * LEAST * maps * runsPerMap;
        return Math.max(least, Math.min(wanted, (long) (heapBytes * EngineKeys.MOST_OF_HEAP)));
    }

    /**
     * The bytes of a window. Where the budget has no room for windows of the size that is set as
     * the smallest, they are smaller: a task has got less heap than its job's configuration
     * promised, and the maps have already left what only this shuffle can read. A smallest window
     * that is no power of two is rounded up to one; a largest one below it counts as that.
     *
     * @param lookup returns the text of a property, or null where it is not set
     * @param budgetBytes as {@link #budget} gives it
     * @param maps of the job
     * @param runsPerMap the most runs that a map leaves its output in
     * @throws io.spillway.conf.InvalidSettingException for a wrong value
     */
    public static int of(
            final Function<String, String> lookup,
            final long budgetBytes,
            final int maps,
            final int runsPerMap) {
        final long streams = Math.max(1, (long) maps * runsPerMap);
        final long smallest = smallest(lookup);
        final long largest = Math.max(smallest, EngineKeys.SHUFFLE_WINDOW_MAX.get(lookup));
        return (int) Long.highestOneBit(Math.min(budgetBytes / (WINDOWS * streams), largest));
    }

    /** The smallest window that is set, rounded up to a power of two. */
    public static int smallest(final Function<String, String> lookup) {
        return (int) Long.highestOneBit(2 * EngineKeys.SHUFFLE_WINDOW_MIN.get(lookup) - 1);
    }
}
