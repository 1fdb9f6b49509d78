// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;

/** The client's side of TLS, for a host whose certificate names it or not. */
record TestTls(SSLContext context, boolean isNamed) implements ClientTls {
    @Override
    public SSLEngine newEngine() {
        final SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        return engine;
    }

    @Override
    public boolean isOf(final String host, final SSLSession session) {
        return isNamed;
    }

    @Override
    public void close() {
        // Nothing is left to close.
    }
}
