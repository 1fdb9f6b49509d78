// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.descriptor;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.spillway.host.TaskSocket;
import io.spillway.protocol.LogLimiter;
import io.spillway.store.pool.FilePool;
import io.spillway.thread.DaemonThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives tasks of other users descriptors of files in this node's tiers. The kernel says who asks;
 * the task proves that it knows the secret of the job that it asks for. A task's files last as long
 * as its connection, but for those that it has committed: they last until the job ends.
 * Thread-safe.
 */
public final class DescriptorServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorServer.class);

    private static final int WORKERS = 4;

    /** Connections of one user: two of each task that a host can run. */
    private static final int MOST_CONNECTIONS = 1024;

    /** Those of them that have not proved anything yet. */
    private static final int MOST_UNPROVED = 128;

    /** What the server knows of jobs. Thread-safe. */
    public interface Jobs {
        /** A job's shuffle secret; null where the job is not known. */
        byte[] secretOf(String jobId);

        /** A job's user; null where the job is not known. */
        String userOf(String jobId);

        /**
         * The number of the system's user that the tasks of a user run as; nothing where unknown.
         */
        OptionalInt uidOf(String user);

        /** The folder of a job in a tier. */
        String applicationOf(String jobId);

        /** Whether an attempt is one of a job's. */
        boolean isAttemptOf(String jobId, String attempt);
    }

    /**
     * A tier that descriptors are given of.
     *
     * @param files its folder, of which this process is the owner
     * @param reserve bytes to leave free of its file system
     */
    public record LentTier(Supplier<FilePool> files, long reserve, UserQuota quota) {}

    private final Path socket;
    private final Map<String, LentTier> tiers;
    private final Jobs jobs;
    private final LogLimiter warnings = new LogLimiter(LOG);
    private final EventLoopGroup loop =
            new EpollEventLoopGroup(1, DaemonThreads.numbered("spillway-descriptors"));

    /** Makes files, which may wait for the folder's lock. */
    private final EventExecutorGroup workers =
            new DefaultEventExecutorGroup(
                    WORKERS, DaemonThreads.numbered("spillway-descriptor-files"));

    private final Set<DescriptorSession> sessions = ConcurrentHashMap.newKeySet();
    private final Map<Integer, Integer> connected = new HashMap<>();
    private final Map<Integer, Integer> unproved = new HashMap<>();

    private DescriptorServer(
            final Path socket, final Map<String, LentTier> tiers, final Jobs jobs) {
        this.socket = socket;
        this.tiers = Map.copyOf(tiers);
        this.jobs = jobs;
    }

    /**
     * Listens, at a socket of its own that all users may connect to.
     *
     * @param node names the node among those of its user on this host
     * @param tiers by their labels
     * @throws IOException where it cannot listen, or Netty's native library is not there
     */
    public static DescriptorServer start(
            final String node, final Map<String, LentTier> tiers, final Jobs jobs)
            throws IOException {
        DescriptorMessage.requireLibrary();
        final DescriptorServer server = new DescriptorServer(TaskSocket.prepare(node), tiers, jobs);
        try {
            server.listen();
            return server;
        } catch (final IOException e) {
            server.close();
            throw e;
        }
    }

    private void listen() throws IOException {
        final ChannelFuture bound =
                new ServerBootstrap()
                        .group(loop)
                        .channel(EpollServerDomainSocketChannel.class)
                        // A task that takes no answers is not asked for more.
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(final Channel channel) {
                                        begin(channel);
                                    }
                                })
                        .bind(new DomainSocketAddress(socket.toString()))
                        .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException("cannot listen at " + socket, bound.cause());
        }
        TaskSocket.openToAll(socket);
    }

    private void begin(final Channel channel) {
        channel.pipeline()
                .addLast(DescriptorMessage.cutter())
                .addLast(workers, new DescriptorSession(this));
    }

    /** Where tasks connect. */
    public Path socket() {
        return socket;
    }

    Jobs jobs() {
        return jobs;
    }

    LogLimiter warnings() {
        return warnings;
    }

    /** The tier of a label; null where this node has none. */
    LentTier tier(final String label) {
        return tiers.get(label);
    }

    /** Counts a connection of a user; false where the user has too many. */
    synchronized boolean admit(final int uid) {
        final int all = connected.merge(uid, 1, Integer::sum);
        return unproved.merge(uid, 1, Integer::sum) <= MOST_UNPROVED && all <= MOST_CONNECTIONS;
    }

    /** A connection of a user has proved itself, or has ended before. */
    synchronized void settled(final int uid) {
        countDown(unproved, uid);
    }

    /** A connection of a user has ended. */
    synchronized void ended(final int uid) {
        countDown(connected, uid);
    }

    private static void countDown(final Map<Integer, Integer> counts, final int uid) {
        counts.computeIfPresent(uid, (user, count) -> count > 1 ? count - 1 : null);
    }

    void add(final DescriptorSession session) {
        sessions.add(session);
    }

    void remove(final DescriptorSession session) {
        sessions.remove(session);
    }

    /** Tasks that are connected and proved. */
    public int tasks() {
        return sessions.size();
    }

    /** Forgets a job that has ended: its tasks get no more files. */
    public void endJob(final String jobId) {
        sessions.stream().filter(session -> session.isOf(jobId)).forEach(DescriptorSession::end);
        tiers.values().forEach(tier -> tier.quota().end(jobId));
    }

    /** Ends all connections, and what their tasks have not committed. */
    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        workers.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        TaskSocket.remove(socket);
    }
}
