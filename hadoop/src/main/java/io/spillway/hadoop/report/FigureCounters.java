// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.report;

import io.spillway.report.ShuffleCounter;
import java.util.Locale;
import java.util.Optional;

/**
 * Names the job counters that hold the figures of the shuffle report.
 *
 * <p>They are counters of Hadoop's group of file systems, each of a scheme of its own, as {@code
 * SPILLWAY-SPILL-MEMORY-BYTES_BYTES_WRITTEN}. Hadoop sums them over tasks and keeps them in the
 * history as all counters, but does not count this group for {@code mapreduce.job.counters.max} and
 * {@code mapreduce.job.counters.groups.max}. That matters at the end of a job: the application
 * master then unites the counters of maps and reducers, of which no task can know, and a union
 * beyond the limit ends the application master. Hadoop allows 100 schemes in this group.
 *
 * <p>Hadoop's names are texts here. The command reads them in a job's history, and its class path
 * has no Hadoop.
 */
public final class FigureCounters {
    /** The name of Hadoop's group. */
    public static final String GROUP = "org.apache.hadoop.mapreduce.FileSystemCounter";

    private static final String BYTES_WRITTEN = "BYTES_WRITTEN";
    private static final String WRITE_OPS = "WRITE_OPS";

    private static final String PREFIX = "SPILLWAY-";
    private static final String BYTES = "_BYTES";

    /** Ends the scheme in the name of a counter of this group; so a scheme holds none. */
    private static final char SCHEME_END = '_';

    private static final char SCHEME_SEPARATOR = '-';

    private FigureCounters() {}

    /** The name of a figure's counter in {@link #GROUP}. */
    public static String nameOf(final ShuffleCounter figure) {
        final String scheme = PREFIX + figure.name().replace(SCHEME_END, SCHEME_SEPARATOR);
        final String kind = figure.name().endsWith(BYTES) ? BYTES_WRITTEN : WRITE_OPS;
        return scheme + SCHEME_END + kind;
    }

    /**
     * The name of the figure that a counter of {@link #GROUP} holds, also of a figure that another
     * version of Spillway has; empty where it is a counter of a file system.
     */
    public static Optional<String> figureOf(final String counterName) {
        final int end = counterName.indexOf(SCHEME_END);
        if (end < 0 || !counterName.toUpperCase(Locale.ROOT).startsWith(PREFIX)) {
            return Optional.empty();
        }
        return Optional.of(
                counterName.substring(PREFIX.length(), end).replace(SCHEME_SEPARATOR, SCHEME_END));
    }
}
