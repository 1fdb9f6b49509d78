// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;

/** TLS of connections to shuffle ports, as a framework sets it up. Thread-safe. */
public interface ClientTls extends AutoCloseable {
    /** The client's side of one connection. */
    SSLEngine newEngine();

    /**
     * Whether the certificate of a connection is the host's.
     *
     * @param host as the connection was asked for
     */
    boolean isOf(String host, SSLSession session);

    @Override
    void close();
}
