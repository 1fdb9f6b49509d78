// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.client;

import io.spillway.bootstrap.Bootstrap;
import io.spillway.bootstrap.BootstrapClient;
import io.spillway.bootstrap.ControlConnection;
import io.spillway.frame.MalformedFrameException;
import io.spillway.protocol.ClientSettings;
import io.spillway.protocol.ConnectionChannel;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.transport.Channel;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.ucx.worker.Envelope;
import io.spillway.transport.ucx.worker.Link;
import io.spillway.transport.ucx.worker.UcxLibrary;
import io.spillway.transport.ucx.worker.UcxSettings;
import io.spillway.transport.ucx.worker.UcxThread;
import io.spillway.wire.FrameType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucs.UcsConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches over UCX, from nodes that serve over it. One thread and worker, and the one thread of the
 * {@link Bootstrap}, on whose connections both sides prove themselves.
 */
public final class UcxTransport implements Transport {
    /** The name of this transport. */
    public static final String NAME = UcxLibrary.TRANSPORT;

    private static final Logger LOG = LoggerFactory.getLogger(UcxTransport.class);

    private final ClientSettings settings;
    private final SecureRandom random = new SecureRandom();
    private final UcxThread thread;
    private final BootstrapClient door;

    // Of the thread of UCX.
    private final Map<Long, ClientPath> connections = new HashMap<>();
    private final List<ClientPath> lingering = new ArrayList<>();

    private volatile boolean closed;

    /**
     * Creates the transport.
     *
     * @param lookup returns the text of a property, or null where it is not set
     * @throws IOException when UCX cannot be used here
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public UcxTransport(final Function<String, String> lookup) throws IOException {
        this(lookup, DirectMemory.SYSTEM);
    }

    /** As the other constructor; {@code memory} grants what is allocated outside the heap. */
    UcxTransport(final Function<String, String> lookup, final DirectMemory memory)
            throws IOException {
        this.settings = ClientSettings.from(lookup);
        this.door = Bootstrap.load().newClient(lookup, memory);
        try {
            this.thread = new UcxThread("spillway-ucx", UcxSettings.from(lookup), memory);
        } catch (final IOException | RuntimeException | Error e) {
            door.close();
            throw e;
        }
        thread.worker().setAmRecvHandler(Link.MESSAGE, this::onMessage);
        thread.addWatcher(this::watch);
        thread.start(this::stop, this::end);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Channel open(final NodeAddress address, final JobCredentials credentials)
            throws FetchException {
        if (closed) {
            throw ConnectionChannel.closed(address);
        }
        final ControlConnection control = door.open(address, credentials);
        final ClientPath connection;
        try {
            requireSeal(control);
            connection = new ClientPath(this, control);
            if (!thread.tryExecute(connection::join)) {
                throw ConnectionChannel.closed(address);
            }
        } catch (final FetchException | RuntimeException | Error e) {
            control.close();
            throw e;
        }
        return new ConnectionChannel(await(connection), channel -> {});
    }

    /** Refuses an unprotected path beside a protected connection. */
    private void requireSeal(final ControlConnection control) throws FetchException {
        final boolean isKeyed = settings.protection().isKeyed() || control.keys().isPresent();
        if (isKeyed && control.node().version() <= FrameType.V13) {
            throw new FetchException(
                    Reason.PROTOCOL,
                    control.node().address()
                            + ": ucx is not protected with a node of version "
                            + control.node().version()
                            + ", expected at least 14 under "
                            + ProtocolKeys.PROTECTION
                            + "=integrity or privacy");
        }
    }

    private ClientPath await(final ClientPath connection) throws FetchException {
        final NodeAddress address = connection.node().address();
        final FetchException failure;
        try {
            return connection.opened().get(settings.connectTimeoutMillis(), TimeUnit.MILLISECONDS);
        } catch (final ExecutionException e) {
            if (e.getCause() instanceof FetchException cause) {
                throw cause;
            }
            failure = new FetchException(Reason.DISCONNECTED, address + ": " + e.getCause(), e);
        } catch (final TimeoutException e) {
            failure =
                    new FetchException(
                            Reason.TIMED_OUT,
                            address
                                    + ": ucx: nothing came over the path within "
                                    + settings.connectTimeoutMillis()
                                    + " ms",
                            e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            failure = new FetchException(Reason.DISCONNECTED, address + ": interrupted", e);
        }
        thread.tryExecute(() -> connection.abort(failure));
        throw failure;
    }

    /** Returns when every fetch has been answered for; called by a listener, it does not wait. */
    @Override
    public void close() {
        closed = true;
        thread.close();
        door.close();
    }

    // ---- any thread ----------------------------------------------------------------------------

    UcxThread thread() {
        return thread;
    }

    ClientSettings settings() {
        return settings;
    }

    // ---- the thread of UCX ---------------------------------------------------------------------

    /** Returns the id that the node is to speak to the connection by. */
    long register(final ClientPath connection) {
        long id = random.nextLong();
        while (connections.containsKey(id)) {
            id = random.nextLong();
        }
        connections.put(id, connection);
        return id;
    }

    void forget(final long id) {
        connections.remove(id);
    }

    /** The connection is lost; it is remembered while UCX writes for it. */
    void left(final ClientPath connection) {
        if (!connection.isEnded()) {
            lingering.add(connection);
        }
    }

    private void watch() {
        final long now = System.nanoTime();
        for (final ClientPath connection : List.copyOf(connections.values())) {
            connection.watch(now);
        }
        lingering.removeIf(ClientPath::isEnded);
    }

    private void stop() {
        closed = true;
        List.copyOf(connections.values())
                .forEach(connection -> connection.guard(connection::close));
    }

    private void end() {
        lingering.forEach(ClientPath::abandon);
    }

    /** From within UCX: nothing may be thrown. */
    private int onMessage(
            final long headerAddress,
            final long headerLength,
            final UcpAmData data,
            final UcpEndpoint unused) {
        try {
            return dispatch(UcxUtils.getByteBufferView(headerAddress, headerLength), data);
        } catch (final MalformedFrameException e) {
            // Its sender is not known; a fetch that waits for an answer runs into a time-out.
            LOG.debug("A message that belongs to no connection", e);
        } catch (final RuntimeException | Error e) {
            LOG.error("Taking a message failed", e);
        }
        return UcsConstants.STATUS.UCS_OK;
    }

    private int dispatch(final ByteBuffer in, final UcpAmData data) throws MalformedFrameException {
        final ClientPath connection = connections.get(Envelope.receiverOf(in));
        if (connection == null) {
            LOG.debug("A message of {} bytes for a connection that has ended", data.getLength());
            return UcsConstants.STATUS.UCS_OK;
        }
        return connection.onMessage(in, data);
    }
}
