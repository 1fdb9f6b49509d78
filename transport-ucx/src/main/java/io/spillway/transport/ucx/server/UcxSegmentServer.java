// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.server;

import io.spillway.bootstrap.Bootstrap;
import io.spillway.bootstrap.OtherPath;
import io.spillway.protocol.BlockingThreads;
import io.spillway.protocol.LogLimiter;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.protocol.ServerCounters;
import io.spillway.protocol.ServerSettings;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.serve.ServerStats;
import io.spillway.transport.ucx.worker.UcxLibrary;
import io.spillway.transport.ucx.worker.UcxSettings;
import io.spillway.wire.EndpointFrame;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves segments over UCX. One thread and one worker for all clients, and a few threads that open
 * and read map outputs. Thread-safe.
 *
 * <p>Clients come in by a tcp connection, on which they prove themselves and which is the sign that
 * they are there: UCX's own way to listen and connect takes anybody in, and 1.13 keeps sockets of
 * strangers and crashes over some. Spillway hands UCX no bytes of a client before its proof. What
 * reaches UCX's own ports and queue pairs does not come by here: docs/security.md says what ucx
 * does not protect.
 */
public final class UcxSegmentServer implements SegmentServer {
    private static final Logger LOG = LoggerFactory.getLogger(UcxSegmentServer.class);
    private static final int IDLE_READ_TIMEOUTS = 4;

    /** A client that takes nothing holds at most this part of the registered memory. */
    private static final int CLIENTS_PER_POOL = 4;

    private final SegmentSource source;
    private final ServerSettings settings;
    private final long idleTimeoutMillis;
    private final long connectionBytes;
    private final LogLimiter warnings = new LogLimiter(LOG);
    private final ServerCounters counters = new ServerCounters();
    private final ThreadPoolExecutor readers;
    private final UcxSettings ucx;
    private final DirectMemory memory;
    private final SegmentServer door;
    private volatile ServerWorker worker;

    // Guarded by this object.
    private ServerWorker former;
    private boolean closed;

    /**
     * Starts a server.
     *
     * @param host the address to listen at, and to be reached at
     * @param port 0 for any free one
     * @param source what to serve
     * @param secrets of the jobs to serve
     * @param lookup returns the text of a property, or null where it is not set
     * @param epoch the node's incarnation, another one after each start
     * @throws IOException when UCX cannot be used here, or the port cannot be listened at
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
        this(
                host,
                port,
                source,
                secrets,
                lookup,
                epoch,
                DirectMemory.SYSTEM,
                ServerSettings.from(lookup));
    }

    /**
     * As the other constructor; {@code memory} grants what is allocated outside the heap, and the
     * limits are those of {@code settings}.
     */
    UcxSegmentServer(
            final String host,
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> lookup,
            final long epoch,
            final DirectMemory memory,
            final ServerSettings settings)
            throws IOException {
        this.memory = memory;
        this.source = Objects.requireNonNull(source, "source");
        this.settings = settings;
        this.idleTimeoutMillis =
                Math.min(
                        settings.idleTimeoutMillis(),
                        IDLE_READ_TIMEOUTS * ProtocolKeys.SHUFFLE_READ_TIMEOUT.get(lookup));
        this.ucx = UcxSettings.ofServer(lookup);
        this.connectionBytes =
                Math.min(settings.connectionBytes(), ucx.bufferBytes() / CLIENTS_PER_POOL);
        // At most one task a request admitted waits for them.
        this.readers = BlockingThreads.newPool("spillway-ucx-read", settings.openThreads());
        this.worker = new ServerWorker(this, ucx, memory);
        this.door = openDoor(host, port, secrets, epoch);
        worker.start();
    }

    private SegmentServer openDoor(
            final String host, final int port, final JobSecrets secrets, final long epoch)
            throws IOException {
        try {
            return Bootstrap.load()
                    .newServer(host, port, source, secrets, settings, epoch, this::open, memory);
        } catch (final IOException | RuntimeException | Error e) {
            worker.discard();
            throw e;
        }
    }

    // ---- any thread ----------------------------------------------------------------------------

    @Override
    public String transport() {
        return UcxLibrary.TRANSPORT;
    }

    @Override
    public NodeAddress address() {
        return door.address();
    }

    @Override
    public ServerStats stats() {
        return counters.statsBehind(door.stats());
    }

    @Override
    public void addJobsInUse(final Set<String> jobs) {
        door.addJobsInUse(jobs);
    }

    @Override
    public void dropJob(final String jobId) {
        door.dropJob(jobId);
    }

    /** Takes no new connection, ends those there are, then UCX. */
    @Override
    public void close() {
        door.close();
        final ServerWorker retired;
        synchronized (this) {
            closed = true;
            retired = former;
        }
        worker.close();
        if (retired != null) {
            retired.close();
        }
        BlockingThreads.stop(readers);
    }

    /** A client that has proved itself asks for a path over UCX. */
    private OtherPath.Session open(final OtherPath.Client client, final EndpointFrame join) {
        return worker.open(client, join);
    }

    /**
     * Goes on with a new worker; the one that hears no peer ends with its last connection. One at a
     * time: it keeps its memory until then.
     */
    synchronized void replace(final ServerWorker deaf) {
        if (closed || deaf != worker || (former != null && !former.isEnded())) {
            return;
        }
        final ServerWorker next;
        try {
            next = new ServerWorker(this, ucx, memory);
        } catch (final IOException | RuntimeException | Error e) {
            warnings.warn("ucx: no new worker in place of one that hears no peer: " + e);
            return;
        }
        next.start();
        worker = next;
        former = deaf;
        deaf.retire();
        warnings.warn(
                "ucx: clients of this host do not reach this node's worker; one that was killed"
                        + " while it wrote blocks its shared memory. Going on with a new worker");
    }

    SegmentSource source() {
        return source;
    }

    ServerSettings settings() {
        return settings;
    }

    /** The time after which a client that takes nothing of what it has asked for counts as lost. */
    long idleTimeoutMillis() {
        return idleTimeoutMillis;
    }

    /** The most bytes on their way to one client. */
    long connectionBytes() {
        return connectionBytes;
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

    /** The one for new clients. */
    ServerWorker worker() {
        return worker;
    }
}
