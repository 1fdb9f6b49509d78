// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.spillway.protocol.ClientSettings;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.version.VersionRange;
import io.spillway.wire.FrameType;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections of one transport, in the newest version that a node speaks. A node of version
 * 12 refuses a newer HELLO; it is asked in version 12 at once, and from the beginning the next
 * times. Thread-safe.
 */
public final class Openings {
    private static final Logger LOG = LoggerFactory.getLogger(Openings.class);

    private final ClientSettings settings;
    private final SecureRandom random = new SecureRandom();
    private final OldNodes oldNodes = new OldNodes();

    /** Opens nothing yet. */
    public Openings(final ClientSettings settings) {
        this.settings = settings;
    }

    /**
     * Opens a connection, within the connect time-out.
     *
     * @param credentials what to prove
     * @param connect begins to connect a channel whose first handler is the one given
     * @throws FetchException that says why the node cannot be reached, or has not proved itself
     */
    public ClientConnection open(
            final NodeAddress address,
            final JobCredentials credentials,
            final Function<ChannelHandler, ChannelFuture> connect)
            throws FetchException {
        ClientHandshake.check(address, credentials);
        final Attempt attempt =
                new Attempt(
                        address,
                        credentials,
                        connect,
                        System.nanoTime()
                                + TimeUnit.MILLISECONDS.toNanos(settings.connectTimeoutMillis()));
        return oldNodes.contains(address) ? openOld(attempt) : openNew(attempt);
    }

    /** What all connections of one call have in common. */
    private record Attempt(
            NodeAddress address,
            JobCredentials credentials,
            Function<ChannelHandler, ChannelFuture> connect,
            long deadline) {}

    private ClientConnection openNew(final Attempt attempt) throws FetchException {
        try {
            return open(attempt, settings.versions());
        } catch (final OtherHelloException e) {
            if (settings.versions().newest() == FrameType.V12
                    || !settings.versions().contains(FrameType.V12)) {
                throw e.failure();
            }
            LOG.info("{}; trying version {}", e.getMessage(), FrameType.V12);
        }
        try {
            final ClientConnection connection = open(attempt, VersionRange.only(FrameType.V12));
            oldNodes.add(attempt.address());
            return connection;
        } catch (final OtherHelloException e) {
            throw e.failure();
        }
    }

    /** A node that was old may have been upgraded since: it says so where it is asked in 12. */
    private ClientConnection openOld(final Attempt attempt) throws FetchException {
        try {
            return open(attempt, VersionRange.only(FrameType.V12));
        } catch (final OtherHelloException e) {
            oldNodes.remove(attempt.address());
            return openNew(attempt);
        }
    }

    private ClientConnection open(final Attempt attempt, final VersionRange offered)
            throws FetchException, OtherHelloException {
        final Opening opening =
                new Opening(attempt.address(), attempt.credentials(), settings, offered, random);
        return opening.await(attempt.connect().apply(opening.handler()), attempt.deadline());
    }
}
