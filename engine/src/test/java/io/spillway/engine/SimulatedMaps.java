// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** What the simulations of a reducer have in common: the nodes, the network, and map outputs. */
final class SimulatedMaps {
    static final int NODES = 8;
    static final long LATENCY_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    static final double LINK_BYTES_PER_SECOND = 1.25e9;

    private static final int VALUE_LENGTH = 84;

    private SimulatedMaps() {}

    static SimulatedNodes nodes() {
        return new SimulatedNodes(LATENCY_NANOS, LINK_BYTES_PER_SECOND);
    }

    /**
     * A segment of random keys.
     *
     * @param from the least key, as a fraction of the range of all keys
     * @param width of the segment's own range, as such a fraction
     */
    static TestSegment segment(
            final Random random, final int bytes, final double from, final double width)
            throws IOException {
        final String value = "v".repeat(VALUE_LENGTH);
        final int records = bytes / (VALUE_LENGTH + 15);
        final List<TestSegment.Entry> entries = new ArrayList<>(records);
        for (int i = 0; i < records; i++) {
            final double key = from + width * random.nextDouble();
            entries.add(
                    new TestSegment.Entry(
                            String.format(Locale.ROOT, "%012d", (long) (key * 1e12)), value));
        }
        return TestSegment.of(entries, null);
    }
}
