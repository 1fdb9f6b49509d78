// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import org.apache.hadoop.io.RawComparator;

/** The order of a comparator of which nothing is known. As thread-safe as the comparator. */
final class ComparatorOrder implements KeyOrder {
    private final RawComparator<?> comparator;

    ComparatorOrder(final RawComparator<?> comparator) {
        this.comparator = comparator;
    }

    @Override
    public int compare(
            final byte[] a,
            final int aStart,
            final int aLength,
            final byte[] b,
            final int bStart,
            final int bLength) {
        return comparator.compare(a, aStart, aLength, b, bStart, bLength);
    }

    @Override
    public Strength strength() {
        return Strength.NONE;
    }

    @Override
    public long prefix(final byte[] buffer, final int start, final int length) {
        return 0;
    }

    @Override
    public long chunk(final byte[] buffer, final int start, final int length, final int depth) {
        throw new UnsupportedOperationException("chunk: no byte order is known");
    }

    @Override
    public int contentLength(final byte[] buffer, final int start, final int length) {
        throw new UnsupportedOperationException("contentLength: no byte order is known");
    }
}
