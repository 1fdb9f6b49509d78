// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Spill and merge of a job's maps, as the tasks' logs tell: stock says so nowhere else, and our
 * collector writes the same lines. Summed over successful maps, in milliseconds.
 *
 * @param maps how many logs of maps there were
 * @param spillMillis from "Spilling map output" to "Finished spill", before the last record
 * @param flushMillis from the last record to the end of the task: last spill and merge
 * @param eachMillis spill and merge of each map together, in ascending order
 */
public record MapStages(int maps, long spillMillis, long flushMillis, List<Long> eachMillis) {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS", Locale.ROOT);
    private static final int TIME_LENGTH = "2026-01-01 00:00:00,000".length();

    private static final String SPILLING = "Spilling map output";
    private static final String SPILLED = "Finished spill";
    private static final String FLUSHING = "Starting flush of map output";
    private static final String DONE = " is done. And is in the process of committing";

    /** Copies what is mutable. */
    public MapStages {
        eachMillis = List.copyOf(eachMillis);
    }

    /** The mean of a map's spill and merge, in seconds. */
    public double meanSeconds() {
        return maps == 0 ? 0 : (spillMillis + flushMillis) / 1e3 / maps;
    }

    /** Combines the stages of several jobs; empty when there are none. */
    static Optional<MapStages> sum(final List<MapStages> all) {
        return all.stream()
                .reduce(
                        (one, other) ->
                                new MapStages(
                                        one.maps + other.maps,
                                        one.spillMillis + other.spillMillis,
                                        one.flushMillis + other.flushMillis,
                                        Stream.of(one.eachMillis, other.eachMillis)
                                                .flatMap(List::stream)
                                                .sorted()
                                                .toList()));
    }

    /** Reads tasks' logs; nothing when no map of them came to its end. */
    static Optional<MapStages> read(final List<Path> logs) {
        final List<Long> each = new ArrayList<>();
        long spill = 0;
        long flush = 0;
        for (final Path log : logs) {
            final OneMap map = OneMap.read(log);
            if (map.isDone()) {
                each.add(map.spillMillis + map.flushMillis);
                spill += map.spillMillis;
                flush += map.flushMillis;
            }
        }
        Collections.sort(each);
        return each.isEmpty()
                ? Optional.empty()
                : Optional.of(new MapStages(each.size(), spill, flush, each));
    }

    /** What one log tells. */
    private static final class OneMap {
        private long spillMillis;
        private long flushMillis = -1;
        private LocalDateTime spillStart;
        private LocalDateTime flushStart;

        static OneMap read(final Path log) {
            final OneMap map = new OneMap();
            try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
                lines.forEach(map::take);
            } catch (final IOException e) {
                throw new CommandException("cannot read " + log + ": " + e, e);
            }
            return map;
        }

        private void take(final String line) {
            if (line.contains(FLUSHING) && flushStart == null) {
                flushStart = time(line);
            } else if (line.contains(DONE) && flushStart != null) {
                flushMillis = between(flushStart, time(line));
            } else if (flushStart == null && line.contains(SPILLING)) {
                spillStart = time(line);
            } else if (spillStart != null && line.contains(SPILLED)) {
                spillMillis += flushStart == null ? between(spillStart, time(line)) : 0;
                spillStart = null;
            }
        }

        /** A line without a time is the rest of the one before. */
        private static LocalDateTime time(final String line) {
            try {
                return LocalDateTime.parse(
                        line.substring(0, Math.min(TIME_LENGTH, line.length())), TIME);
            } catch (final DateTimeParseException e) {
                return null;
            }
        }

        private static long between(final LocalDateTime start, final LocalDateTime end) {
            return start == null || end == null ? 0 : Duration.between(start, end).toMillis();
        }

        boolean isDone() {
            return flushMillis >= 0;
        }
    }
}
