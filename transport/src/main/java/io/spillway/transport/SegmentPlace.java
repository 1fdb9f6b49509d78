// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

/**
 * Another node that has a segment, as the one that was asked says. Immutable.
 *
 * @param address the port at which that node takes the handshake over tcp; a host of 1 to {@value
 *     #MAX_HOST_LENGTH} printable characters of ASCII, a port of at least 1
 * @param epoch its incarnation when the segment was put there: under another one it was started
 *     since, and may have lost what it kept in memory
 */
public record SegmentPlace(NodeAddress address, long epoch) {
    /** The longest name of a host, in characters: as long as DNS has them. */
    public static final int MAX_HOST_LENGTH = 255;

    /** Checks the fields. */
    public SegmentPlace {
        final String host = address.host();
        if (host.isEmpty()
                || host.length() > MAX_HOST_LENGTH
                || !host.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw new IllegalArgumentException(
                    "host="
                            + host
                            + ", expected 1 to "
                            + MAX_HOST_LENGTH
                            + " printable characters of ASCII");
        }
        if (address.port() < 1) {
            throw new IllegalArgumentException("port=" + address.port() + ", expected 1 to 65535");
        }
    }

    @Override
    public String toString() {
        return address + " (epoch " + epoch + ")";
    }
}
