// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import java.util.List;
import java.util.Locale;

/** A page of lines, tables and bars. All text is escaped. Used by one thread. */
final class HtmlTables {
    private static final long PERCENT = 100;
    private static final double KILO = 1e3;
    private static final List<String> UNITS = List.of("kB", "MB", "GB", "TB", "PB");

    private final StringBuilder out = new StringBuilder();

    /** Part of a whole as a bar: what is taken, then what is reserved; with words beside it. */
    record Share(long part, long reserved, long whole) {
        Share(final long part, final long whole) {
            this(part, 0, whole);
        }

        private String html() {
            return bar(shadeOf(part + reserved, whole), this)
                    + escape(percent(part + reserved, whole) + " of " + bytes(whole));
        }
    }

    /** A number, at the right of its column. */
    record Figure(String text) {
        static Figure of(final long number) {
            return new Figure(String.format(Locale.ROOT, "%,d", number));
        }

        static Figure ofBytes(final long bytes) {
            return new Figure(bytes(bytes));
        }
    }

    /** Begins a page that refreshes itself. */
    HtmlTables(final String title) {
        out.append(PageHead.begin(escape(title)));
    }

    void line(final String text) {
        out.append("<p>").append(escape(text)).append("</p>\n");
    }

    void title(final String text) {
        out.append("<h2>").append(escape(text)).append("</h2>\n");
    }

    /** What is escaped already. */
    void html(final String html) {
        out.append(html).append('\n');
    }

    /** A table, or nothing where there are no rows. */
    void table(final String title, final List<String> columns, final List<List<Object>> rows) {
        if (!rows.isEmpty()) {
            title(title);
            rows(columns, rows);
        }
    }

    /** A table that is folded until somebody opens it. */
    void folded(
            final String id,
            final String title,
            final List<String> columns,
            final List<List<Object>> rows) {
        out.append("<details id=\"").append(id).append("\"><summary>");
        out.append(escape(title)).append("</summary>");
        rows(columns, rows);
        out.append("</details>\n");
    }

    private void rows(final List<String> columns, final List<List<Object>> rows) {
        out.append("<table><tr>");
        for (int i = 0; i < columns.size(); i++) {
            final boolean isNumber = !rows.isEmpty() && rows.get(0).get(i) instanceof Figure;
            out.append(isNumber ? "<th class=\"n\">" : "<th>");
            out.append(escape(columns.get(i))).append("</th>");
        }
        out.append("</tr>\n");
        for (final List<Object> row : rows) {
            out.append("<tr>");
            row.forEach(this::cell);
            out.append("</tr>\n");
        }
        out.append("</table>\n");
    }

    private void cell(final Object cell) {
        if (cell instanceof Share share) {
            out.append("<td>").append(share.html());
        } else if (cell instanceof Figure figure) {
            out.append("<td class=\"n\">").append(escape(figure.text()));
        } else {
            out.append("<td>").append(escape(cell.toString()));
        }
        out.append("</td>");
    }

    String render() {
        return out + PageHead.end();
    }

    // ---- parts of pages ------------------------------------------------------------------------

    /** A bar of a colour of {@link PageHead}. */
    static String bar(final String shade, final Share share) {
        return String.format(
                Locale.ROOT,
                "<div class=\"bar %s\"><i style=\"width:%.1f%%\"></i><u style=\"width:%.1f%%\"></u>"
                        + "</div>",
                shade,
                PERCENT * fraction(share.part(), share.whole()),
                PERCENT * fraction(share.reserved(), share.whole()));
    }

    /** The colour of something that is so full. */
    static String shadeOf(final long part, final long whole) {
        final double fill = fraction(part, whole);
        if (fill >= 0.9) {
            return "f3";
        }
        if (fill >= 0.75) {
            return "f2";
        }
        return fill >= 0.5 ? "f1" : "f0";
    }

    static double fraction(final long part, final long whole) {
        return whole <= 0 ? 0 : Math.min(1, (double) part / whole);
    }

    static String percent(final long part, final long whole) {
        return String.format(Locale.ROOT, "%.0f %%", PERCENT * fraction(part, whole));
    }

    /** In units of 1,000, with three digits. */
    static String bytes(final long bytes) {
        if (bytes < KILO) {
            return bytes + " B";
        }
        double value = bytes;
        int unit = -1;
        while (value >= KILO && unit < UNITS.size() - 1) {
            value /= KILO;
            unit++;
        }
        final int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
        return String.format(Locale.ROOT, "%." + decimals + "f %s", value, UNITS.get(unit));
    }

    static String escape(final String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
