// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.link;

import io.spillway.frame.MalformedFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The messages of one link on its Unix socket, which does not block. What the other side has not
 * taken yet is kept, up to a bound. Used by one thread.
 */
public final class LinkSocket {
    /** Takes messages. */
    @FunctionalInterface
    public interface Receiver {
        /**
         * A message has come.
         *
         * @param inline what follows the header; free again when this returns
         * @throws MalformedFrameException where it should not have come, or not so
         */
        void message(LinkMessage message, ByteBuffer inline) throws MalformedFrameException;
    }

    private static final int BUFFER_BYTES = 64 << 10;

    /** A side that takes nothing while the other one has so much to say is not well. */
    private static final int MAX_WAITING_BYTES = 8 << 20;

    private final SocketChannel socket;
    private final Receiver receiver;
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final Queue<ByteBuffer> waiting = new ArrayDeque<>();
    private int waitingBytes;

    /** Creates the link's socket; it is set not to block, and closed by its owner. */
    public LinkSocket(final SocketChannel socket, final Receiver receiver) {
        this.socket = socket;
        this.receiver = receiver;
    }

    /**
     * Takes what has come.
     *
     * @return false where the other side has ended
     */
    public boolean read() throws IOException, MalformedFrameException {
        int count = socket.read(in);
        while (count > 0) {
            in.flip();
            takeAll();
            in.compact();
            count = socket.read(in);
        }
        return count >= 0;
    }

    private void takeAll() throws MalformedFrameException {
        LinkMessage message = LinkMessage.decode(in);
        while (message != null) {
            final int start = in.position() + LinkMessage.HEADER_LENGTH;
            final int end = start + message.inlineLength();
            in.position(end);
            receiver.message(message, in.slice(start, message.inlineLength()));
            message = LinkMessage.decode(in);
        }
    }

    /**
     * Queues a message; {@link #flush} follows.
     *
     * @param inline what follows the header, its remaining bytes; null for nothing
     * @throws IOException where too much waits already
     */
    public void send(final LinkMessage message, final ByteBuffer inline) throws IOException {
        final int length = LinkMessage.HEADER_LENGTH + message.inlineLength();
        if (!waiting.isEmpty() || out.remaining() < length) {
            flush();
        }
        if (waiting.isEmpty() && out.remaining() >= length) {
            write(message, inline, out);
            return;
        }
        if (waitingBytes + length > MAX_WAITING_BYTES) {
            throw new IOException(
                    "the other side takes nothing, bytes that wait for it=" + waitingBytes);
        }
        final ByteBuffer kept = ByteBuffer.allocate(length);
        write(message, inline, kept);
        waiting.add(kept.flip());
        waitingBytes += length;
    }

    private static void write(
            final LinkMessage message, final ByteBuffer inline, final ByteBuffer target) {
        message.encode(target);
        if (inline != null) {
            target.put(inline);
        }
    }

    /**
     * Hands the system what is queued.
     *
     * @return whether it has taken all of it
     */
    public boolean flush() throws IOException {
        boolean progress = true;
        while (progress && (out.position() > 0 || !waiting.isEmpty())) {
            refill();
            out.flip();
            progress = socket.write(out) > 0;
            out.compact();
        }
        return out.position() == 0 && waiting.isEmpty();
    }

    private void refill() {
        while (!waiting.isEmpty() && waiting.element().remaining() <= out.remaining()) {
            final ByteBuffer next = waiting.remove();
            waitingBytes -= next.remaining();
            out.put(next);
        }
    }
}
