// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of a file that a map writes beside its output: a magic number of eight bytes, a header
 * of numbers, the numbers that the file is for, and the CRC32C of all that. All but the magic have
 * four bytes; all are big-endian.
 */
final class SealedFile {
    private final String name;

    /**
     * Of a file.
     *
     * @param name what it is, for messages
     */
    SealedFile(final String name) {
        this.name = name;
    }

    /** Writes a file; does not close {@code out}. */
    static void write(
            final OutputStream out, final long magic, final int[] header, final int[] numbers)
            throws IOException {
        final ByteBuffer encoded =
                ByteBuffer.allocate(
                        Long.BYTES + (header.length + numbers.length + 1) * Integer.BYTES);
        encoded.putLong(magic);
        encoded.position(put(encoded, put(encoded, Long.BYTES, header), numbers));
        encoded.putInt(checksumOf(encoded.array(), encoded.position()));
        out.write(encoded.array());
    }

    private static int put(final ByteBuffer encoded, final int at, final int[] numbers) {
        encoded.position(at).asIntBuffer().put(numbers);
        return at + numbers.length * Integer.BYTES;
    }

    private static int checksumOf(final byte[] bytes, final int length) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    /**
     * Checks the magic and the checksum of a whole file.
     *
     * @param headerLength the bytes in front of the numbers
     * @return the file without its checksum
     * @throws IOException where one is wrong
     */
    ByteBuffer check(final byte[] encoded, final long magic, final int headerLength)
            throws IOException {
        final ByteBuffer in = ByteBuffer.wrap(encoded);
        final int end = encoded.length - Integer.BYTES;
        if (end < headerLength || in.getLong(0) != magic) {
            throw corrupt("length", encoded.length, "magic and at least " + (headerLength + 4));
        }
        final int checksum = checksumOf(encoded, end);
        if (in.getInt(end) != checksum) {
            throw corrupt("checksum", in.getInt(end), "" + checksum);
        }
        return in.limit(end);
    }

    /** Insists on a number in the header. */
    void require(final String field, final int found, final int expected) throws IOException {
        if (found != expected) {
            throw corrupt(field, found, "" + expected);
        }
    }

    IOException corrupt(final String field, final long value, final String expected) {
        return new IOException(
                "Corrupt " + name + ": " + field + "=" + value + ", expected " + expected);
    }
}
