package io.spillway.transport.ucx;

import io.spillway.conf.SpillwayKeys;
import io.spillway.protocol.LogLimiter;
import io.spillway.protocol.ServerSettings;
import io.spillway.transport.JobSecrets;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentServer;
import io.spillway.transport.SegmentSource;
import io.spillway.transport.ServerStats;
import io.spillway.wire.MalformedFrameException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpConnectionRequest;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpListener;
import org.openucx.jucx.ucp.UcpListenerParams;
import org.openucx.jucx.ucs.UcsConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves segments over UCX. One thread and one worker for all clients, and a few threads that open
 * and read map outputs. Thread-safe.
 *
 * <p>Closing it ends connections, threads and registered memory, but leaves UCX's listener and
 * worker with some open files behind (see {@link UcxThread#keepWorkerAtEnd}): a process has one
 * server, to its end. UCX 1.13 crashes where a listener goes while somebody connects to it.
 */
public final class UcxSegmentServer implements SegmentServer {
    private static final Logger LOG = LoggerFactory.getLogger(UcxSegmentServer.class);
    private static final long THREAD_KEEP_ALIVE_SECONDS = 30;
    private static final int IDLE_READ_TIMEOUTS = 4;

    /** A client that takes nothing holds at most this part of the registered memory. */
    private static final int CLIENTS_PER_POOL = 4;

    private final SegmentSource source;
    private final JobSecrets secrets;
    private final ServerSettings settings;
    private final long idleTimeoutMillis;
    private final long connectionBytes;
    private final long epoch;
    private final Predicate<InetAddress> sameHost;
    private final SecureRandom random = new SecureRandom();
    private final LogLimiter warnings = new LogLimiter(LOG);
    private final ServerCounters counters = new ServerCounters();
    private final ThreadPoolExecutor readers;
    private final UcxThread thread;
    private final UcpListener listener;
    private final NodeAddress address;

    // Of the thread of UCX.
    private final Map<Long, ServerConnection> byId = new HashMap<>();
    private final Map<Long, ServerConnection> byLink = new HashMap<>();
    private final Queue<UcpConnectionRequest> requests = new ArrayDeque<>();

    /**
     * Starts a server.
     *
     * @param host the address to listen at, and to be reached at
     * @param port 0 for any free one
     * @param source what to serve
     * @param secrets of the jobs to serve
     * @param lookup returns the text of a property, or null where it is not set
     * @param epoch the node's incarnation, another one after each start
     * @throws IOException when UCX cannot be used here, or cannot listen
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public UcxSegmentServer(
            final String host,
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> lookup,
            final long epoch)
            throws IOException {
        this(host, port, source, secrets, lookup, epoch, new SameHost());
    }

    UcxSegmentServer(
            final String host,
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> lookup,
            final long epoch,
            final Predicate<InetAddress> sameHost)
            throws IOException {
        this.source = Objects.requireNonNull(source, "source");
        this.secrets = Objects.requireNonNull(secrets, "secrets");
        this.settings = ServerSettings.from(lookup);
        this.epoch = epoch;
        this.sameHost = sameHost;
        this.idleTimeoutMillis =
                Math.min(
                        settings.idleTimeoutMillis(),
                        IDLE_READ_TIMEOUTS * SpillwayKeys.SHUFFLE_READ_TIMEOUT.get(lookup));
        final UcxSettings ucx = UcxSettings.from(lookup);
        this.connectionBytes =
                Math.min(settings.connectionBytes(), ucx.bufferBytes() / CLIENTS_PER_POOL);
        this.thread = new UcxThread("spillway-ucx-node", ucx);
        this.readers = newReaders(settings.openThreads());
        this.listener = listen(host, port);
        this.address = new NodeAddress(host, listener.getAddress().getPort());
        thread.addWatcher(this::watch);
        thread.keepWorkerAtEnd();
        thread.start(this::stop, () -> {});
    }

    private UcpListener listen(final String host, final int port) throws IOException {
        final InetSocketAddress at = new InetSocketAddress(host, port);
        try {
            if (at.isUnresolved()) {
                throw new IOException("ucx: cannot listen at " + host + ": unknown host");
            }
            thread.worker().setAmRecvHandler(Link.MESSAGE, this::onMessage);
            return thread.worker()
                    .newListener(
                            new UcpListenerParams()
                                    .setSockAddr(at)
                                    .setConnectionHandler(this::onRequest));
        } catch (final UcxException e) {
            thread.discard();
            throw new IOException(
                    "ucx: cannot listen at "
                            + host
                            + ":"
                            + port
                            + " (is the port taken, the address this host's?): "
                            + UcxLibrary.oneLine(e),
                    e);
        } catch (final IOException e) {
            thread.discard();
            throw e;
        }
    }

    /** Its queue is bounded by the requests admitted, of which each has at most one task in it. */
    private static ThreadPoolExecutor newReaders(final int threads) {
        final AtomicInteger number = new AtomicInteger();
        final ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        THREAD_KEEP_ALIVE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        task -> {
                            final Thread reader =
                                    new Thread(
                                            task, "spillway-ucx-read-" + number.incrementAndGet());
                            reader.setDaemon(true);
                            return reader;
                        });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    // ---- any thread ----------------------------------------------------------------------------

    @Override
    public String transport() {
        return UcxTransport.NAME;
    }

    @Override
    public NodeAddress address() {
        return address;
    }

    @Override
    public ServerStats stats() {
        return counters.stats();
    }

    @Override
    public void dropJob(final String jobId) {
        try {
            thread.execute(() -> close(jobId));
        } catch (final RejectedExecutionException e) {
            LOG.debug("The server has stopped", e);
        }
    }

    @Override
    public void close() {
        thread.close();
        readers.shutdown();
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

    /** The time without a message from or to a client after which it counts as lost. */
    long idleTimeoutMillis() {
        return idleTimeoutMillis;
    }

    /** The most bytes on their way to one client. */
    long connectionBytes() {
        return connectionBytes;
    }

    long epoch() {
        return epoch;
    }

    SecureRandom random() {
        return random;
    }

    Predicate<InetAddress> sameHost() {
        return sameHost;
    }

    Executor readers() {
        return readers;
    }

    LogLimiter warnings() {
        return warnings;
    }

    ServerCounters counters() {
        return counters;
    }

    UcxThread thread() {
        return thread;
    }

    // ---- the thread of UCX ---------------------------------------------------------------------

    /** From within UCX. */
    private void onRequest(final UcpConnectionRequest request) {
        requests.add(request);
        thread.defer(this::acceptAll);
    }

    private void acceptAll() {
        UcpConnectionRequest request = requests.poll();
        while (request != null) {
            counters.accepted();
            if (byId.size() < settings.maxConnections()) {
                accept(request);
            } else {
                reject(request);
            }
            request = requests.poll();
        }
    }

    private void reject(final UcpConnectionRequest request) {
        counters.refused();
        LOG.debug("Refusing {}: connections={}", request.getClientAddress(), byId.size());
        request.reject();
    }

    private void accept(final UcpConnectionRequest request) {
        long id = random.nextLong();
        while (id == Envelope.NOT_KNOWN || byId.containsKey(id)) {
            id = random.nextLong();
        }
        try {
            final ServerConnection connection = new ServerConnection(this, id, request);
            byId.put(id, connection);
            byLink.put(connection.linkId(), connection);
            counters.connections(byId.size());
        } catch (final UcxException e) {
            counters.refused();
            warnings.warn(
                    "No way back to "
                            + request.getClientAddress()
                            + ": "
                            + UcxLibrary.oneLine(e)
                            + " (do both sides have the same spillway.ucx.tls?)");
        }
    }

    void forget(final ServerConnection connection) {
        byId.remove(connection.id());
        byLink.remove(connection.linkId());
        counters.connections(byId.size());
    }

    private void close(final String jobId) {
        for (final ServerConnection connection : List.copyOf(byId.values())) {
            if (connection.isOf(jobId)) {
                connection.close();
            }
        }
    }

    private void watch() {
        final long now = System.nanoTime();
        for (final ServerConnection connection : List.copyOf(byId.values())) {
            connection.watch(now);
        }
    }

    private void stop() {
        requests.forEach(this::reject);
        requests.clear();
        List.copyOf(byId.values()).forEach(ServerConnection::close);
    }

    /** From within UCX: nothing may be thrown. */
    private int onMessage(
            final long headerAddress,
            final long headerLength,
            final UcpAmData data,
            final UcpEndpoint replyTo) {
        try {
            final ByteBuffer in = UcxUtils.getByteBufferView(headerAddress, headerLength);
            dispatch(Envelope.decode(in), in, data.getLength(), replyTo);
        } catch (final MalformedFrameException e) {
            warnings.warn("Dropping a message of a client that cannot be told: " + e.getMessage());
        } catch (final RuntimeException | Error e) {
            LOG.error("Taking a message failed", e);
        }
        return UcsConstants.STATUS.UCS_OK;
    }

    private void dispatch(
            final Envelope envelope,
            final ByteBuffer in,
            final long bytesAfter,
            final UcpEndpoint replyTo) {
        if (envelope.to() == Envelope.NOT_KNOWN) {
            final ServerConnection connection =
                    replyTo == null ? null : byLink.get(replyTo.getNativeId());
            if (connection == null) {
                warnings.warn("Dropping a HELLO that came over no connection");
            } else {
                connection.onHello(envelope, in, bytesAfter);
            }
            return;
        }
        final ServerConnection connection = byId.get(envelope.to());
        if (connection == null) {
            LOG.debug("A message for a connection that has ended");
        } else {
            connection.onMessage(in, bytesAfter);
        }
    }
}
