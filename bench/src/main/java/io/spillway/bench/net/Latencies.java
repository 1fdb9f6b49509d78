package io.spillway.bench.net;

import java.util.Arrays;

/** Times of single requests; the latest ones where there are very many. Not thread-safe. */
final class Latencies {
    private static final int MOST = 1 << 18;
    private static final double NANOS_PER_MICRO = 1e3;

    private final long[] nanos = new long[MOST];
    private long count;

    void add(final long value) {
        nanos[(int) (count % MOST)] = value;
        count++;
    }

    /** NaN when there is none. */
    double medianMicros() {
        final int known = (int) Math.min(count, MOST);
        if (known == 0) {
            return Double.NaN;
        }
        final long[] sorted = Arrays.copyOf(nanos, known);
        Arrays.sort(sorted);
        return sorted[known / 2] / NANOS_PER_MICRO;
    }
}
