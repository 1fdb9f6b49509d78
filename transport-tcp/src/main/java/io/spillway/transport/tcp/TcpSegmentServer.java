package io.spillway.transport.tcp;

import io.netty.channel.ChannelHandler;
import io.spillway.transport.JobSecrets;
import io.spillway.transport.SegmentSource;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves segments to authenticated clients, on connections that somebody else accepts: {@link
 * #newConnection} makes the handler of one. Thread-safe.
 *
 * <p>Whatever a client sends ends at most its own connection, with one line in the log.
 */
public final class TcpSegmentServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpSegmentServer.class);
    private static final long THREAD_KEEP_ALIVE_SECONDS = 30;

    private final SegmentSource source;
    private final JobSecrets secrets;
    private final ServerSettings settings;
    private final long epoch;
    private final SecureRandom random = new SecureRandom();
    private final LogLimiter warnings = new LogLimiter(LOG);
    private final Set<ServerConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connectionCount = new AtomicInteger();
    private final ThreadPoolExecutor openers;

    /**
     * Creates a server.
     *
     * @param source what to serve
     * @param secrets of the jobs to serve
     * @param settings the limits
     * @param epoch the node's incarnation, another one after each start
     */
    public TcpSegmentServer(
            final SegmentSource source,
            final JobSecrets secrets,
            final ServerSettings settings,
            final long epoch) {
        this.source = Objects.requireNonNull(source, "source");
        this.secrets = Objects.requireNonNull(secrets, "secrets");
        this.settings = Objects.requireNonNull(settings, "settings");
        this.epoch = epoch;
        this.openers = newOpeners(settings.openThreads());
    }

    /** Its queue is bounded by the number of connections: each has at most one task in it. */
    private static ThreadPoolExecutor newOpeners(final int threads) {
        final AtomicInteger number = new AtomicInteger();
        final ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        THREAD_KEEP_ALIVE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        task -> {
                            final Thread thread =
                                    new Thread(task, "spillway-open-" + number.incrementAndGet());
                            thread.setDaemon(true);
                            return thread;
                        });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** The handler of one new connection; its first byte is the first of the magic. */
    public ChannelHandler newConnection() {
        return new ServerConnection(this);
    }

    /** The connections being served. */
    public int connectionCount() {
        return connectionCount.get();
    }

    /** Ends the connections of a job that has ended. */
    public void dropJob(final String jobId) {
        for (final ServerConnection connection : connections) {
            connection.closeIfOf(jobId);
        }
    }

    /** Ends every connection; those made later are refused. */
    @Override
    public void close() {
        openers.shutdown();
        connections.forEach(ServerConnection::close);
    }

    boolean admit(final ServerConnection connection) {
        if (openers.isShutdown()) {
            return false;
        }
        if (connectionCount.incrementAndGet() > settings.maxConnections()) {
            connectionCount.decrementAndGet();
            return false;
        }
        connections.add(connection);
        return true;
    }

    void forget(final ServerConnection connection) {
        if (connections.remove(connection)) {
            connectionCount.decrementAndGet();
        }
    }

    SegmentSource source() {
        return source;
    }

    JobSecrets secrets() {
        return secrets;
    }

    ServerSettings settings() {
        return settings;
    }

    long epoch() {
        return epoch;
    }

    SecureRandom random() {
        return random;
    }

    Executor openers() {
        return openers;
    }

    LogLimiter warnings() {
        return warnings;
    }
}
