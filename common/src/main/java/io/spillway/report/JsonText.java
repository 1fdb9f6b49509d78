// SPDX-License-Identifier: Apache-2.0
package io.spillway.report;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes maps, lists, texts, numbers, booleans and null as JSON, on one line. */
public final class JsonText {
    private static final char FIRST_PRINTABLE = ' ';

    private JsonText() {}

    /** The text of a value. */
    public static String of(final Object value) {
        final StringBuilder out = new StringBuilder();
        write(out, value);
        return out.toString();
    }

    private static void write(final StringBuilder out, final Object value) {
        if (value instanceof Map<?, ?> map) {
            writeMap(out, map);
        } else if (value instanceof List<?> list) {
            writeList(out, list);
        } else if (value == null || value instanceof Long || value instanceof Integer) {
            out.append(value);
        } else if (value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof Double number && Double.isFinite(number)) {
            out.append(number);
        } else {
            writeText(out, value.toString());
        }
    }

    private static void writeMap(final StringBuilder out, final Map<?, ?> map) {
        out.append('{');
        final Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entries.hasNext()) {
            final Map.Entry<?, ?> entry = entries.next();
            writeText(out, entry.getKey().toString());
            out.append(':');
            write(out, entry.getValue());
            out.append(entries.hasNext() ? "," : "");
        }
        out.append('}');
    }

    private static void writeList(final StringBuilder out, final List<?> list) {
        out.append('[');
        final Iterator<?> values = list.iterator();
        while (values.hasNext()) {
            write(out, values.next());
            out.append(values.hasNext() ? "," : "");
        }
        out.append(']');
    }

    private static void writeText(final StringBuilder out, final String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            final char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < FIRST_PRINTABLE) {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
