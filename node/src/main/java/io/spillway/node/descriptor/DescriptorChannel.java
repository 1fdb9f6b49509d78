// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.FileDescriptor;
import io.spillway.stream.frame.Outbound;
import io.spillway.thread.DaemonThreads;
import io.spillway.thread.Uninterrupted;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A task's connection to its node. It waits for each answer. Thread-safe. */
final class DescriptorChannel implements Closeable {
    /** The node waits up to 5 s for the lock of its folder, and may have a queue. */
    private static final long ANSWER_SECONDS = 60;

    private static final Path OWN_DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Object END = new Object();

    private final Path socket;
    private final EventLoopGroup loop =
            new EpollEventLoopGroup(1, DaemonThreads.numbered("spillway-descriptors"));
    private final BlockingQueue<Object> inbox = new LinkedBlockingQueue<>();
    private EpollDomainSocketChannel channel;

    private DescriptorChannel(final Path socket) {
        this.socket = socket;
    }

    /**
     * Connects.
     *
     * @param nodeUid the number of the node's user
     * @throws IOException where no process listens, another user's process listens, or Netty's
     *     native library is missing
     */
    static DescriptorChannel connect(final Path socket, final int nodeUid) throws IOException {
        DescriptorMessage.requireLibrary();
        final DescriptorChannel connecting = new DescriptorChannel(socket);
        try {
            connecting.open(nodeUid);
            return connecting;
        } catch (final IOException | RuntimeException | Error e) {
            connecting.close();
            throw e;
        }
    }

    private void open(final int nodeUid) throws IOException {
        final ChannelFuture connected =
                new Bootstrap()
                        .group(loop)
                        .channel(EpollDomainSocketChannel.class)
                        .option(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
                        .handler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(final Channel opened) {
                                        opened.pipeline()
                                                .addLast(DescriptorMessage.cutter())
                                                .addLast(new Inbox());
                                    }
                                })
                        .connect(new DomainSocketAddress(socket.toString()))
                        .awaitUninterruptibly();
        if (!connected.isSuccess()) {
            throw new IOException("cannot connect to " + socket, connected.cause());
        }
        channel = (EpollDomainSocketChannel) connected.channel();
        final int uid = channel.peerCredentials().uid();
        if (uid != nodeUid) {
            throw new IOException(
                    "user " + uid + " listens at " + socket + ", expected user " + nodeUid);
        }
    }

    private final class Inbox extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(final ChannelHandlerContext ctx, final Object message)
                throws IOException {
            if (message instanceof ByteBuf bytes) {
                try {
                    inbox.add(DescriptorMessage.decode(bytes));
                } finally {
                    bytes.release();
                }
            } else {
                inbox.add(message);
            }
        }

        @Override
        public void channelInactive(final ChannelHandlerContext ctx) {
            inbox.add(END);
        }

        @Override
        public void exceptionCaught(final ChannelHandlerContext ctx, final Throwable cause) {
            inbox.add(cause);
            Outbound.close(ctx);
        }
    }

    /**
     * Sends a message and waits for the answer.
     *
     * @throws IOException when the connection has ended, or no answer comes in time
     */
    synchronized DescriptorMessage ask(final DescriptorMessage message) throws IOException {
        Outbound.writeAndFlush(channel, message.encode());
        if (receive() instanceof DescriptorMessage answer) {
            return answer;
        }
        throw ended(null);
    }

    /**
     * Receives a descriptor from the node and opens its file for reading and writing. Java can read
     * and write at a position only in a file that it has opened.
     */
    synchronized RandomAccessFile take() throws IOException {
        channel.config().setReadMode(DomainSocketReadMode.FILE_DESCRIPTORS);
        Outbound.writeAndFlush(channel, DescriptorMessage.of(DescriptorFrame.TAKE).encode());
        if (!(receive() instanceof FileDescriptor passed)) {
            throw ended(null);
        }
        try {
            final Path own = OWN_DESCRIPTORS.resolve(Integer.toString(passed.intValue()));
            return new RandomAccessFile(own.toFile(), "rw");
        } finally {
            passed.close();
            channel.config().setReadMode(DomainSocketReadMode.BYTES);
        }
    }

    private Object receive() throws IOException {
        final Object received =
                Uninterrupted.await(() -> inbox.poll(ANSWER_SECONDS, TimeUnit.SECONDS));
        if (received == END || received instanceof Throwable) {
            inbox.add(received); // later calls end as well
            throw ended(received instanceof Throwable cause ? cause : null);
        }
        if (received == null) {
            close();
            throw new IOException(socket + " has not answered within " + ANSWER_SECONDS + " s");
        }
        return received;
    }

    private IOException ended(final Throwable cause) {
        return new IOException("the connection to " + socket + " has ended", cause);
    }

    @Override
    public void close() {
        if (channel != null) {
            Outbound.close(channel);
        }
        final Future<?> unused = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
}
