// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node that behaves as a test says, towards one client after the other. */
final class FakeNode implements AutoCloseable {
    private static final int BACKLOG = 50;

    /** What it does with a connection, which is closed after it. */
    @FunctionalInterface
    interface Behaviour {
        void serve(Peer client) throws Exception;
    }

    private static final Logger LOG = LoggerFactory.getLogger(FakeNode.class);

    private final ServerSocket listener;
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    private final Thread thread;

    FakeNode(final Behaviour behaviour) throws IOException {
        this(0, behaviour);
    }

    FakeNode(final int port, final Behaviour behaviour) throws IOException {
        listener = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
        thread = new Thread(() -> run(behaviour), "fake-node");
        thread.start();
    }

    private void run(final Behaviour behaviour) {
        while (!listener.isClosed()) {
            try (Peer client = new Peer(listener.accept())) {
                behaviour.serve(client);
            } catch (final IOException e) {
                LOG.debug("A connection ended", e);
            } catch (final Exception | AssertionError e) {
                failure.completeExceptionally(e);
            }
        }
    }

    NodeAddress address() {
        return new NodeAddress("127.0.0.1", listener.getLocalPort());
    }

    /** Throws what its behaviour threw, but for lost connections. */
    @Override
    public void close() throws IOException {
        listener.close();
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (failure.isDone()) {
            failure.join();
        }
    }
}
