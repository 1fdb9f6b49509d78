// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.util.Objects;

/** Reads the records of a whole decompressed segment in an array, without copying. One thread. */
public final class HeapRecordCursor extends RecordCursor {
    /**
     * Creates a cursor.
     *
     * @param segment holds the segment's content: records and end marker, no checksum
     * @param offset where it starts
     * @param length its length, the index's {@code rawLength}
     */
    public HeapRecordCursor(final byte[] segment, final int offset, final int length) {
        super();
        Objects.checkFromIndexSize(offset, length, segment.length);
        this.data = segment;
        this.position = offset;
        this.limit = offset + length;
    }

    @Override
    protected boolean ensure(final int count) {
        return limit - position >= count;
    }

    @Override
    protected void onEnd() throws IOException {
        if (position != limit) {
            throw new IOException(
                    "Corrupt run: "
                            + (limit - position)
                            + " bytes after the end marker, expected 0");
        }
    }
}
