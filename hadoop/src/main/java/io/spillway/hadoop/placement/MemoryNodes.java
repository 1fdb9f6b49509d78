// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.placement;

import io.spillway.conf.Placement;
import io.spillway.engine.spi.RemoteOutput;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.map.OutputPlacer;
import io.spillway.hadoop.tier.TaskTiers;
import io.spillway.node.Transports;
import io.spillway.placement.client.LeaseClient;
import io.spillway.placement.conf.PlacementKeys;
import io.spillway.placement.message.LeasePolicy;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.crypto.SecretKey;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the placement service for nodes that have memory, and connects to them. Whatever fails, the
 * output stays on the map's host, with one line in the log. One thread at a time.
 */
public final class MemoryNodes implements OutputPlacer {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryNodes.class);

    /** Nodes that were leased and could not be reached, before the output stays here. */
    private static final int MOST_UNREACHABLE = 3;

    private final LeaseClient leases;
    private final Transport transport;
    private final JobCredentials credentials;
    private long refused;

    MemoryNodes(
            final LeaseClient leases, final Transport transport, final JobCredentials credentials) {
        this.leases = leases;
        this.transport = transport;
        this.credentials = credentials;
    }

    /** For one map task, as its job's settings say. */
    public static OutputPlacer of(final MapOutputCollector.Context context) {
        final JobConf job = context.getJobConf();
        final Function<String, String> settings = new Lookup(job);
        final Placement placement = HadoopKeys.PLACEMENT.get(settings);
        if (placement.staysHere()) {
            return HERE;
        }
        final MapTask task = context.getMapTask();
        final Optional<String> obstacle = obstacle(job, task);
        if (obstacle.isPresent()) {
            LOG.warn(
                    "{}={}: the output stays on this host: {}",
                    HadoopKeys.PLACEMENT,
                    placement,
                    obstacle.get());
            return HERE;
        }
        final SecretKey secret = task.getShuffleSecret();
        final JobCredentials credentials =
                new JobCredentials(task.getJobID().toString(), secret.getEncoded());
        final Transport transport = PutTransport.of(Transports::all, settings);
        final LeaseClient leases =
                new LeaseClient(
                        transport,
                        service(settings).orElseThrow(),
                        credentials,
                        policy(placement),
                        HadoopKeys.PLACEMENT_COPIES.get(settings));
        return new MemoryNodes(leases, transport, credentials);
    }

    private static Optional<String> obstacle(final JobConf job, final MapTask task) {
        if (service(new Lookup(job)).isEmpty()) {
            return Optional.of(
                    PlacementKeys.PLACEMENT_SERVICE
                            + " is none, expected HOST:PORT of the node process that knows all");
        }
        if (task.getShuffleSecret() == null) {
            return Optional.of("the task has no shuffle secret");
        }
        return TaskTiers.isOnNodeOfSpillway(job)
                ? Optional.empty()
                : Optional.of(
                        "its NodeManager has the stock handler, which could not send reducers on");
    }

    private static Optional<NodeAddress> service(final Function<String, String> settings) {
        return PlacementKeys.PLACEMENT_SERVICE.get(settings).map(NodeAddress::parse);
    }

    private static LeasePolicy policy(final Placement placement) {
        return placement == Placement.DEDICATED ? LeasePolicy.DEDICATED : LeasePolicy.EVERY_NODE;
    }

    @Override
    public Optional<RemoteOutput> place(final String output, final long expectedBytes) {
        final Optional<RemoteOutput> found = find(output, expectedBytes);
        refused += found.isPresent() ? 0 : 1;
        return found;
    }

    @Override
    public long refused() {
        return refused;
    }

    private Optional<RemoteOutput> find(final String output, final long expectedBytes) {
        final List<NodeAddress> unreachable = new ArrayList<>();
        try {
            while (unreachable.size() < MOST_UNREACHABLE) {
                final List<SegmentPlace> leased = leases.lease(output, expectedBytes, unreachable);
                if (leased.isEmpty()) {
                    LOG.info(
                            "No node has memory for {} bytes of {}, or a quota is against them:"
                                    + " they stay here",
                            expectedBytes,
                            output);
                    return Optional.empty();
                }
                final List<Channel> copies = connect(leased, unreachable);
                if (!copies.isEmpty()) {
                    return Optional.of(new RemoteOutput(output, copies, this::connect));
                }
            }
            LOG.warn("{} stays here: nodes {} cannot be reached", output, unreachable);
        } catch (final FetchException e) {
            LOG.warn("{} stays here: no place is leased: {}", output, e.getMessage());
            LOG.debug("No lease for {}", output, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    private Channel connect(final NodeAddress node) throws FetchException {
        return transport.open(node, credentials.forNode(node));
    }

    private List<Channel> connect(
            final List<SegmentPlace> leased, final List<NodeAddress> unreachable) {
        final List<Channel> copies = new ArrayList<>();
        for (final SegmentPlace place : leased) {
            try {
                copies.add(open(place));
            } catch (final FetchException e) {
                LOG.info("Memory node {}: {}", place, e.getMessage());
                unreachable.add(place.address());
            }
        }
        return copies;
    }

    /** One that was started again since may not know the job yet, nor count what was leased. */
    private Channel open(final SegmentPlace place) throws FetchException {
        final Channel channel = connect(place.address());
        if (channel.epoch() != place.epoch()) {
            channel.close();
            throw new FetchException(
                    Reason.NOT_FOUND,
                    place + " is of epoch " + channel.epoch() + " now: it was started again");
        }
        return channel;
    }

    @Override
    public void close() {
        leases.close();
        transport.close();
    }
}
