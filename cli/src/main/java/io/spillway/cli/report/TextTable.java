// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A table of plain text, its columns as wide as what they hold. The first column is flush left, and
 * so are those of which no cell is a number; the others are flush right. Not thread-safe.
 */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<String> heads;
    private final List<List<String>> rows = new ArrayList<>();

    /** A table with these column heads. */
    public TextTable(final String... heads) {
        this.heads = List.of(heads);
    }

    /** Adds a row of as many cells as there are columns. */
    public TextTable row(final String... cells) {
        return row(List.of(cells));
    }

    /** Adds a row of as many cells as there are columns. */
    public TextTable row(final List<String> cells) {
        if (cells.size() != heads.size()) {
            throw new IllegalArgumentException(
                    "cells=" + cells.size() + ": expected " + heads.size());
        }
        rows.add(List.copyOf(cells));
        return this;
    }

    /** The table's text, a line end after each row. */
    public String render() {
        final StringBuilder text = new StringBuilder();
        append(text, heads);
        append(text, rule());
        rows.forEach(row -> append(text, row));
        return text.toString();
    }

    private List<String> rule() {
        final List<String> rule = new ArrayList<>();
        for (int column = 0; column < heads.size(); column++) {
            rule.add("-".repeat(width(column)));
        }
        return rule;
    }

    private void append(final StringBuilder text, final List<String> cells) {
        final StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.size(); column++) {
            final String cell = cells.get(column);
            final String fill = " ".repeat(width(column) - cell.length());
            line.append(column == 0 ? "" : GAP);
            line.append(isRight(column) ? fill + cell : cell + fill);
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }

    private int width(final int column) {
        int width = heads.get(column).length();
        for (final List<String> row : rows) {
            width = Math.max(width, row.get(column).length());
        }
        return width;
    }

    private boolean isRight(final int column) {
        return column > 0
                && rows.stream().anyMatch(row -> row.get(column).matches("-?[0-9][0-9.,]*.*"))
                && rows.stream().noneMatch(row -> row.get(column).matches("[A-Za-z].*"));
    }
}
