// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.proxy;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.mpi.channel.PieceSizes;
import io.spillway.transport.mpi.library.MpiException;
import io.spillway.transport.mpi.library.SharedMemory;
import io.spillway.transport.mpi.link.Blocks;
import io.spillway.transport.mpi.link.LinkMessage;
import io.spillway.transport.mpi.link.LinkMessage.Kind;
import io.spillway.transport.mpi.link.LinkSocket;
import io.spillway.transport.mpi.world.RankLoop;
import io.spillway.transport.mpi.world.StreamEnd;
import io.spillway.transport.mpi.world.World;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to one task: its streams, and the memory that it shares. The first half of the memory is
 * for what arrives, and given out here; the second half is the task's, for what it sends. Used by
 * the rank's thread.
 */
final class TaskSession implements RankLoop.Ready, LinkSocket.Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(TaskSession.class);
    private static final int MAX_STREAMS = 16 << 10;

    private enum State {
        HELLO,
        READY,
        ENDED
    }

    private final TaskDoor door;
    private final World world;
    private final SocketChannel socket;
    private final LinkSocket link;
    private final Map<Integer, ProxiedStream> streams = new HashMap<>();
    private final Set<ProxiedStream> waiting = new LinkedHashSet<>();
    private State state = State.HELLO;
    private boolean hasPlace;
    private SelectionKey key;
    private SharedMemory memory;
    private ByteBuffer bytes;
    private Blocks incoming;
    private boolean flushing;

    /** Requests of MPI that read or write the memory. */
    private int uses;

    TaskSession(final TaskDoor door, final World world, final SocketChannel socket) {
        this.door = door;
        this.world = world;
        this.socket = socket;
        this.link = new LinkSocket(socket, this);
    }

    /** Begins to read; a task without a place learns that the rank is busy. */
    void begin(final boolean place) throws IOException {
        hasPlace = place;
        key = socket.register(world.loop().selector(), SelectionKey.OP_READ, this);
    }

    // ---- the end -------------------------------------------------------------------------------

    void end(final String reason) {
        if (state == State.ENDED) {
            return;
        }
        LOG.debug("The link to a task ends: {}", reason);
        state = State.ENDED;
        List.copyOf(streams.values()).forEach(StreamEnd::leave);
        streams.clear();
        waiting.clear();
        door.forget(this);
        key.cancel();
        try {
            socket.close();
        } catch (final IOException e) {
            LOG.debug("The socket of a task was not closed", e);
        }
        freeMemory();
    }

    /** MPI may still use it. */
    private void freeMemory() {
        if (state == State.ENDED && uses == 0 && memory != null) {
            memory.close();
            memory = null;
            bytes = null;
        }
    }

    // ---- the socket ----------------------------------------------------------------------------

    @Override
    public void ready(final SelectionKey ignored) {
        try {
            if (key.isWritable()) {
                flush();
            }
            if (state != State.ENDED && key.isReadable() && !link.read()) {
                end("it has closed");
            }
        } catch (final MalformedFrameException e) {
            door.warnings().warn("Ending the link to a task: " + e.getMessage());
            end(e.getMessage());
        } catch (final IOException e) {
            end(e.toString());
        } catch (final RuntimeException | Error e) {
            LOG.error("Serving a task failed", e);
            end(e.toString());
        }
    }

    void send(final LinkMessage message, final ByteBuffer inline) {
        if (state == State.ENDED) {
            return;
        }
        try {
            link.send(message, inline);
            flushSoon();
        } catch (final IOException e) {
            door.warnings().warn("Ending the link to a task: " + e.getMessage());
            world.loop().execute(() -> end(e.getMessage()));
        }
    }

    /** After what is done in this round: more may be sent. */
    private void flushSoon() {
        if (!flushing) {
            flushing = true;
            world.loop().execute(this::flushNow);
        }
    }

    private void flushNow() {
        flushing = false;
        if (state == State.ENDED) {
            return;
        }
        try {
            flush();
        } catch (final IOException e) {
            end(e.toString());
        }
    }

    private void flush() throws IOException {
        final int wanted =
                link.flush() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
        if (key.interestOps() != wanted) {
            key.interestOps(wanted);
        }
    }

    // ---- what the task says --------------------------------------------------------------------

    @Override
    public void message(final LinkMessage message, final ByteBuffer inline)
            throws MalformedFrameException {
        if (state == State.ENDED) {
            return;
        }
        if (state == State.HELLO) {
            hello(message);
            return;
        }
        switch (message.kind()) {
            case OPEN -> open(message);
            case DATA -> data(message, inline);
            case FREE -> free(message);
            case CLOSE -> close(message);
            default -> throw unexpected(message);
        }
    }

    private MalformedFrameException unexpected(final LinkMessage message) {
        return new MalformedFrameException(message.kind() + " frame: not expected in " + state);
    }

    private void hello(final LinkMessage message) throws MalformedFrameException {
        if (message.kind() != Kind.HELLO) {
            throw unexpected(message);
        }
        if (!hasPlace) {
            send(LinkMessage.of(Kind.BUSY), null);
            return;
        }
        try {
            memory = SharedMemory.create("spillway-mpi-task", door.taskBytes());
        } catch (final IOException e) {
            door.warnings().warn("No memory to share with a task: " + e.getMessage());
            end(e.getMessage());
            return;
        }
        bytes = memory.bytes();
        incoming = new Blocks(0, half());
        state = State.READY;
        final byte[] path = memory.path().getBytes(StandardCharsets.UTF_8);
        send(
                LinkMessage.ready(
                        world.id(), world.rank(), world.size(), door.taskBytes(), path.length),
                ByteBuffer.wrap(path));
    }

    private int half() {
        return door.taskBytes() / 2;
    }

    private void open(final LinkMessage message) throws MalformedFrameException {
        MalformedFrameException.require(Kind.OPEN, "rank", message.first(), 0, world.size() - 1);
        MalformedFrameException.require(Kind.OPEN, "streams", streams.size(), 0, MAX_STREAMS - 1);
        if (streams.containsKey(message.stream())) {
            throw MalformedFrameException.of(
                    Kind.OPEN, "stream", message.stream(), "one that is not open");
        }
        final ProxiedStream stream =
                new ProxiedStream(this, world.streams(), message.stream(), message.first());
        streams.put(message.stream(), stream);
        try {
            stream.open(message.second());
        } catch (final MpiException e) {
            stream.onBroken(e);
        }
    }

    private void data(final LinkMessage message, final ByteBuffer inline)
            throws MalformedFrameException {
        final int length = message.bulkLength();
        if (length != 0) {
            MalformedFrameException.require(
                    Kind.DATA, "bytes in memory", length, 1, PieceSizes.MAX_BULK);
            MalformedFrameException.require(
                    Kind.DATA,
                    "offset in memory",
                    message.bulkOffset(),
                    half(),
                    door.taskBytes() - length);
        }
        final ProxiedStream stream = streams.get(message.stream());
        if (stream == null || !stream.isOpen()) {
            // It has ended while this was on its way.
            freed(message.bulkOffset(), length);
            return;
        }
        stream.send(inline, message.bulkOffset(), length);
    }

    /** What the task has sent from there has left. */
    void freed(final int offset, final int length) {
        if (length > 0) {
            send(LinkMessage.free(offset, length), null);
        }
    }

    private void free(final LinkMessage message) throws MalformedFrameException {
        if (!incoming.give(message.bulkOffset(), message.bulkLength())) {
            throw MalformedFrameException.of(
                    Kind.FREE,
                    "offset",
                    message.bulkOffset(),
                    "one that is taken, with length=" + message.bulkLength());
        }
        hasRoom();
    }

    private void hasRoom() {
        for (final ProxiedStream stream : List.copyOf(waiting)) {
            waiting.remove(stream);
            stream.roomMayHaveCome();
        }
    }

    private void close(final LinkMessage message) {
        final ProxiedStream stream = streams.remove(message.stream());
        if (stream != null) {
            waiting.remove(stream);
            stream.leave();
        }
    }

    // ---- what streams need ---------------------------------------------------------------------

    /** The end of a stream is no more. */
    void ended(final ProxiedStream stream) {
        if (streams.remove(stream.number(), stream)) {
            waiting.remove(stream);
            send(LinkMessage.of(Kind.CLOSE, stream.number()), null);
        }
    }

    /** The memory shared with the task. */
    ByteBuffer bytes() {
        return bytes;
    }

    void useBegins() {
        uses++;
    }

    void useEnds() {
        uses--;
        freeMemory();
    }

    /** Memory for bytes that arrive; negative where there is none now: the stream is in line. */
    int take(final ProxiedStream stream, final int length) {
        final int offset = incoming.take(length);
        if (offset < 0) {
            waiting.add(stream);
        }
        return offset;
    }

    /** Takes back memory whose bytes have not arrived, or are of a stream that has ended. */
    void give(final int offset, final int length) {
        if (state != State.ENDED && incoming.give(offset, length)) {
            world.loop().execute(this::hasRoom);
        }
    }
}
