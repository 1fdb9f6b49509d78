// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import io.netty.channel.ChannelHandler;
import io.spillway.bootstrap.OtherPath;
import io.spillway.protocol.BlockingThreads;
import io.spillway.protocol.LogLimiter;
import io.spillway.protocol.ServerCounters;
import io.spillway.protocol.ServerSettings;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.serve.JobBudget;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.PutMemory;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.serve.ServerStats;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves segments to authenticated clients, on connections that somebody else accepts: {@link
 * #newConnection} makes the handler of one. Thread-safe.
 *
 * <p>Whatever a client sends ends at most its own connection, with one line in the log.
 */
public class StreamServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamServer.class);

    /** What copies of segments without a file take until they are sent: four of the longest. */
    private static final long COPY_BYTES = 64 << 20;

    private final SegmentSource source;
    private final JobSecrets secrets;
    private final ServerSettings settings;
    private final long epoch;
    private final Supplier<List<TransportOffer>> offers;
    private final OtherPath otherPath;
    private final SecureRandom random = new SecureRandom();
    private final LogLimiter warnings = new LogLimiter(LOG);
    private final Set<ServerConnection> connections = ConcurrentHashMap.newKeySet();
    private final Admission admission;
    private final ServerCounters counters = new ServerCounters();
    private final JobBudget copies = new JobBudget(COPY_BYTES);
    private final PutMemory putMemory;
    private final ThreadPoolExecutor openers;
    private final ThreadPoolExecutor commits = BlockingThreads.newPool("spillway-commit", 1);

    /** Creates a server that has nothing else to offer. */
    public StreamServer(
            final SegmentSource source,
            final JobSecrets secrets,
            final ServerSettings settings,
            final long epoch) {
        this(source, secrets, settings, epoch, List::of, null);
    }

    /** Creates a server that serves over its connections only. */
    public StreamServer(
            final SegmentSource source,
            final JobSecrets secrets,
            final ServerSettings settings,
            final long epoch,
            final Supplier<List<TransportOffer>> offers) {
        this(source, secrets, settings, epoch, offers, null);
    }

    /**
     * Creates a server.
     *
     * @param source what to serve; its sink, where it has one, takes what clients put
     * @param secrets of the jobs to serve
     * @param settings the limits
     * @param epoch the node's incarnation, another one after each start
     * @param offers the other ways in which the node can be fetched from now; does not block
     * @param otherPath what clients may go on to from their connections, or null
     */
    public StreamServer(
            final SegmentSource source,
            final JobSecrets secrets,
            final ServerSettings settings,
            final long epoch,
            final Supplier<List<TransportOffer>> offers,
            final OtherPath otherPath) {
        this.source = Objects.requireNonNull(source, "source");
        this.secrets = Objects.requireNonNull(secrets, "secrets");
        this.settings = Objects.requireNonNull(settings, "settings");
        this.epoch = epoch;
        this.offers = Objects.requireNonNull(offers, "offers");
        this.otherPath = otherPath;
        this.admission = new Admission(settings.maxConnections());
        this.putMemory = source.putMemory().orElseGet(() -> PutMemory.of(settings.putMemory()));
        // At most one task a connection waits for them.
        this.openers = BlockingThreads.newPool("spillway-open", settings.openThreads());
    }

    /** Whether connections take files; where they do not, segments are read into memory. */
    protected boolean sendsFiles() {
        return true;
    }

    /** The handler of one new connection; its first byte is the first of the magic. */
    public ChannelHandler newConnection() {
        return new ServerConnection(this);
    }

    /** The connections that are served, or are about to prove themselves. */
    public int connectionCount() {
        return connections.size();
    }

    /** What it has done so far. */
    public ServerStats stats() {
        return counters.stats(connectionCount());
    }

    /** Adds the jobs that have proved connections now. */
    public void addJobsInUse(final Set<String> jobs) {
        connections.forEach(connection -> connection.jobInUse().ifPresent(jobs::add));
    }

    /** Ends the connections of a job that has ended. */
    public void dropJob(final String jobId) {
        for (final ServerConnection connection : connections) {
            connection.closeIfOf(jobId);
        }
    }

    /**
     * Ends every connection; those made later are refused. Waits a moment for threads that open map
     * outputs.
     */
    @Override
    public void close() {
        openers.shutdown();
        connections.forEach(ServerConnection::close);
        BlockingThreads.stop(openers);
        BlockingThreads.stop(commits);
    }

    /**
     * Whether a new connection may prove itself, which it may until the server is closed; an older
     * one that has not may go for it.
     */
    boolean admit(final ServerConnection connection) {
        counters.addAccepted();
        if (openers.isShutdown()) {
            return false;
        }
        admission.admit(connection);
        connections.add(connection);
        return true;
    }

    /** Whether there is room for a connection that has proved itself. */
    boolean serve(final ServerConnection connection, final String jobId) {
        return secrets.isOfNodes(jobId)
                ? admission.serveNode(connection)
                : admission.serve(connection, jobId);
    }

    void forget(final ServerConnection connection) {
        connections.remove(connection);
        admission.forget(connection);
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

    List<TransportOffer> offers() {
        return offers.get();
    }

    /** Null where there is none. */
    OtherPath otherPath() {
        return otherPath;
    }

    /** What writes may take until they are answered. */
    PutMemory putMemory() {
        return putMemory;
    }

    /** The thread that commits and aborts. */
    Executor commits() {
        return commits;
    }

    ServerCounters counters() {
        return counters;
    }

    SecureRandom random() {
        return random;
    }

    /** What copies of segments take until they are sent. */
    JobBudget copies() {
        return copies;
    }

    /** Threads that open segments, and read those that lie in no file. */
    Executor openers() {
        return openers;
    }

    LogLimiter warnings() {
        return warnings;
    }
}
