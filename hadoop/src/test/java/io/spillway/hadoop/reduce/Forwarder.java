// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A port behind which there is one server after another, as while a NodeManager starts. */
final class Forwarder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile NodeAddress target;

    Forwarder(final NodeAddress target) throws IOException {
        this.target = target;
        threads.execute(this::accept);
    }

    NodeAddress address() {
        return new NodeAddress("127.0.0.1", listener.getLocalPort());
    }

    /** Leads connections that are made from now on to another server; breaks the others. */
    void leadTo(final NodeAddress next) throws IOException {
        target = next;
        for (final Socket socket : sockets) {
            socket.close();
        }
    }

    private void accept() {
        try {
            while (!listener.isClosed()) {
                final Socket client = listener.accept();
                final Socket server = new Socket(target.host(), target.port());
                sockets.add(client);
                sockets.add(server);
                threads.execute(() -> copy(client, server));
                threads.execute(() -> copy(server, client));
            }
        } catch (final IOException e) {
            LOG.debug("No more connections", e);
        }
    }

    private static void copy(final Socket from, final Socket to) {
        try (from;
                to;
                InputStream in = from.getInputStream()) {
            in.transferTo(to.getOutputStream());
        } catch (final IOException e) {
            LOG.debug("One end is gone, and so is the other now", e);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        leadTo(target);
        threads.shutdownNow();
    }
}
