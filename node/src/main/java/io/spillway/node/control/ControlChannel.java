package io.spillway.node.control;

import io.spillway.wire.FrameHeader;
import io.spillway.wire.MalformedFrameException;
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
 * One end of a control connection. One thread sends and receives; {@link #wakeup} and {@link
 * #close} may be called by any.
 */
public final class ControlChannel implements AutoCloseable {
    private static final int READ_BYTES = 8 << 10;

    private final SocketChannel socket;
    private final Selector selector;
    private final SelectionKey key;
    private final ByteBuffer input = ByteBuffer.allocate(READ_BYTES).limit(0);
    private FrameHeader<ControlFrameType> header;
    private ByteBuffer body;

    private ControlChannel(final SocketChannel socket, final Selector selector) throws IOException {
        this.socket = socket;
        this.selector = selector;
        this.key = socket.register(selector, SelectionKey.OP_READ);
    }

    /** Takes over a connection; it is closed when this fails. */
    public static ControlChannel of(final SocketChannel socket) throws IOException {
        Selector selector = null;
        try {
            socket.configureBlocking(false);
            selector = Selector.open();
            return new ControlChannel(socket, selector);
        } catch (final IOException | RuntimeException e) {
            if (selector != null) {
                selector.close();
            }
            socket.close();
            throw e;
        }
    }

    /**
     * Sends a whole frame.
     *
     * @throws InterruptedIOException when the peer does not take it in time
     */
    public void send(final ByteBuffer frame, final long timeoutMillis) throws IOException {
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
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
            header = ControlFrameType.FRAMES.header(input, ControlFrameType.VERSIONS);
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
