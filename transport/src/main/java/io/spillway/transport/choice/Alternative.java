// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.transport.Transport;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;

/**
 * Another transport, made when it is first needed: no native code is loaded before. What keeps this
 * host from using it is found out once. Thread-safe.
 */
final class Alternative implements AutoCloseable {
    private final TransportProvider provider;
    private final Function<String, String> settings;
    private Transport transport;
    private String obstacle;
    private boolean closed;

    Alternative(final TransportProvider provider, final Function<String, String> settings) {
        this.provider = provider;
        this.settings = settings;
    }

    /** Why it cannot be used here; nothing where it can. The first call may take a while. */
    synchronized Optional<String> obstacle() {
        if (transport == null && obstacle == null) {
            start();
        }
        return Optional.ofNullable(obstacle);
    }

    private void start() {
        if (closed) {
            obstacle = "the transport is closed";
            return;
        }
        try {
            obstacle = provider.obstacle(settings).orElse(null);
            if (obstacle == null) {
                transport = provider.newTransport(settings);
            }
        } catch (final IOException | RuntimeException | LinkageError e) {
            obstacle = e.toString();
        }
    }

    /** The transport; only where there is no {@link #obstacle}. */
    synchronized Transport transport() {
        return transport;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (transport != null) {
            transport.close();
        }
    }
}
