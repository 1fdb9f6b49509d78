package io.spillway.hadoop;

import io.spillway.conf.InvalidSettingException;
import io.spillway.hadoop.handler.LocalDirsPathHandler;
import io.spillway.hadoop.handler.SharedPortNode;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
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
            node =
                    SharedPortNode.start(
                            getConfig(),
                            allChannels,
                            secretManager,
                            userRsrc,
                            getAuxiliaryLocalPathHandler());
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
        final String jobId =
                new JobID(Long.toString(id.getClusterTimestamp()), id.getId()).toString();
        withNode("forget " + jobId, running -> running.dropJob(jobId));
    }

    @Override
    protected void serviceStop() throws Exception {
        withNode("stop", SharedPortNode::close);
        node = Optional.empty();
        super.serviceStop();
    }

    private void withNode(final String what, final Consumer<SharedPortNode> action) {
        try {
            node.ifPresent(action);
        } catch (final RuntimeException | LinkageError e) {
            LOG.warn("Spillway could not {}", what, e);
        }
    }
}
