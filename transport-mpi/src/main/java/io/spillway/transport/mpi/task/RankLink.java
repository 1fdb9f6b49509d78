// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.task;

import io.netty.channel.nio.NioEventLoop;
import io.netty.channel.nio.NioTask;
import io.spillway.frame.MalformedFrameException;
import io.spillway.host.OwnUser;
import io.spillway.transport.mpi.channel.MpiAddress;
import io.spillway.transport.mpi.link.LinkMessage;
import io.spillway.transport.mpi.link.LinkMessage.Kind;
import io.spillway.transport.mpi.link.LinkSocket;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task's link to the rank of its host. The second half of the memory that they share is given out
 * here. Used by the event loop, but what says otherwise.
 */
public final class RankLink implements NioTask<SelectableChannel>, LinkSocket.Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(RankLink.class);

    private final NioEventLoop loop;
    private final Path path;
    private final SocketChannel socket;
    private final LinkSocket link;
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private final Map<Integer, TaskChannel> streams = new HashMap<>();
    private final Queue<TaskChannel> waiting = new ArrayDeque<>();
    private SelectionKey key;
    private int interest;
    private boolean flushing;
    private int nextStream;
    private TaskMemory memory;
    private volatile long world;
    private volatile boolean ended;

    private RankLink(final NioEventLoop loop, final Path path, final SocketChannel socket) {
        this.loop = loop;
        this.path = path;
        this.socket = socket;
        this.link = new LinkSocket(socket, this);
    }

    // ---- any thread ----------------------------------------------------------------------------

    /**
     * Connects to the rank.
     *
     * @param loop the thread of the link, and of its streams
     * @param path the socket of the rank
     * @throws IOException where none listens, it takes no more tasks, or does not answer in time
     */
    public static RankLink connect(
            final NioEventLoop loop, final Path path, final long timeoutMillis) throws IOException {
        final SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
        final RankLink link = new RankLink(loop, path, socket);
        try {
            socket.connect(UnixDomainSocketAddress.of(path));
            OwnUser.requirePeer(socket);
            socket.configureBlocking(false);
            loop.register(socket, SelectionKey.OP_READ, link);
            loop.execute(link::hello);
            link.await(timeoutMillis);
            return link;
        } catch (final IOException e) {
            socket.close();
            throw new IOException("the rank of this host at " + path + ": " + e.getMessage(), e);
        } catch (final RuntimeException | Error e) {
            socket.close();
            throw e;
        }
    }

    private void await(final long timeoutMillis) throws IOException {
        try {
            begun.get(timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (final ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (final TimeoutException e) {
            throw new IOException("no answer within " + timeoutMillis + " ms", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The number of the rank's world. */
    public long world() {
        return world;
    }

    /** Whether streams can be opened. */
    public boolean isOpen() {
        return !ended;
    }

    /** Ends the link and its streams. */
    public void close() {
        if (!ended) {
            loop.execute(() -> end(new IOException("the transport is closed")));
        }
    }

    // ---- life ----------------------------------------------------------------------------------

    private void hello() {
        send(LinkMessage.of(Kind.HELLO), null);
    }

    private void end(final IOException cause) {
        if (ended) {
            return;
        }
        ended = true;
        begun.completeExceptionally(cause);
        try {
            socket.close();
        } catch (final IOException e) {
            LOG.debug("{} was not closed", path, e);
        }
        List.copyOf(streams.values()).forEach(stream -> stream.lost(cause));
        streams.clear();
        waiting.clear();
    }

    @Override
    public void channelReady(final SelectableChannel channel, final SelectionKey readyKey) {
        key = readyKey;
        try {
            if (key.isWritable()) {
                flush();
            }
            if (!ended && key.isReadable() && !link.read()) {
                end(new IOException("the rank has ended"));
            }
        } catch (final IOException e) {
            end(e);
        } catch (final RuntimeException | Error e) {
            end(new IOException(e.toString(), e));
        }
    }

    @Override
    public void channelUnregistered(final SelectableChannel channel, final Throwable cause) {
        end(new IOException("the transport is closed", cause));
    }

    // ---- sending -------------------------------------------------------------------------------

    void send(final LinkMessage message, final ByteBuffer inline) {
        if (ended) {
            return;
        }
        try {
            link.send(message, inline);
            flushSoon();
        } catch (final IOException e) {
            loop.execute(() -> end(e));
        }
    }

    /** After what is done in this round: more may be sent. */
    private void flushSoon() {
        if (!flushing) {
            flushing = true;
            loop.execute(this::flushNow);
        }
    }

    private void flushNow() {
        flushing = false;
        if (ended) {
            return;
        }
        try {
            flush();
        } catch (final IOException e) {
            end(e);
        }
    }

    private void flush() throws IOException {
        final int wanted =
                link.flush() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
        if (wanted == interest) {
            return;
        }
        interest = wanted;
        if (key == null) {
            loop.register(socket, wanted, this);
        } else {
            key.interestOps(wanted);
        }
    }

    // ---- what the rank says --------------------------------------------------------------------

    @Override
    public void message(final LinkMessage message, final ByteBuffer inline)
            throws MalformedFrameException {
        if (!begun.isDone()) {
            begin(message, inline);
            return;
        }
        switch (message.kind()) {
            case OPENED -> opened(message);
            case DATA -> data(message, inline);
            case FREE -> freed(message);
            case CLOSE -> closed(message);
            default -> throw unexpected(message);
        }
    }

    private static MalformedFrameException unexpected(final LinkMessage message) {
        return new MalformedFrameException(message.kind() + " frame: not expected");
    }

    private void begin(final LinkMessage message, final ByteBuffer inline)
            throws MalformedFrameException {
        if (message.kind() == Kind.BUSY) {
            end(new IOException("it serves as many tasks as it may (spillway.mpi.tasks)"));
            return;
        }
        if (message.kind() != Kind.READY) {
            throw unexpected(message);
        }
        final String file = StandardCharsets.UTF_8.decode(inline).toString();
        try {
            memory = TaskMemory.map(file, message.bulkLength());
        } catch (final IOException e) {
            end(new IOException("its memory " + file + " cannot be mapped: " + e, e));
            return;
        }
        world = message.world();
        begun.complete(null);
    }

    private void opened(final LinkMessage message) {
        final TaskChannel stream = streams.get(message.stream());
        if (stream != null) {
            stream.opened();
        }
    }

    private void data(final LinkMessage message, final ByteBuffer inline)
            throws MalformedFrameException {
        final int length = message.bulkLength();
        final int offset = message.bulkOffset();
        memory.checkArrived(offset, length);
        final TaskChannel stream = streams.get(message.stream());
        if (stream != null && inline.hasRemaining()) {
            stream.arrived(inline);
        }
        if (length == 0) {
            return;
        }
        if (stream == null) {
            send(LinkMessage.free(offset, length), null);
        } else {
            stream.arrived(memory.at(offset, length), offset);
        }
    }

    private void freed(final LinkMessage message) throws MalformedFrameException {
        memory.give(message.bulkOffset(), message.bulkLength());
        for (int i = waiting.size(); i > 0; i--) {
            waiting.remove().roomMayHaveCome();
        }
    }

    private void closed(final LinkMessage message) {
        final TaskChannel stream = streams.remove(message.stream());
        if (stream != null) {
            stream.ended();
        }
    }

    // ---- what streams need ---------------------------------------------------------------------

    /** Begins a stream; returns its number. */
    int add(final TaskChannel stream) throws IOException {
        if (ended) {
            throw new IOException("the rank of this host has ended");
        }
        final int number = nextStream++;
        streams.put(number, stream);
        return number;
    }

    /** A stream ends at this side. */
    void remove(final int number) {
        if (streams.remove(number) != null) {
            send(LinkMessage.of(Kind.CLOSE, number), null);
        }
    }

    void open(final int number, final MpiAddress to) {
        send(LinkMessage.open(number, to.rank(), to.service()), null);
    }

    /** Memory for bytes to be sent; negative where there is none now: the stream is in line. */
    int take(final TaskChannel stream, final int length) {
        final int offset = memory.take(length);
        if (offset < 0) {
            waiting.add(stream);
        }
        return offset;
    }

    /** The memory at a place. */
    ByteBuffer memory(final int offset, final int length) {
        return memory.at(offset, length);
    }
}
