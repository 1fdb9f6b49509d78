package io.spillway.node.process;

import java.util.List;

/** A plain page of lines and tables. Used by one thread. */
final class HtmlTables {
    private final StringBuilder out = new StringBuilder();

    /** Shows a part of a whole as a bar, and in words to those who do not see it. */
    record Share(long part, long whole) {
        private String html() {
            return "<meter min=\"0\" max=\""
                    + Math.max(1, whole)
                    + "\" value=\""
                    + part
                    + "\"></meter> "
                    + (whole == 0 ? 0 : PERCENT * part / whole)
                    + " %";
        }
    }

    private static final long PERCENT = 100;

    /** Begins a page that a browser loads again every few seconds. */
    HtmlTables(final String title) {
        out.append("<!DOCTYPE html><html><head><meta charset=\"utf-8\">")
                .append("<meta http-equiv=\"refresh\" content=\"5\"><title>")
                .append(escape(title))
                .append("</title></head><body><h1>")
                .append(escape(title))
                .append("</h1>\n");
    }

    void line(final String text) {
        out.append("<p>").append(escape(text)).append("</p>\n");
    }

    /** A table, or nothing where there are no rows. */
    void table(final String title, final List<String> columns, final List<List<Object>> rows) {
        if (rows.isEmpty()) {
            return;
        }
        out.append("<h2>").append(escape(title)).append("</h2>\n<table border=\"1\">");
        row("th", columns);
        rows.forEach(row -> row("td", row));
        out.append("</table>\n");
    }

    private void row(final String tag, final List<?> cells) {
        out.append("<tr>");
        for (final Object cell : cells) {
            out.append('<').append(tag).append('>');
            out.append(cell instanceof Share share ? share.html() : escape(cell.toString()));
            out.append("</").append(tag).append('>');
        }
        out.append("</tr>\n");
    }

    String render() {
        return out + "</body></html>\n";
    }

    private static String escape(final String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
