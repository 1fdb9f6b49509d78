// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.place;

import io.spillway.cli.option.Screen;
import io.spillway.cli.place.JobPlace;
import io.spillway.cli.place.OpenPlace;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.cluster.ClusterSpec;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The installed Hadoop, a local cluster that runs, or one for this command. */
public final class LocalPlace implements JobPlace {
    @Mixin private ClusterOptions cluster;
    @Mixin private PlaceOptions place;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = ClusterSpec.DEFAULT_NAME,
            description = "Local cluster to use if it runs (default: ${DEFAULT-VALUE}).")
    private String name;

    @Option(names = "--keep-logs", description = "Leaves the logs of a cluster started for this.")
    private boolean keepLogs;

    @Override
    public OpenPlace open(
            final WorkFolder work,
            final Screen screen,
            final String purpose,
            final Optional<String> transport) {
        return new Sites(work, screen)
                .open(
                        place.place(),
                        name,
                        cluster,
                        purpose,
                        spec -> ServedTransport.of(transport, spec),
                        keepLogs);
    }

    @Override
    public Optional<InstalledHadoop> installed(final WorkFolder work) {
        return place.place() == PlaceOptions.Place.LOCAL
                ? Optional.empty()
                : InstalledHadoop.find(work, PlugIn.ofThisBuild(), System.getenv());
    }

    @Override
    public void confirm(final HadoopSite site, final String what) {
        place.confirm(site, what);
    }
}
