// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.conf.Setting;
import io.spillway.conf.TransportName;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Makes both ends of one transport. Loads nothing native before a method is called. Registered as
 * {@link TransportName} says. Thread-safe.
 *
 * <p>{@code settings} returns the text of a property, or null where it is not set; a wrong value of
 * a setting in use is an {@link io.spillway.conf.InvalidSettingException}.
 */
public interface TransportProvider extends TransportName {
    /** What carries bytes faster than a socket, the best first. */
    enum Medium {
        /** Memory that processes of one host share. */
        SHARED_MEMORY,
        /** A device that reads and writes the memory of both hosts. */
        RDMA,
        /** Ranks of one MPI world, of which both hosts' node processes are part. */
        WORLD
    }

    /** The setting of the port at which a node process serves it; any free one without. */
    default Optional<Setting<Optional<Integer>>> port() {
        return Optional.empty();
    }

    /** What the bytes that come over it are counted as, beside those of all transports. */
    default Optional<ShuffleCounter> fetched() {
        return Optional.empty();
    }

    /**
     * Why this host cannot use the transport, in one line that says what to change; nothing where
     * it can. Never throws for what is missing, a native library for one.
     */
    Optional<String> obstacle(Function<String, String> settings);

    /** As {@link #obstacle}, for a process that is to serve the transport. */
    default Optional<String> servingObstacle(final Function<String, String> settings) {
        return obstacle(settings);
    }

    /**
     * Whether the transport, as it is set here, may use a medium where both hosts have it: not when
     * a list of devices or protocols leaves it out. Loads nothing native.
     *
     * <p>The address that a node offers for a transport without {@link Medium#SHARED_MEMORY} need
     * not be a host's: no name service is asked for it.
     */
    default boolean canUse(final Medium medium, final Function<String, String> settings) {
        return medium != Medium.WORLD;
    }

    /**
     * Whether puts go the transport's own way, and not over the connection that clients come by.
     */
    default boolean carriesPuts() {
        return false;
    }

    /**
     * Makes a client.
     *
     * @throws IOException when it cannot work here, for what {@link #obstacle} would tell or worse
     */
    Transport newTransport(Function<String, String> settings) throws IOException;

    /**
     * Starts a server.
     *
     * @param host the address to listen at, and to be reached at
     * @param port 0 for any free one
     * @param source what to serve
     * @param secrets of the jobs to serve
     * @param epoch the node's incarnation, another one after each start
     * @throws io.spillway.transport.serve.UnavailableException where the others can go on without
     *     it
     * @throws IOException when it cannot listen; the message names host and port
     */
    SegmentServer newServer(
            String host,
            int port,
            SegmentSource source,
            JobSecrets secrets,
            Function<String, String> settings,
            long epoch)
            throws IOException;

    /**
     * Starts a server that tells its clients how else the node can be fetched from. Without an
     * implementation of its own a transport tells them nothing.
     *
     * @param others the servers of other transports in this node that have started; does not block
     * @throws IOException when it cannot listen; the message names host and port
     */
    default SegmentServer newServer(
            final String host,
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> settings,
            final long epoch,
            final Supplier<List<TransportOffer>> others)
            throws IOException {
        return newServer(host, port, source, secrets, settings, epoch);
    }

    /**
     * Says to processes that were started together with this one, and may wait for it, that it ends
     * without having served: it could not start. Does not return where that ends this process too;
     * does nothing where there are no such processes.
     *
     * @param exitCode with which this process ends
     */
    default void abandon(final Function<String, String> settings, final int exitCode) {}
}
