// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.ifile.VInts;
import io.spillway.sort.KeyOrder;

/**
 * Foresees when the merge will have used up a stream: reads the keys of its records as they arrive
 * and extrapolates (Knuth, TAOCP 3, 5.4.6: the run whose last buffered key is smallest empties
 * first). Only record headers and one key a chunk are looked at. Owned by the loop's thread.
 *
 * <p>Bytes that are asked for but have not arrived count too: their last key is estimated from how
 * fast the keys of the bytes before them grew. Without that, all memory would go to one stream
 * until its first answer came.
 */
public final class KeyForecast {
    /** Takes 11 bits off, so that the rest is exact as a double. */
    private static final int INEXACT_BITS = 11;

    private final KeyOrder order;
    private final byte[] header = new byte[VInts.MAX_HEADER_LENGTH];
    private int headerLength;

    /** The bytes of the record at hand that are still to come. */
    private long skip;

    private boolean ended;
    private long scanned;

    private boolean hasKey;
    private double lastKey;
    private long lastKeyAt;
    private double growth;

    private int foundStart;
    private int foundLength;

    /**
     * Creates a forecast of a stream of which nothing is known.
     *
     * @param order one that gives prefixes; those do not use the job's comparator, so that it may
     *     be shared between threads
     */
    KeyForecast(final KeyOrder order) {
        this.order = order;
    }

    /** Looks at the stream's next bytes. Bytes that are no records end the forecast quietly. */
    void scan(final byte[] bytes, final int offset, final int length) {
        final int end = offset + length;
        foundLength = -1;
        int position = offset;
        while (position < end && !ended) {
            position = skip > 0 ? skipTo(position, end) : record(bytes, position, end);
            if (!hasKey) {
                // The stream's first key: with the last one of the same bytes it gives the growth.
                learnFound(bytes, offset);
            }
        }
        learnFound(bytes, offset);
        scanned += length;
    }

    private void learnFound(final byte[] bytes, final int offset) {
        if (foundLength >= 0) {
            learn(order.prefix(bytes, foundStart, foundLength), scanned + foundStart - offset);
        }
    }

    private int skipTo(final int position, final int end) {
        final int count = (int) Math.min(skip, end - position);
        skip -= count;
        return position + count;
    }

    /** Reads a record's header, and notes where its key lies if all of it is here. */
    private int record(final byte[] bytes, final int position, final int end) {
        if (headerLength > 0 || end - position < VInts.MAX_HEADER_LENGTH) {
            return recordWithSplitHeader(bytes, position, end);
        }
        return body(bytes, position, position, end);
    }

    /** Near the border of two chunks headers are put together byte by byte. */
    private int recordWithSplitHeader(final byte[] bytes, final int from, final int end) {
        int position = from;
        while (position < end) {
            header[headerLength++] = bytes[position++];
            if (isHeaderWhole()) {
                headerLength = 0;
                return body(header, 0, position, end);
            }
        }
        return position;
    }

    private boolean isHeaderWhole() {
        final int keySize = VInts.sizeFromFirstByte(header[0]);
        if (keySize > VInts.MAX_LENGTH) {
            ended = true;
            return true;
        }
        if (headerLength <= keySize) {
            return false;
        }
        final int valueSize = VInts.sizeFromFirstByte(header[keySize]);
        ended = valueSize > VInts.MAX_LENGTH;
        return ended || headerLength >= keySize + valueSize;
    }

    /**
     * Goes on after a header.
     *
     * @param in where the header lies, from {@code at} on
     * @param position where the header starts in the chunk, or ends if it lies elsewhere
     */
    private int body(final byte[] in, final int at, final int position, final int end) {
        final int keySize = VInts.sizeFromFirstByte(in[at]);
        if (ended
                || keySize > VInts.MAX_LENGTH
                || VInts.sizeFromFirstByte(in[at + keySize]) > VInts.MAX_LENGTH) {
            ended = true;
            return end;
        }
        final int keyLength = VInts.read(in, at);
        final int valueLength = VInts.read(in, at + keySize);
        if (keyLength < 0 || valueLength < 0) {
            ended = true;
            return end;
        }
        final int headerEnd = keySize + VInts.sizeFromFirstByte(in[at + keySize]);
        final int keyStart = in == header ? position : position + headerEnd;
        if (keyLength <= end - keyStart) {
            foundStart = keyStart;
            foundLength = keyLength;
        }
        skip = (long) keyLength + valueLength;
        return keyStart;
    }

    private void learn(final long prefix, final long at) {
        final double key = prefix >>> INEXACT_BITS;
        if (hasKey && at > lastKeyAt) {
            final double now = (key - lastKey) / (at - lastKeyAt);
            growth = growth == 0 ? now : (growth + now) / 2;
        }
        hasKey = true;
        lastKey = key;
        lastKeyAt = at;
    }

    /** About which key the stream has at {@code bytes} from its beginning. */
    public double keyAt(final long bytes) {
        return lastKey + Math.max(0, bytes - lastKeyAt) * growth;
    }
}
