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

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
