// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.io.IOException;

/**
 * The record being written does not fit the whole empty sort buffer. The caller discards it and
 * spills it alone, as stock does on its {@code MapBufferTooSmallException}.
 */
public final class RecordTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    RecordTooLargeException(final long recordBytes, final int capacityBytes) {
        super(
                "recordBytes="
                        + recordBytes
                        + " and more, expected to fit the sort buffer of "
                        + capacityBytes
                        + " bytes (mapreduce.task.io.sort.mb)");
    }
}
