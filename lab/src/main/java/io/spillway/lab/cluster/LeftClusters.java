// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.process.CommandOwner;
import java.io.UncheckedIOException;
import java.util.Optional;

/** Clusters that should have ended with their command, which was killed. */
final class LeftClusters {
    private static final System.Logger LOG = System.getLogger(LeftClusters.class.getName());

    private LeftClusters() {}

    /** Ends those of a work folder, with all they have; another command may do so meanwhile. */
    static void stop(final WorkFolder work) {
        for (final String name : LocalCluster.names(work)) {
            try {
                if (isLeft(work, name)) {
                    LocalCluster.attach(work, name).ifPresent(LocalCluster::close);
                }
            } catch (final CommandException | UncheckedIOException e) {
                LOG.log(System.Logger.Level.WARNING, "cannot end what is left of " + name, e);
            }
        }
    }

    private static boolean isLeft(final WorkFolder work, final String name) {
        return ClusterState.read(work.cluster(name))
                .flatMap(state -> Optional.ofNullable(state.owner()))
                .filter(CommandOwner::hasEnded)
                .isPresent();
    }
}
