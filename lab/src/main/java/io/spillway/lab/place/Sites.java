// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.place;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.place.OpenPlace;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.cluster.LocalCluster;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Finds or makes the place where a command's jobs run. */
public final class Sites {
    private final WorkFolder work;
    private final Screen screen;

    public Sites(final WorkFolder work, final Screen screen) {
        this.work = work;
        this.screen = screen;
    }

    /**
     * An installed cluster where the environment names one; else a local cluster that runs; else a
     * new one for this command.
     *
     * @param place what the command asks for
     * @param name of the local cluster
     * @param purpose names a new cluster
     */
    public OpenPlace open(
            final PlaceOptions.Place place,
            final String name,
            final ClusterOptions options,
            final String purpose,
            final UnaryOperator<ClusterSpec> more,
            final boolean keepLogs) {
        final Optional<InstalledHadoop> installed =
                place == PlaceOptions.Place.LOCAL
                        ? Optional.empty()
                        : InstalledHadoop.find(work, PlugIn.ofThisBuild(), System.getenv());
        if (installed.isPresent() && isMeant(place, options)) {
            screen.note("Using the installed Hadoop: " + installed.get().description());
            return new OpenPlace(installed.get(), () -> {});
        }
        if (place == PlaceOptions.Place.INSTALLED) {
            throw new BadInputException(
                    "--on installed: expected HADOOP_HOME or HADOOP_CONF_DIR to name a Hadoop");
        }
        final Optional<LocalCluster> running = LocalCluster.attach(work, name);
        if (running.isPresent()) {
            return join(running.get(), options);
        }
        return startNew(options, purpose, more, keepLogs);
    }

    /** Options of a local cluster mean one, where the place is not said. */
    private boolean isMeant(final PlaceOptions.Place place, final ClusterOptions options) {
        if (!options.isAnyGiven()) {
            return true;
        }
        if (place == PlaceOptions.Place.INSTALLED) {
            throw new BadInputException(
                    "--on installed: --hadoop, --fs, --nodes, --hosts, --link, --slots and --heap"
                            + " are of a local cluster; leave them out");
        }
        screen.note(
                "Using a local cluster, as --hadoop, --fs, --nodes, --hosts, --link, --slots or"
                        + " --heap is given, not the installed Hadoop (say --on local or --on"
                        + " installed)");
        return false;
    }

    /** A new local cluster for this command, whatever else there is. */
    public OpenPlace startNew(
            final ClusterOptions options,
            final String purpose,
            final UnaryOperator<ClusterSpec> more,
            final boolean keepLogs) {
        final ClusterSpec spec =
                more.apply(
                        options.apply(ClusterSpec.defaults())
                                .withName(purpose + "-" + ProcessHandle.current().pid()));
        final ClusterSession session = ClusterSession.startNew(work, spec, screen, keepLogs);
        return new OpenPlace(session.cluster(), session::close);
    }

    private OpenPlace join(final LocalCluster cluster, final ClusterOptions options) {
        final ClusterSpec is = cluster.spec();
        if (!options.apply(is).equals(is)) {
            throw new BadInputException(
                    "cluster "
                            + is.name()
                            + " runs, and is not what the options ask for (it has Hadoop "
                            + is.hadoopVersion()
                            + ", "
                            + is.nodes()
                            + " nodes); leave them out, or stop it: spillway cluster stop --name "
                            + is.name());
        }
        if (!cluster.status().isComplete()) {
            throw new BadInputException(
                    "cluster "
                            + is.name()
                            + " is not whole: see spillway cluster status, then spillway cluster"
                            + " stop --name "
                            + is.name());
        }
        if (!cluster.plugIn().equals(PlugIn.ofThisBuild())) {
            screen.note(
                    "Note: cluster " + is.name() + " runs an earlier build; its jobs use it too");
        }
        return new OpenPlace(cluster, () -> {});
    }
}
