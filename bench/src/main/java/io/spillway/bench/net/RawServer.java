package io.spillway.bench.net;

import io.spillway.bench.net.data.BenchData;
import io.spillway.thread.DaemonThreads;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.MessageDigest;

/**
 * Answers requests on a plain socket: an offset and a length come, the bytes go out. A thread a
 * connection, blocking calls, nothing else: what sockets of this Java and host can do.
 */
final class RawServer implements AutoCloseable {
    /** Offset and length, both eight bytes. */
    static final int REQUEST_BYTES = 16;

    private final ServerSocketChannel listener;
    private final BenchData data;
    private final byte[] secret;

    /**
     * Listens.
     *
     * @param address of this host
     * @param secret that a client sends first
     */
    RawServer(final SocketAddress address, final BenchData data, final byte[] secret)
            throws IOException {
        this.data = data;
        this.secret = secret.clone();
        listener = ServerSocketChannel.open();
        listener.bind(address);
        daemon("raw-accept", this::accept);
    }

    private static void daemon(final String name, final Runnable task) {
        DaemonThreads.of(name, task).start();
    }

    int port() {
        return listener.socket().getLocalPort();
    }

    private void accept() {
        while (listener.isOpen()) {
            try {
                final SocketChannel socket = listener.accept();
                daemon("raw-serve", () -> serve(socket));
            } catch (final IOException e) {
                return; // closed
            }
        }
    }

    private void serve(final SocketChannel socket) {
        try (socket) {
            noDelay(socket);
            final ByteBuffer proof = read(socket, ByteBuffer.allocate(secret.length));
            if (!MessageDigest.isEqual(proof.array(), secret)) {
                return;
            }
            final ByteBuffer request = ByteBuffer.allocateDirect(REQUEST_BYTES);
            while (true) {
                read(socket, request.clear());
                answer(socket, request.getLong(0), request.getLong(Long.BYTES));
            }
        } catch (final IOException e) {
            // the client has closed, or sent what no client sends: its connection ends
        }
    }

    private void answer(final SocketChannel socket, final long offset, final long length)
            throws IOException {
        if (offset < 0 || length < 1 || length > data.length() || offset > data.length() - length) {
            throw new IOException("offset=" + offset + " length=" + length);
        }
        if (data.isFromMemory()) {
            final ByteBuffer piece = data.piece(offset, (int) length);
            while (piece.hasRemaining()) {
                socket.write(piece);
            }
            return;
        }
        long sent = 0;
        while (sent < length) {
            sent += data.file().transferTo(offset + sent, length - sent, socket);
        }
    }

    /** Fills a buffer. */
    static ByteBuffer read(final SocketChannel socket, final ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (socket.read(buffer) < 0) {
                throw new EOFException("the other side has closed");
            }
        }
        return buffer;
    }

    static void noDelay(final SocketChannel socket) throws IOException {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
