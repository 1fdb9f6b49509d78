// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop;

import io.spillway.conf.InvalidSettingException;
import io.spillway.hadoop.handler.HandlerFigures;
import io.spillway.hadoop.handler.HandlerMetrics;
import io.spillway.hadoop.handler.LocalDirsPathHandler;
import io.spillway.hadoop.handler.NodeProcessLink;
import io.spillway.hadoop.handler.NodeStores;
import io.spillway.hadoop.handler.SharedPortNode;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.ShuffleChannelHandlerContext;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.ContainerTerminationContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stock shuffle handler, which also speaks Spillway's protocol, on the same port. Set it as
 * {@code yarn.nodemanager.aux-services.mapreduce_shuffle.class}.
 *
 * <p>Nothing of Spillway's can stop the NodeManager: where it does not start, one line in the log
 * says why, and stock HTTP is served as ever.
 */
public final class SpillwayShuffleHandler extends ShuffleHandler {
    private static final Logger LOG = LoggerFactory.getLogger(SpillwayShuffleHandler.class);

    /** Whether this Hadoop's handler asks for what it makes of connections, as from 3.4 on. */
    private volatile boolean asked;

    private volatile Optional<SharedPortNode> node = Optional.empty();
    private volatile Optional<NodeStores> stores = Optional.empty();
    private volatile Optional<HandlerMetrics> metrics = Optional.empty();
    private volatile Optional<NodeProcessLink> process = Optional.empty();

    /** Creates the service; the NodeManager does. */
    public SpillwayShuffleHandler() {}

    @Override
    protected void serviceStart() throws Exception {
        PlugIns.warnOfUnknownSettings(getConfig(), LOG);
        if (getAuxiliaryLocalPathHandler() == null) {
            setAuxiliaryLocalPathHandler(new LocalDirsPathHandler(getConfig()));
        }
        super.serviceStart();
        if (!asked) {
            LOG.error(
                    "Serving stock HTTP only: this Hadoop's shuffle handler lets nothing share its"
                            + " port, as that of 3.4 and later does");
        }
        if (node.isPresent()) {
            final long epoch = node.get().epoch();
            withStores(
                    "serve other users",
                    started -> started.serveOtherUsers(getConfig(), secretManager, userRsrc));
            withStores("offer its stores", started -> started.offer(epoch));
            stores.ifPresent(this::linkToProcess);
        }
    }

    /**
     * What stock makes of each connection. Stock asks for it once it knows its jobs again and
     * before it listens: so Spillway's protocol is served from the first connection on, and no
     * reducer takes this node for a stock one.
     */
    @Override
    protected ShuffleChannelHandlerContext createHandlerContext() {
        asked = true;
        return startNode(super.createHandlerContext());
    }

    private ShuffleChannelHandlerContext startNode(final ShuffleChannelHandlerContext stock) {
        try {
            final NodeStores started = NodeStores.start(getConfig(), this::isKnown);
            stores = Optional.of(started);
            node =
                    SharedPortNode.start(
                            getConfig(),
                            secretManager,
                            userRsrc,
                            getAuxiliaryLocalPathHandler(),
                            started.roots(),
                            this::offers);
            guard("publish its metrics", () -> startMetrics(started));
            return node.map(serving -> serving.before(stock)).orElse(stock);
        } catch (final InvalidSettingException e) {
            LOG.error("Serving stock HTTP only: {}", e.getMessage());
        } catch (final RuntimeException | LinkageError e) {
            LOG.error("Serving stock HTTP only: Spillway could not start", e);
        }
        closeNode();
        return stock;
    }

    private void startMetrics(final NodeStores started) {
        metrics =
                node.map(serving -> new HandlerFigures(serving, started, userRsrc))
                        .flatMap(
                                all ->
                                        HandlerMetrics.register(
                                                DefaultMetricsSystem.instance(), all));
    }

    /** Reducers are served without it, over tcp alone. */
    private void linkToProcess(final NodeStores started) {
        try {
            process =
                    Optional.of(
                            NodeProcessLink.start(
                                    getConfig(), shufflePort(), started, secretManager, userRsrc));
        } catch (final InvalidSettingException e) {
            LOG.error("No link to a node process: {}", e.getMessage());
        } catch (final IOException | RuntimeException | LinkageError e) {
            LOG.error("No link to a node process", e);
        }
    }

    private NodeAddress shufflePort() throws IOException {
        final InetSocketAddress manager =
                getConfig()
                        .getSocketAddr(
                                YarnConfiguration.NM_ADDRESS,
                                YarnConfiguration.DEFAULT_NM_ADDRESS,
                                YarnConfiguration.DEFAULT_NM_PORT);
        return new NodeAddress(manager.getHostString(), deserializeMetaData(getMetaData()));
    }

    private List<TransportOffer> offers() {
        return process.map(NodeProcessLink::offers).orElse(List.of());
    }

    @Override
    public void initializeApplication(final ApplicationInitializationContext context) {
        super.initializeApplication(context);
        final String jobId = jobOf(context.getApplicationId());
        withProcess("tell of " + jobId, link -> link.jobBegan(jobId));
    }

    @Override
    public void stopApplication(final ApplicationTerminationContext context) {
        super.stopApplication(context);
        final ApplicationId id = context.getApplicationId();
        final String jobId = jobOf(id);
        withNode("forget " + jobId, running -> running.dropJob(jobId));
        withProcess("tell the end of " + jobId, link -> link.jobEnded(jobId));
        withStores("take back what " + id + " has left", kept -> kept.reclaim(id.toString()));
    }

    /** May be the end of a map, whose output can then be read ahead. */
    @Override
    public void stopContainer(final ContainerTerminationContext context) {
        super.stopContainer(context);
        final String jobId =
                jobOf(context.getContainerId().getApplicationAttemptId().getApplicationId());
        withNode("look for map outputs of " + jobId, running -> running.taskEnded(jobId));
        withProcess("tell of a task of " + jobId, link -> link.taskEnded(jobId));
    }

    private static String jobOf(final ApplicationId application) {
        return new JobID(Long.toString(application.getClusterTimestamp()), application.getId())
                .toString();
    }

    /** Whether the job of an application runs here, or ran and was recovered. */
    private boolean isKnown(final String application) {
        return userRsrc.containsKey(application.replaceFirst("^application_", "job_"));
    }

    @Override
    protected void serviceStop() throws Exception {
        withProcess("leave the node process", NodeProcessLink::close);
        process = Optional.empty();
        closeNode();
        withStores("free its stores", NodeStores::close);
        stores = Optional.empty();
        super.serviceStop();
    }

    private void closeNode() {
        guard("take back its metrics", () -> metrics.ifPresent(HandlerMetrics::close));
        metrics = Optional.empty();
        withNode("stop", SharedPortNode::close);
        node = Optional.empty();
    }

    private void withNode(final String what, final Consumer<SharedPortNode> action) {
        guard(what, () -> node.ifPresent(action));
    }

    private void withStores(final String what, final Consumer<NodeStores> action) {
        guard(what, () -> stores.ifPresent(action));
    }

    private void withProcess(final String what, final Consumer<NodeProcessLink> action) {
        guard(what, () -> process.ifPresent(action));
    }

    private static void guard(final String what, final Runnable action) {
        try {
            action.run();
        } catch (final RuntimeException | LinkageError e) {
            LOG.warn("Spillway could not {}", what, e);
        }
    }
}
