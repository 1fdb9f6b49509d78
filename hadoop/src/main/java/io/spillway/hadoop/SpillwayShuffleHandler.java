package io.spillway.hadoop;

import io.spillway.conf.InvalidSettingException;
import io.spillway.hadoop.handler.LocalDirsPathHandler;
import io.spillway.hadoop.handler.NodeStores;
import io.spillway.hadoop.handler.SharedPortNode;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.apache.hadoop.yarn.api.records.ApplicationId;
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

    private volatile Optional<SharedPortNode> node = Optional.empty();
    private volatile Optional<NodeStores> stores = Optional.empty();

    /** Creates the service; the NodeManager does. */
    public SpillwayShuffleHandler() {}

    @Override
    protected void serviceStart() throws Exception {
        if (getAuxiliaryLocalPathHandler() == null) {
            setAuxiliaryLocalPathHandler(new LocalDirsPathHandler(getConfig()));
        }
        super.serviceStart();
        startNode();
    }

    /** Connections that were accepted before this are stock's: their reducers go on over HTTP. */
    private void startNode() {
        try {
            final NodeStores started = NodeStores.start(getConfig(), this::isKnown);
            stores = Optional.of(started);
            node =
                    SharedPortNode.start(
                            getConfig(),
                            allChannels,
                            secretManager,
                            userRsrc,
                            getAuxiliaryLocalPathHandler(),
                            started.roots());
            node.ifPresent(serving -> started.offer());
        } catch (final InvalidSettingException e) {
            LOG.error("Serving stock HTTP only: {}", e.getMessage());
        } catch (final RuntimeException | LinkageError e) {
            LOG.error("Serving stock HTTP only: Spillway could not start", e);
        }
    }

    @Override
    public void stopApplication(final ApplicationTerminationContext context) {
        super.stopApplication(context);
        final ApplicationId id = context.getApplicationId();
        final String jobId = jobOf(id);
        withNode("forget " + jobId, running -> running.dropJob(jobId));
        withStores("take back what " + id + " has left", kept -> kept.reclaim(id.toString()));
    }

    /** May be the end of a map, whose output can then be read ahead. */
    @Override
    public void stopContainer(final ContainerTerminationContext context) {
        super.stopContainer(context);
        final String jobId =
                jobOf(context.getContainerId().getApplicationAttemptId().getApplicationId());
        withNode("look for map outputs of " + jobId, running -> running.taskEnded(jobId));
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
        withNode("stop", SharedPortNode::close);
        node = Optional.empty();
        withStores("free its stores", NodeStores::close);
        stores = Optional.empty();
        super.serviceStop();
    }

    private void withNode(final String what, final Consumer<SharedPortNode> action) {
        guard(what, () -> node.ifPresent(action));
    }

    private void withStores(final String what, final Consumer<NodeStores> action) {
        guard(what, () -> stores.ifPresent(action));
    }

    private static void guard(final String what, final Runnable action) {
        try {
            action.run();
        } catch (final RuntimeException | LinkageError e) {
            LOG.warn("Spillway could not {}", what, e);
        }
    }
}
