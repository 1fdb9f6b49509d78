// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

import java.io.IOException;

/** One transport between two processes. Used by one thread. */
record Way(String transport, NetProcess nodeOrNull, NetProcess client) implements AutoCloseable {
    /** Keeps {@code window} requests for {@code bytes} each in flight for so long. */
    Sample fetch(final long bytes, final int window, final long nanos) throws IOException {
        return Sample.parse(client.ask(NetClient.FETCH + " " + bytes + " " + window + " " + nanos));
    }

    /**
     * Puts map outputs.
     *
     * @param piece bytes of a piece
     * @param bytes of all of them
     * @param most bytes that the node is to hold
     */
    Sample put(final long piece, final long bytes, final long most) throws IOException {
        return Sample.parse(client.ask(NetClient.PUT + " " + piece + " " + bytes + " " + most));
    }

    @Override
    public void close() {
        client.close();
        if (nodeOrNull != null) {
            nodeOrNull.close();
        }
    }
}
