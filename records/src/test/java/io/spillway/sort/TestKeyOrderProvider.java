// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.util.Optional;
import org.apache.hadoop.io.RawComparator;

/** Knows one comparator: keys of one unsigned byte. */
public final class TestKeyOrderProvider implements KeyOrderProvider {
    @Override
    public Optional<KeyOrder> orderOf(final RawComparator<?> comparator) {
        return comparator.getClass() == KnownComparator.class
                ? Optional.of(new OneByteOrder())
                : Optional.empty();
    }

    /** Compares keys of one unsigned byte. */
    static final class KnownComparator implements RawComparator<Byte> {
        @Override
        public int compare(
                final byte[] a,
                final int aStart,
                final int aLength,
                final byte[] b,
                final int bStart,
                final int bLength) {
            return Integer.compare(a[aStart] & 0xFF, b[bStart] & 0xFF);
        }

        @Override
        public int compare(final Byte a, final Byte b) {
            return Integer.compare(a & 0xFF, b & 0xFF);
        }
    }

    private static final class OneByteOrder extends FixedOrder {
        @Override
        public long prefix(final byte[] buffer, final int start, final int length) {
            return buffer[start] & 0xFF;
        }
    }
}
