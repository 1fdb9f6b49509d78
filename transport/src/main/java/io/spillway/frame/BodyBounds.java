// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

/**
 * How many bytes the body of a frame may have, as the sum of its fields. Immutable.
 *
 * @param least the shortest body
 * @param most the longest body
 */
public record BodyBounds(int least, int most) {
    /** Of a frame without a body. */
    public static final BodyBounds EMPTY = new BodyBounds(0, 0);

    /** Fields that always have so many bytes in all. */
    public static BodyBounds of(final int bytes) {
        return EMPTY.plus(bytes, bytes);
    }

    /** A field of variable length, the bytes that say its length included. */
    public BodyBounds plus(final int leastBytes, final int mostBytes) {
        return new BodyBounds(least + leastBytes, most + mostBytes);
    }

    /** A text or a block behind two bytes of length. */
    public BodyBounds plusShort(final int leastBytes, final int mostBytes) {
        return plus(Short.BYTES + leastBytes, Short.BYTES + mostBytes);
    }

    /** A text or a block behind four bytes of length. */
    public BodyBounds plusLong(final int leastBytes, final int mostBytes) {
        return plus(Integer.BYTES + leastBytes, Integer.BYTES + mostBytes);
    }

    /** A list behind four bytes of size. */
    public BodyBounds plusList(final int mostEntries, final BodyBounds entry) {
        return plus(Integer.BYTES, Integer.BYTES + mostEntries * entry.most);
    }

    /** Whether a body may have this length. */
    boolean contains(final int length) {
        return length >= least && length <= most;
    }

    /** Such as {@code 4 to 516}. */
    @Override
    public String toString() {
        return least + " to " + most;
    }
}
