// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** What one task has done by both ways, and how often it changed. Thread-safe. */
final class WayFigures {
    /** What is counted. */
    enum Figure {
        /** Changes of a host's way. */
        SWITCHES,
        /** Pieces that went the other way to measure it. */
        PROBES,
        /** Outputs opened on the shared file system, or looked for there in vain. */
        OPENS,
        /** Reads, of one piece or of several that lie one behind the other. */
        READS,
        /** Outputs that did not lie on the shared file system. */
        NOT_THERE,
        /** Outputs that could not be opened or read there. */
        FAILURES,
        /** Pieces that were not waited for any longer. */
        LATE,
        /** Bytes that were read. */
        SHARED_BYTES,
        /** Bytes that came from nodes. */
        NODE_BYTES,
        /** The times of all pieces that were read, from request to answer. */
        SHARED_NANOS,
        /** The times of all pieces that came from nodes. */
        NODE_NANOS
    }

    private static final String NANOS = "_nanos";
    private static final String MILLIS = "_millis";

    private final Map<Figure, LongAdder> counts = new EnumMap<>(Figure.class);
    private final WayTimeline timeline =
            new WayTimeline(System::nanoTime, System.currentTimeMillis());

    WayFigures() {
        for (final Figure figure : Figure.values()) {
            counts.put(figure, new LongAdder());
        }
    }

    void count(final Figure figure) {
        add(figure, 1);
    }

    void add(final Figure figure, final long value) {
        counts.get(figure).add(value);
    }

    long get(final Figure figure) {
        return counts.get(figure).sum();
    }

    /** A piece has come. */
    void came(final WayChoice.Way way, final long bytes, final long nanos) {
        final boolean isShared = way == WayChoice.Way.SHARED;
        add(isShared ? Figure.SHARED_BYTES : Figure.NODE_BYTES, bytes);
        add(isShared ? Figure.SHARED_NANOS : Figure.NODE_NANOS, nanos);
        timeline.came(way, bytes);
    }

    void noteIn(final TaskReport report) {
        final Map<String, Long> all = new LinkedHashMap<>();
        for (final Figure figure : Figure.values()) {
            final String name = figure.name().toLowerCase(Locale.ROOT);
            final long value = get(figure);
            if (name.endsWith(NANOS)) {
                all.put(name.replace(NANOS, MILLIS), TimeUnit.NANOSECONDS.toMillis(value));
            } else {
                all.put(name, value);
            }
        }
        report.note("sharedfs", all);
        timeline.noteIn(report);
        report.add(ShuffleCounter.FETCH_SHAREDFS_BYTES, get(Figure.SHARED_BYTES));
        report.add(
                ShuffleCounter.FETCH_SHAREDFS_MILLIS,
                TimeUnit.NANOSECONDS.toMillis(get(Figure.SHARED_NANOS)));
        report.add(ShuffleCounter.FETCH_SHAREDFS_OPENS, get(Figure.OPENS));
        report.add(ShuffleCounter.FETCH_SHAREDFS_SWITCHES, get(Figure.SWITCHES));
        report.add(ShuffleCounter.FETCH_SHAREDFS_PROBES, get(Figure.PROBES));
    }
}
