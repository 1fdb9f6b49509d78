package io.spillway.report;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One task's shuffle report: its {@link ShuffleFigure}s, which become job counters, and notes,
 * which only the log line holds. Thread-safe.
 */
public final class TaskReport {
    /** Where figures become counters; a task's reporter, in Hadoop. */
    @FunctionalInterface
    public interface CounterSink {
        /** Adds {@code value} to a counter. */
        void add(String group, String name, long value);
    }

    private final Map<ShuffleFigure, Long> figures = new EnumMap<>(ShuffleFigure.class);
    private final Map<String, Object> notes = new LinkedHashMap<>();

    /** Adds to a figure. A figure that was never added to is not part of the report. */
    public synchronized void add(final ShuffleFigure figure, final long value) {
        figures.merge(figure, value, Long::sum);
    }

    /** The figure's value so far, 0 when it was never added to. */
    public synchronized long get(final ShuffleFigure figure) {
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
            notes.put(name, values.clone());
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
        final StringBuilder json = new StringBuilder(256).append('{');
        notes.forEach((name, value) -> appendField(json, name, value));
        figures.forEach(
                (figure, value) ->
                        appendField(json, figure.name().toLowerCase(Locale.ROOT), value));
        return json.append('}').toString();
    }

    /** Hands every figure that is not 0 to {@code sink}; its exceptions are the caller's. */
    public synchronized void publish(final CounterSink sink) {
        figures.forEach(
                (figure, value) -> {
                    if (value != 0) {
                        sink.add(ShuffleFigure.GROUP, figure.name(), value);
                    }
                });
    }

    private static void appendField(
            final StringBuilder json, final String name, final Object value) {
        if (json.length() > 1) {
            json.append(',');
        }
        appendText(json, name);
        json.append(':');
        if (value instanceof Long number) {
            json.append(number.longValue());
        } else if (value instanceof long[] numbers) {
            appendList(json, numbers);
        } else if (value instanceof Map<?, ?> values) {
            appendMap(json, values);
        } else {
            appendText(json, (String) value);
        }
    }

    private static void appendMap(final StringBuilder json, final Map<?, ?> values) {
        final StringBuilder fields = new StringBuilder("{");
        values.forEach((name, value) -> appendField(fields, (String) name, value));
        json.append(fields).append('}');
    }

    private static void appendList(final StringBuilder json, final long[] values) {
        json.append('[');
        for (int i = 0; i < values.length; i++) {
            json.append(i == 0 ? "" : ",").append(values[i]);
        }
        json.append(']');
    }

    private static void appendText(final StringBuilder json, final String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            final char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
