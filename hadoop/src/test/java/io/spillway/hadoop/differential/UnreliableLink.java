// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A relay in front of a node that does every connection one mischief. Thread-safe. */
final class UnreliableLink {
    private static final Logger LOG = LoggerFactory.getLogger(UnreliableLink.class);

    private static final int BUFFER = 8 << 10;
    private static final int HANDSHAKE = 1 << 10;
    private static final int FARTHEST = 300 << 10;

    private final ServerSocket listener;
    private final Mischief mischief;
    private final SplittableRandom random = new SplittableRandom(20_170_828);
    private final AtomicInteger done = new AtomicInteger();
    private volatile int target;

    /** What happens to what a node sends. */
    enum Mischief {
        /** The connection breaks, somewhere after the handshake. */
        CUT,
        /** One bit is turned, anywhere. */
        FLIP
    }

    UnreliableLink(final Mischief mischief) throws IOException {
        this.mischief = mischief;
        this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    }

    /** Begins to lead clients to a node. */
    void leadTo(final int port) {
        target = port;
        start("accept", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** How often it was done. */
    int mischiefs() {
        return done.get();
    }

    void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() throws IOException {
        while (!listener.isClosed()) {
            final Socket client = listener.accept();
            final Socket node = new Socket(InetAddress.getLoopbackAddress(), target);
            final int when = mischiefAt();
            start("up", () -> relay(client, node, Integer.MAX_VALUE));
            start("down", () -> relay(node, client, when));
        }
    }

    private synchronized int mischiefAt() {
        return switch (mischief) {
            case CUT -> random.nextInt(HANDSHAKE, FARTHEST);
            case FLIP -> random.nextInt(FARTHEST);
        };
    }

    private void relay(final Socket from, final Socket to, final int mischiefAt)
            throws IOException {
        try (from;
                to) {
            final InputStream in = from.getInputStream();
            final OutputStream out = to.getOutputStream();
            final byte[] buffer = new byte[BUFFER];
            long position = 0;
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                final long offset = mischiefAt - position;
                final boolean now = offset >= 0 && offset < length;
                if (now) {
                    done.incrementAndGet();
                }
                if (now && mischief == Mischief.CUT) {
                    out.write(buffer, 0, (int) offset);
                    return;
                }
                if (now) {
                    buffer[(int) offset] ^= (byte) (1 << position % Byte.SIZE);
                }
                out.write(buffer, 0, length);
                position += length;
            }
        }
    }

    @FunctionalInterface
    private interface Task {
        void run() throws IOException;
    }

    private static void start(final String name, final Task task) {
        final Thread thread =
                new Thread(
                        () -> {
                            try {
                                task.run();
                            } catch (IOException e) {
                                // One end has closed: what a link sees when a connection ends.
                                LOG.trace("A relay ends", e);
                            }
                        },
                        "unreliable-link-" + name);
        thread.setDaemon(true);
        thread.start();
    }
}
