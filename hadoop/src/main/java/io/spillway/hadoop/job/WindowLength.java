package io.spillway.hadoop.job;

import io.spillway.conf.SpillwayKeys;
import java.util.function.Function;

/**
 * The pieces in which a reducer fetches: the largest power of two between the smallest and the
 * largest window of which the budget holds two for every stream.
 */
public final class WindowLength {
    /** Windows a stream needs: one being merged, one being fetched. */
    public static final int WINDOWS = 2;

    /**
     * Where maps may leave several runs, the stock shuffle is no way out of a buffer that is larger
     * than the heap can bear.
     */
    private static final double MOST_OF_HEAP = 0.8;

    private WindowLength() {}

    /**
     * The memory for windows, in bytes.
     *
     * @param lookup returns the text of a property, or null where it is not set
     * @param heapBytes of the reducer
     * @param runsPerMap the most runs that a map leaves its output in
     * @throws io.spillway.conf.InvalidSettingException for a wrong value
     */
    public static long budget(
            final Function<String, String> lookup, final long heapBytes, final int runsPerMap) {
        final long bytes = SpillwayKeys.SHUFFLE_BUFFER_BYTES.get(lookup);
        final double percent = SpillwayKeys.SHUFFLE_BUFFER_PERCENT.get(lookup);
        final long wanted = bytes > 0 ? bytes : (long) (heapBytes * percent);
        return runsPerMap == 1 ? wanted : Math.min(wanted, (long) (heapBytes * MOST_OF_HEAP));
    }

    /**
     * The bytes of a window, or 0 when the budget is too small for the smallest one.
     *
     * @param streams the most that are merged at a time
     */
    public static int of(
            final long budgetBytes, final int streams, final long windowMin, final long windowMax) {
        final long share = budgetBytes / ((long) WINDOWS * Math.max(1, streams));
        final long size = Long.highestOneBit(Math.min(share, windowMax));
        return size < windowMin ? 0 : (int) size;
    }
}
