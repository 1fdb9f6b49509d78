// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Objects;
import org.apache.hadoop.io.BinaryComparable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;

/** Key classes that Hadoop does not know. */
final class TestKeys {
    private TestKeys() {}

    /** Two numbers, ordered by the first and then the second; no raw comparator. */
    public static class PairKey implements WritableComparable<PairKey> {
        private int first;
        private long second;

        /** Sets both numbers. */
        PairKey set(final int newFirst, final long newSecond) {
            this.first = newFirst;
            this.second = newSecond;
            return this;
        }

        /** The primary number. */
        int first() {
            return first;
        }

        @Override
        public void write(final DataOutput out) throws IOException {
            out.writeInt(first);
            out.writeLong(second);
        }

        @Override
        public void readFields(final DataInput in) throws IOException {
            first = in.readInt();
            second = in.readLong();
        }

        @Override
        public int compareTo(final PairKey other) {
            final int order = Integer.compare(first, other.first);
            return order != 0 ? order : Long.compare(second, other.second);
        }

        @Override
        public boolean equals(final Object other) {
            return other instanceof PairKey pair && first == pair.first && second == pair.second;
        }

        @Override
        public int hashCode() {
            return Objects.hash(first, second);
        }

        @Override
        public String toString() {
            return first + "/" + second;
        }
    }

    /** A pair whose registered raw comparator orders by the second number only, descending. */
    public static final class RawPairKey extends PairKey {
        static {
            WritableComparator.define(RawPairKey.class, new Comparator());
        }

        /** Compares bytes; disagrees with {@code compareTo} on purpose: the raw order must win. */
        public static final class Comparator extends WritableComparator {
            Comparator() {
                super(RawPairKey.class);
            }

            @Override
            public int compare(
                    final byte[] b1,
                    final int s1,
                    final int l1,
                    final byte[] b2,
                    final int s2,
                    final int l2) {
                return Long.compare(
                        readLong(b2, s2 + Integer.BYTES), readLong(b1, s1 + Integer.BYTES));
            }

            @Override
            @SuppressWarnings("rawtypes") // the signature is Hadoop's
            public int compare(final WritableComparable a, final WritableComparable b) {
                return Long.compare(((PairKey) b).second, ((PairKey) a).second);
            }
        }
    }

    /** A Text in a class of its own, with Text's order but no registered comparator. */
    public static final class PlainText extends Text {}

    /** A Text that sorts backwards, by {@code compareTo} alone. */
    public static final class BackwardText extends Text {
        @Override
        public int compareTo(final BinaryComparable other) {
            return -super.compareTo(other);
        }
    }
}
