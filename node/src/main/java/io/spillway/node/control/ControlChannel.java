// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.version.VersionRange;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * One end of a control connection. All its frames are of one version of the protocol. The side that
 * connects begins with the newest that it speaks, and the node answers in the same. A node that
 * does not speak it refuses it in a version of its own: the other side then connects again, with
 * that one. One thread sends and receives; {@link #wakeup} and {@link #close} may be called by any.
 */
public final class ControlChannel implements AutoCloseable {
    private static final int READ_BYTES = 8 << 10;

    private final SocketChannel socket;
    private final VersionRange spoken;
    private final Selector selector;
    private final SelectionKey key;
    private final ByteBuffer input = ByteBuffer.allocate(READ_BYTES).limit(0);
    private FrameHeader<ControlFrameType> header;
    private ByteBuffer body;

    /** Of the first frame that has come; 0 until then. */
    private int version;

    private ControlChannel(
            final SocketChannel socket, final VersionRange spoken, final Selector selector)
            throws IOException {
        this.socket = socket;
        this.spoken = spoken;
        this.selector = selector;
        this.key = socket.register(selector, SelectionKey.OP_READ);
    }

    /**
     * Takes over a connection; it is closed when this fails.
     *
     * @param spoken the versions that this side speaks
     */
    public static ControlChannel of(final SocketChannel socket, final VersionRange spoken)
            throws IOException {
        Selector selector = null;
        try {
            socket.configureBlocking(false);
            selector = Selector.open();
            return new ControlChannel(socket, spoken, selector);
        } catch (final IOException | RuntimeException e) {
            if (selector != null) {
                selector.close();
            }
            socket.close();
            throw e;
        }
    }

    /** The version of the connection's frames; until one has come, the newest that is spoken. */
    int version() {
        return version == 0 ? spoken.newest() : version;
    }

    /** Whether the peer has answered in an older version than the newest that this side speaks. */
    boolean isOlderPeer() {
        return version() < spoken.newest();
    }

    /**
     * Sends a whole frame, in the connection's version: so far all have the same layouts.
     *
     * @throws InterruptedIOException when the peer does not take it in time
     */
    public void send(final ByteBuffer frame, final long timeoutMillis) throws IOException {
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        frame.put(frame.position() + FrameHeader.VERSION_OFFSET, (byte) version());
        while (frame.hasRemaining()) {
            if (socket.write(frame) > 0) {
                continue;
            }
            final long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new InterruptedIOException("it takes no frame for " + timeoutMillis + " ms");
            }
            await(SelectionKey.OP_WRITE, left);
        }
    }

    /**
     * Receives a frame.
     *
     * @return null when none came in time, or {@link #wakeup} was called
     * @throws EOFException when the peer has closed the connection between frames
     * @throws MalformedFrameException for anything that is no frame
     */
    public ControlFrame receive(final long timeoutMillis) throws IOException {
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        while (true) {
            final ControlFrame frame = parse();
            if (frame != null) {
                return frame;
            }
            final int count = read();
            if (count < 0) {
                throw ended();
            }
            if (count > 0) {
                continue;
            }
            final long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0 || !await(SelectionKey.OP_READ, left)) {
                return null;
            }
        }
    }

    private int read() throws IOException {
        if (body != null && !input.hasRemaining()) {
            return socket.read(body);
        }
        input.compact();
        try {
            return socket.read(input);
        } finally {
            input.flip();
        }
    }

    private ControlFrame parse() throws MalformedFrameException {
        if (header == null) {
            if (input.remaining() < FrameHeader.LENGTH) {
                return null;
            }
            final VersionRange accepted = version == 0 ? spoken : VersionRange.only(version);
            header = ControlFrameType.FRAMES.header(input, accepted);
            version = header.version();
            body = ByteBuffer.allocate(header.bodyLength());
        }
        while (input.hasRemaining() && body.hasRemaining()) {
            final int length = Math.min(input.remaining(), body.remaining());
            body.put(input.slice(input.position(), length));
            input.position(input.position() + length);
        }
        if (body.hasRemaining()) {
            return null;
        }
        final ControlFrame frame = new ControlFrame(header.type(), body.flip());
        header = null;
        body = null;
        return frame;
    }

    private IOException ended() {
        if (header != null) {
            return new MalformedFrameException(
                    "the connection ended within "
                            + header.type()
                            + " frame, after "
                            + body.position()
                            + " of "
                            + header.bodyLength()
                            + " bytes");
        }
        return input.hasRemaining()
                ? new MalformedFrameException("the connection ended within a header")
                : new EOFException("the connection was closed");
    }

    /** Whether there is something to do; not when time is up or someone woke us. */
    private boolean await(final int operation, final long millis) throws IOException {
        try {
            key.interestOps(operation);
            final boolean ready = selector.select(millis) > 0;
            selector.selectedKeys().clear();
            return ready;
        } catch (final ClosedSelectorException | CancelledKeyException e) {
            final IOException closed = new AsynchronousCloseException();
            closed.initCause(e);
            throw closed;
        }
    }

    /** Makes a {@link #receive} that waits, or the next one, return. */
    public void wakeup() {
        selector.wakeup();
    }

    /** Whether this end is not closed. */
    public boolean isOpen() {
        return socket.isOpen();
    }

    /** Closes the connection; idempotent. */
    @Override
    public void close() throws IOException {
        try {
            selector.close();
        } finally {
            socket.close();
        }
    }
}
