// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.VInts;
import io.spillway.sort.SortedRecords;

/** Reads a range of sorted records where they lie in the sort buffer. One thread. */
final class RangeCursor extends RecordCursor {
    private static final byte[] END_MARKER = {VInts.END, VInts.END};

    private final SortedRecords records;
    private final int end;
    private int index;

    RangeCursor(final SortedRecords records, final int start, final int end) {
        this.records = records;
        this.index = start;
        this.end = end;
        this.data = records.data();
    }

    /** Goes to the next record once the current one is consumed; each lies whole in the buffer. */
    @Override
    protected boolean ensure(final int count) {
        if (position == limit) {
            step();
        }
        return limit - position >= count;
    }

    private void step() {
        if (index == end) {
            data = END_MARKER;
            position = 0;
            limit = END_MARKER.length;
            return;
        }
        position = records.recordOffset(index);
        limit = position + records.recordLength(index);
        index++;
    }
}
