// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.report;

import io.spillway.cli.report.LinePlot.Line;
import io.spillway.cli.report.LinePlot.Point;
import io.spillway.cli.report.LinePlot.Style;
import io.spillway.cli.run.ReduceReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How a job's reducers chose between reads of map outputs on the shared file system and fetches
 * from nodes.
 */
public final class Ways {
    private static final String FIGURES = "sharedfs";
    private static final String BEGAN = "sharedfs_began";
    private static final String SLICE = "sharedfs_slice_millis";
    private static final List<String> COUNTS =
            List.of("switches", "probes", "opens", "reads", "late", "failures", "not_there");
    private static final double MIB = 1 << 20;
    private static final long SECOND = TimeUnit.SECONDS.toMillis(1);

    /** The two ways of map outputs to reducers. */
    private enum Way {
        SHARED("shared", "read on the shared file system"),
        NODE("node", "fetched from nodes");

        private final String prefix;
        private final String label;

        Way(final String prefix, final String label) {
            this.prefix = prefix;
            this.label = label;
        }

        private String bytes() {
            return prefix + "_bytes";
        }

        private String millis() {
            return prefix + "_millis";
        }

        private String slices() {
            return "sharedfs_slice_" + bytes();
        }
    }

    private Ways() {}

    /**
     * Returns bytes and times of each way over all reducers, and the cost of the choice; empty
     * where no reducer had a choice. A time is the sum over all pieces, many of which were in
     * flight at once.
     */
    static Map<String, Object> describe(final List<ReduceReport> reducers) {
        final Map<String, Object> all = new LinkedHashMap<>();
        if (reducers.stream().noneMatch(report -> report.values().containsKey(FIGURES))) {
            return all;
        }
        for (final Way way : Way.values()) {
            final long bytes = sum(reducers, way.bytes());
            final long millis = sum(reducers, way.millis());
            final Map<String, Object> values = new LinkedHashMap<>();
            values.put("bytes", bytes);
            values.put("millis", millis);
            if (bytes > 0) {
                values.put("millisAMebibyte", Math.round(millis * MIB / bytes * 10) / 10.0);
            }
            all.put(way.label, values);
        }
        COUNTS.forEach(name -> all.put(name, sum(reducers, name)));
        return all;
    }

    private static long sum(final List<ReduceReport> reducers, final String name) {
        long sum = 0;
        for (final ReduceReport report : reducers) {
            if (report.values().get(FIGURES) instanceof Map<?, ?> figures
                    && figures.get(name) instanceof Number number) {
                sum += number.longValue();
            }
        }
        return sum;
    }

    /**
     * Returns the bytes of each way in each second, over all reducers; empty where no reducer had a
     * choice.
     *
     * @param job the name of the job, for the title
     */
    public static Optional<LinePlot> plot(final String job, final List<ReduceReport> reducers) {
        final List<ReduceReport> told =
                reducers.stream().filter(report -> report.number(BEGAN).isPresent()).toList();
        if (told.isEmpty()) {
            return Optional.empty();
        }
        final long began =
                told.stream()
                        .mapToLong(report -> report.number(BEGAN).getAsLong())
                        .min()
                        .getAsLong();
        final List<Line> lines = new ArrayList<>();
        for (final Way way : Way.values()) {
            lines.add(new Line(way.label, lines.size(), Style.SOLID, points(way, began, told)));
        }
        return Optional.of(
                new LinePlot(
                        job + ": how map outputs reached the reducers",
                        "seconds since the first reducer began",
                        "MiB/s of all reducers",
                        lines));
    }

    private static List<Point> points(
            final Way way, final long began, final List<ReduceReport> reducers) {
        final List<Double> bytes = new ArrayList<>(List.of(0.0));
        for (final ReduceReport report : reducers) {
            final long first = report.number(BEGAN).getAsLong() - began;
            final long slice = report.number(SLICE).orElse(SECOND);
            final List<?> values =
                    report.values().get(way.slices()) instanceof List<?> list ? list : List.of();
            for (int i = 0; i < values.size(); i++) {
                if (values.get(i) instanceof Number number) {
                    spread(bytes, first + i * slice, slice, number.doubleValue());
                }
            }
        }
        final List<Point> points = new ArrayList<>();
        for (int second = 0; second < bytes.size(); second++) {
            points.add(new Point(second, bytes.get(second) / MIB));
        }
        return points;
    }

    /** Spreads the bytes of a slice over its seconds. */
    private static void spread(
            final List<Double> bytes, final long from, final long slice, final double value) {
        final long end = from + slice;
        for (long at = from; at < end; ) {
            final int second = (int) (at / SECOND);
            final long next = Math.min(end, (second + 1) * SECOND);
            while (bytes.size() <= second) {
                bytes.add(0.0);
            }
            bytes.set(second, bytes.get(second) + value * (next - at) / slice);
            at = next;
        }
    }
}
