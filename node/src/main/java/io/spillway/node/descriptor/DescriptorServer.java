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
 * Gives tasks of other users descriptors of files in this node's tiers. The kernel names the user
 * of each connection; the task proves that it knows the secret of its job. A task's files last as
 * long as its connection. Committed files last until the job ends. Thread-safe.
 */
public final class DescriptorServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorServer.class);

    private static final int WORKERS = 4;

    /** The most connections of one user: two of each task that a host can run. */
    private static final int MOST_CONNECTIONS = 1024;

    /** The most connections of one user without a proof yet. */
    private static final int MOST_UNPROVED = 128;

    /** The jobs of the node and their users. Thread-safe. */
    public interface Jobs {
        /** Returns a job's shuffle secret; null where the job is unknown. */
        byte[] secretOf(String jobId);

        /** Returns a job's user; null where the job is unknown. */
        String userOf(String jobId);

        /**
         * Returns the number of the system's user that runs the tasks of a user; empty where
         * unknown.
         */
        OptionalInt uidOf(String user);

        /** The folder of a job in a tier. */
        String applicationOf(String jobId);

        /** Whether an attempt belongs to a job. */
        boolean isAttemptOf(String jobId, String attempt);
    }

    /**
     * A tier whose files the server grants.
     *
     * @param files its folder, which this process owns
     * @param reserve bytes to leave free of its file system
     */
    public record LentTier(Supplier<FilePool> files, long reserve, UserQuota quota) {}

    private final Path socket;
    private final Map<String, LentTier> tiers;
    private final Jobs jobs;
    private final LogLimiter warnings = new LogLimiter(LOG);
    private final EventLoopGroup loop =
            new EpollEventLoopGroup(1, DaemonThreads.numbered("spillway-descriptors"));

    /** Runs file operations, which may wait for the folder's lock. */
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
     * Listens at a socket of its own, to which all users can connect.
     *
     * @param node names the node among those of its user on this host
     * @param tiers by their labels
     * @throws IOException where it cannot listen, or Netty's native library is missing
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
                        // Stops reading from a task that does not read its answers.
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

    /** The socket to which tasks connect. */
    public Path socket() {
        return socket;
    }

    Jobs jobs() {
        return jobs;
    }

    LogLimiter warnings() {
        return warnings;
    }

    /** Returns the tier with a label; null where this node has none. */
    LentTier tier(final String label) {
        return tiers.get(label);
    }

    /** Counts a connection of a user; false where the user has too many. */
    synchronized boolean admit(final int uid) {
        final int all = connected.merge(uid, 1, Integer::sum);
        return unproved.merge(uid, 1, Integer::sum) <= MOST_UNPROVED && all <= MOST_CONNECTIONS;
    }

    /** Called when a connection of a user has proved itself, or has ended before that. */
    synchronized void settled(final int uid) {
        countDown(unproved, uid);
    }

    /** Called when a connection of a user has ended. */
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

    /** Counts the connected tasks that have proved themselves. */
    public int tasks() {
        return sessions.size();
    }

    /** Removes an ended job: its tasks get no more files. */
    public void endJob(final String jobId) {
        sessions.stream().filter(session -> session.isOf(jobId)).forEach(DescriptorSession::end);
        tiers.values().forEach(tier -> tier.quota().end(jobId));
    }

    /** Ends all connections, and deletes the uncommitted files of their tasks. */
    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        workers.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        TaskSocket.remove(socket);
    }
}
