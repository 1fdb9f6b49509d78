// SPDX-License-Identifier: Apache-2.0
package io.spillway.version;

import java.util.OptionalInt;

/**
 * The versions of a protocol that one side speaks: all from the oldest to the newest. Two sides use
 * the newest version that both speak. Immutable.
 *
 * @param oldest 1 to 127
 * @param newest at least the oldest, at most 127
 */
public record VersionRange(int oldest, int newest) {
    /** A header has one byte for a version. */
    public static final int MAX_VERSION = Byte.MAX_VALUE;

    /** Checks the bounds. */
    public VersionRange {
        if (oldest < 1 || newest < oldest || newest > MAX_VERSION) {
            throw new IllegalArgumentException(
                    "versions=" + oldest + " to " + newest + ", expected 1 to " + MAX_VERSION);
        }
    }

    /** One version. */
    public static VersionRange only(final int version) {
        return new VersionRange(version, version);
    }

    /** Whether a version is one of them. */
    public boolean contains(final int version) {
        return version >= oldest && version <= newest;
    }

    /** The one of them that is next to {@code version}. */
    public int nearest(final int version) {
        return Math.max(oldest, Math.min(newest, version));
    }

    /** The newest version that both speak; nothing where there is none. */
    public OptionalInt newestCommon(final VersionRange other) {
        final int version = Math.min(newest, other.newest);
        return version >= Math.max(oldest, other.oldest)
                ? OptionalInt.of(version)
                : OptionalInt.empty();
    }

    /** These versions without those before {@code version}, which is at most the newest. */
    public VersionRange from(final int version) {
        return new VersionRange(Math.max(oldest, version), newest);
    }

    /** Such as {@code 12} or {@code 12 to 13}. */
    @Override
    public String toString() {
        return oldest == newest ? String.valueOf(oldest) : oldest + " to " + newest;
    }
}
