// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.ifile.RecordCursor;
import java.util.Comparator;
import java.util.List;

/**
 * A cursor of the last merge and its place in the order of the maps, which decides among equal
 * keys.
 *
 * @param place the number of the first fetch that its records came by
 */
public record PlacedCursor(int place, RecordCursor cursor) {
    /** The cursors in the order of the maps; those of one place stay in the order given. */
    public static List<RecordCursor> inMapOrder(final List<PlacedCursor> cursors) {
        return cursors.stream()
                .sorted(Comparator.comparingInt(PlacedCursor::place))
                .map(PlacedCursor::cursor)
                .toList();
    }
}
