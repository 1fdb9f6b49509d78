// SPDX-License-Identifier: Apache-2.0
package io.spillway.report;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * One task's shuffle report: its {@link ShuffleCounter}s, which become job counters, and notes,
 * which only the log line holds. Thread-safe.
 */
public final class TaskReport {
    /** Where figures become counters; a task's reporter, in Hadoop. */
    @FunctionalInterface
    public interface CounterSink {
        /** Adds {@code value} to a figure's counter. */
        void add(ShuffleCounter figure, long value);
    }

    private final Map<ShuffleCounter, Long> figures = new EnumMap<>(ShuffleCounter.class);
    private final Map<String, Object> notes = new LinkedHashMap<>();

    /** Adds to a figure. A figure that was never added to is not part of the report. */
    public synchronized void add(final ShuffleCounter figure, final long value) {
        figures.put(figure, get(figure) + value);
    }

    /** The figure's value so far, 0 when it was never added to. */
    public synchronized long get(final ShuffleCounter figure) {
        return figures.getOrDefault(figure, 0L);
    }

    /** Sets a number that only the log line holds. */
    public synchronized void note(final String name, final long value) {
        notes.put(name, value);
    }

    /** Sets a text that only the log line holds. */
    public synchronized void note(final String name, final String value) {
        notes.put(name, value);
    }

    /** Sets a list of numbers that only the log line holds; an empty one is left out. */
    public synchronized void note(final String name, final long[] values) {
        if (values.length > 0) {
            notes.put(name, LongStream.of(values).boxed().toList());
        }
    }

    /** Sets numbers or texts by name that only the log line holds; an empty map is left out. */
    public synchronized void note(final String name, final Map<String, ?> values) {
        if (!values.isEmpty()) {
            notes.put(name, new LinkedHashMap<>(values));
        }
    }

    /**
     * The report as one JSON object on one line: the notes in the order in which they were set,
     * then the figures under their lower-case names.
     */
    public synchronized String toJson() {
        final Map<String, Object> fields = new LinkedHashMap<>(notes);
        for (final Map.Entry<ShuffleCounter, Long> figure : figures.entrySet()) {
            fields.put(figure.getKey().name().toLowerCase(Locale.ROOT), figure.getValue());
        }
        return JsonText.of(fields);
    }

    /** Hands every figure that is not 0 to {@code sink}; its exceptions are the caller's. */
    public synchronized void publish(final CounterSink sink) {
        for (final Map.Entry<ShuffleCounter, Long> figure : figures.entrySet()) {
            if (figure.getValue() != 0) {
                sink.add(figure.getKey(), figure.getValue());
            }
        }
    }
}
