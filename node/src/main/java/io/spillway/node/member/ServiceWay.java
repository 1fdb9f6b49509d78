// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.member;

import io.spillway.node.NodeKeys;
import io.spillway.placement.conf.PlacementKeys;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.choice.HostMedia;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.serve.NodeService;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a member asks the placement service that its settings name: within this process, or over tcp.
 * Thread-safe.
 */
final class ServiceWay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceWay.class);

    private final NodeService here;
    private final ServiceCaller caller;

    private ServiceWay(final NodeService here, final ServiceCaller caller) {
        this.here = here;
        this.caller = caller;
    }

    /**
     * Finds the way. Two services would each know a part of the nodes, and jobs ask the one that is
     * named: so a process that serves and is not that one reports there, as all others do.
     *
     * @param own the service of this process, or null
     * @param tcp where this process serves tcp
     * @throws IOException where no provider is tcp's, or it cannot be used
     */
    static ServiceWay of(
            final MemberSettings settings,
            final NodeService own,
            final NodeAddress tcp,
            final List<TransportProvider> providers,
            final Function<String, String> lookup)
            throws IOException {
        if (own != null && isOneOf(tcp, settings.service())) {
            return new ServiceWay(own, null);
        }
        if (own != null) {
            LOG.warn(
                    "{}=true here, but {}={} is not this process, which serves tcp at {}: it"
                            + " reports there, and is asked by no one. Set it on that host only",
                    PlacementKeys.PLACEMENT_SERVE,
                    PlacementKeys.PLACEMENT_SERVICE,
                    settings.service(),
                    tcp);
        }
        for (final TransportProvider provider : providers) {
            if (provider.name().equals(TransportOffer.TCP)) {
                return new ServiceWay(
                        null,
                        new ServiceCaller(
                                provider.newTransport(lookup),
                                settings.service(),
                                settings.secret().credentials()));
            }
        }
        throw withoutTcp();
    }

    /** Whether an address is another name of this process's own. May ask the name service. */
    private static boolean isOneOf(final NodeAddress own, final NodeAddress named) {
        return own.equals(named)
                || (own.port() == named.port() && HostMedia.ofThisHost().isThisHost(named.host()));
    }

    static IOException withoutTcp() {
        return new IOException(
                NodeKeys.NODE_TRANSPORTS
                        + " has no tcp, over which a node of a cluster ("
                        + PlacementKeys.PLACEMENT_SERVICE
                        + ") is found: add it");
    }

    /** Whether this process is the service that is named. */
    boolean isHere() {
        return here != null;
    }

    /** Sends a question, and completes with the answer; connects again where it has to. */
    CompletableFuture<ByteBuffer> ask(final ByteBuffer request) {
        return caller == null ? askHere(request) : caller.call(request);
    }

    private CompletableFuture<ByteBuffer> askHere(final ByteBuffer request) {
        final CompletableFuture<ByteBuffer> result = new CompletableFuture<>();
        here.call(
                ClusterSecret.CALLER_ID,
                request,
                new NodeService.Reply() {
                    @Override
                    public void done(final ByteBuffer answer) {
                        result.complete(answer);
                    }

                    @Override
                    public void failed(final FetchException cause) {
                        result.completeExceptionally(cause);
                    }
                });
        return result;
    }

    @Override
    public void close() {
        if (caller != null) {
            caller.close();
        }
    }
}
