// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.conf.Setting;
import io.spillway.node.NodeKeys;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.serve.UnavailableException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The servers of all transports that this host can serve, and why it cannot others. Immutable. */
final class TransportServers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TransportServers.class);

    private final List<SegmentServer> servers;
    private final Map<String, String> obstacles;

    private TransportServers(
            final List<SegmentServer> servers, final Map<String, String> obstacles) {
        this.servers = List.copyOf(servers);
        this.obstacles = new LinkedHashMap<>(obstacles);
    }

    /**
     * Starts them in the order of the providers; a client of one learns of those of the others that
     * have started. In {@code auto} what cannot work here is left out with one line; a transport
     * that is asked for by name has to work, and a port that is taken is an error always.
     *
     * @throws IOException that names the transport, its address and what to change
     */
    static TransportServers start(
            final List<TransportProvider> providers,
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> settings,
            final long epoch)
            throws IOException {
        final String host = host(settings);
        final List<SegmentServer> servers = new CopyOnWriteArrayList<>(); // clients come meanwhile
        final Map<String, String> obstacles = new LinkedHashMap<>();
        try {
            for (final TransportProvider provider : wanted(providers, settings)) {
                try {
                    requireWays(provider, settings);
                    final SegmentServer server =
                            start(
                                    provider,
                                    host,
                                    source,
                                    secrets,
                                    settings,
                                    epoch,
                                    () -> offersBeside(provider.name(), servers));
                    servers.add(server);
                    LOG.info("Serving {} at {}", server.transport(), server.address());
                } catch (final UnavailableException e) {
                    requireNotNamed(provider, e, settings);
                    LOG.info("Not serving {}: {}", provider.name(), e.getMessage());
                    obstacles.put(provider.name(), e.getMessage());
                }
            }
            return new TransportServers(servers, obstacles);
        } catch (final IOException | RuntimeException e) {
            servers.forEach(SegmentServer::close);
            throw e;
        }
    }

    private static void requireWays(
            final TransportProvider provider, final Function<String, String> settings)
            throws UnavailableException {
        final Optional<String> obstacle = provider.servingObstacle(settings);
        if (obstacle.isPresent()) {
            throw new UnavailableException(obstacle.get());
        }
    }

    private static List<TransportProvider> wanted(
            final List<TransportProvider> providers, final Function<String, String> settings)
            throws IOException {
        final List<String> names = NodeKeys.NODE_TRANSPORTS.get(settings);
        if (names.contains(Setting.AUTO)) {
            return providers;
        }
        final List<String> known = providers.stream().map(TransportProvider::name).toList();
        if (!known.containsAll(names)) {
            throw new IOException(
                    NodeKeys.NODE_TRANSPORTS
                            + "="
                            + String.join(",", names)
                            + ": this build has "
                            + String.join(",", known));
        }
        return providers.stream().filter(provider -> names.contains(provider.name())).toList();
    }

    private static void requireNotNamed(
            final TransportProvider provider,
            final UnavailableException obstacle,
            final Function<String, String> settings)
            throws IOException {
        if (NodeKeys.NODE_TRANSPORTS.get(settings).contains(provider.name())) {
            throw new IOException(
                    NodeKeys.NODE_TRANSPORTS
                            + " asks for "
                            + provider.name()
                            + ", which cannot work here: "
                            + obstacle.getMessage(),
                    obstacle);
        }
    }

    private static SegmentServer start(
            final TransportProvider provider,
            final String host,
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> settings,
            final long epoch,
            final Supplier<List<TransportOffer>> others)
            throws IOException {
        final int port = provider.port().flatMap(setting -> setting.get(settings)).orElse(0);
        try {
            return provider.newServer(host, port, source, secrets, settings, epoch, others);
        } catch (final UnavailableException e) {
            throw e;
        } catch (final IOException e) {
            throw new IOException(
                    "cannot serve "
                            + provider.name()
                            + " at "
                            + e.getMessage()
                            + "; "
                            + remedy(provider, port, e),
                    e);
        }
    }

    private static String remedy(
            final TransportProvider provider, final int port, final IOException cause) {
        if (port == 0 || !isBindFailure(cause)) {
            return "change " + NodeKeys.NODE_HOST;
        }
        return provider.port().orElseThrow()
                + "="
                + port
                + ": expected a port that is free at "
                + NodeKeys.NODE_HOST
                + ", or auto for any free one";
    }

    private static boolean isBindFailure(final Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException) {
                return true;
            }
        }
        return false;
    }

    private static String host(final Function<String, String> settings) throws IOException {
        final Optional<String> set = NodeKeys.NODE_HOST.get(settings);
        if (set.isPresent()) {
            return set.get();
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (final UnknownHostException e) {
            throw new IOException(
                    "this host's name has no address ("
                            + e.getMessage()
                            + "); set "
                            + NodeKeys.NODE_HOST,
                    e);
        }
    }

    List<SegmentServer> servers() {
        return servers;
    }

    /** The transports that are not served, with the reason. */
    Map<String, String> obstacles() {
        return Map.copyOf(obstacles);
    }

    List<TransportOffer> offers() {
        return offers(servers.stream());
    }

    /** What a client of one transport may go on to. */
    private static List<TransportOffer> offersBeside(
            final String own, final List<SegmentServer> servers) {
        return offers(servers.stream().filter(server -> !server.transport().equals(own)));
    }

    private static List<TransportOffer> offers(final Stream<SegmentServer> servers) {
        return servers.map(server -> new TransportOffer(server.transport(), server.address()))
                .toList();
    }

    /** The jobs that have proved connections now. */
    Set<String> jobsInUse() {
        final Set<String> jobs = new HashSet<>();
        servers.forEach(server -> server.addJobsInUse(jobs));
        return jobs;
    }

    /** Ends the connections of a job. */
    void dropJob(final String jobId) {
        servers.forEach(server -> server.dropJob(jobId));
    }

    @Override
    public void close() {
        servers.forEach(SegmentServer::close);
    }
}
