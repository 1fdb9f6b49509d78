// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.util.Objects;

/**
 * Where a node's shuffle port is, as the completion event of a map says. Immutable.
 *
 * @param host host name or address
 * @param port shuffle port
 */
public record NodeAddress(String host, int port) {
    /** Checks the fields. */
    public NodeAddress {
        Objects.requireNonNull(host, "host");
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port=" + port + ", expected 0 to 65535");
        }
    }

    /**
     * Reads what {@link #toString} writes.
     *
     * @throws IllegalArgumentException where there is no port, or it is out of range
     */
    public static NodeAddress parse(final String text) {
        final int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("address=" + text + ", expected HOST:PORT");
        }
        return new NodeAddress(
                text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
