// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.place;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.run.Monitor;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.cluster.LocalCluster;
import java.util.List;

/**
 * A cluster for the time of one command. One that the command started is stopped when the session
 * is closed, and by Ctrl-C; one that was there before is left alone.
 */
public final class ClusterSession implements AutoCloseable {
    private final LocalCluster cluster;
    private final boolean keepLogs;
    private Thread stopper;

    private ClusterSession(final LocalCluster cluster, final boolean keepLogs) {
        this.cluster = cluster;
        this.keepLogs = keepLogs;
    }

    /** A session on a cluster that runs, which outlives it. */
    public static ClusterSession join(final LocalCluster cluster) {
        return new ClusterSession(cluster, true);
    }

    /** Starts a cluster for this session. */
    public static ClusterSession startNew(
            final WorkFolder work,
            final ClusterSpec spec,
            final Screen screen,
            final boolean keepLogs) {
        final ClusterSession session =
                new ClusterSession(
                        LocalCluster.define(work, spec, List.of(), screen::note), keepLogs);
        session.stopper = new Thread(session::stop, "cluster-stopper");
        Runtime.getRuntime().addShutdownHook(session.stopper);
        final String name = "Cluster " + spec.name() + " (Hadoop " + spec.hadoopVersion() + ")";
        try (Monitor.Task task = screen.begin(name, 100)) {
            session.cluster.start((done, total, what) -> task.at(done * 100L / total, what));
            task.done("");
            return session;
        } catch (final CommandException e) {
            session.forgetStopper();
            throw e;
        }
    }

    public LocalCluster cluster() {
        return cluster;
    }

    /** Leaves the cluster running when the session and the command end. */
    public void outliveCommand() {
        cluster.outliveCommand();
        forgetStopper();
    }

    /** False when there is none, or the JVM is ending and it runs already. */
    private boolean forgetStopper() {
        final Thread hook = stopper;
        stopper = null;
        try {
            return hook != null && Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            return false;
        }
    }

    private void stop() {
        cluster.stop(keepLogs);
    }

    @Override
    public void close() {
        if (forgetStopper()) {
            stop();
        }
    }
}
