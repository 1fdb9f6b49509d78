// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

/**
 * Hadoop's variable-length integers on byte arrays, as {@code org.apache.hadoop.io.WritableUtils}
 * writes them: -112 to 127 in one byte, else a first byte of sign and length and 1 to 4 bytes of
 * magnitude, big-endian. Thread-safe.
 */
public final class VInts {
    /** The most bytes of one integer. */
    public static final int MAX_LENGTH = 5;

    /** The most bytes of a record's two lengths. */
    public static final int MAX_HEADER_LENGTH = 2 * MAX_LENGTH;

    /** Both lengths of a segment's end marker. */
    public static final int END = -1;

    /** The bytes of a segment's end marker. */
    public static final int END_MARKER_LENGTH = 2;

    private VInts() {}

    /** The bytes that {@code value} takes. */
    public static int size(final int value) {
        if (value >= -112 && value <= 127) {
            return 1;
        }
        final int magnitude = value < 0 ? ~value : value;
        return 1 + (32 - Integer.numberOfLeadingZeros(magnitude) + 7) / 8;
    }

    /** The bytes of an integer whose first byte is {@code first}, 1 to 9 (a long's length). */
    public static int sizeFromFirstByte(final byte first) {
        if (first >= -112) {
            return 1;
        }
        return first < -120 ? -119 - first : -111 - first;
    }

    /** Reads the integer at {@code offset}; the caller has checked that its bytes are there. */
    public static int read(final byte[] buffer, final int offset) {
        final byte first = buffer[offset];
        if (first >= -112) {
            return first;
        }
        final int size = sizeFromFirstByte(first);
        int value = 0;
        for (int i = 1; i < size; i++) {
            value = (value << 8) | (buffer[offset + i] & 0xFF);
        }
        return first < -120 ? ~value : value;
    }

    /**
     * Writes {@code value} at {@code offset}.
     *
     * @return the offset after it
     */
    public static int write(final byte[] buffer, final int offset, final int value) {
        if (value >= -112 && value <= 127) {
            buffer[offset] = (byte) value;
            return offset + 1;
        }
        final int magnitude = value < 0 ? ~value : value;
        final int bytes = (32 - Integer.numberOfLeadingZeros(magnitude) + 7) / 8;
        buffer[offset] = (byte) ((value < 0 ? -120 : -112) - bytes);
        for (int i = 0; i < bytes; i++) {
            buffer[offset + 1 + i] = (byte) (magnitude >>> (8 * (bytes - 1 - i)));
        }
        return offset + 1 + bytes;
    }
}
