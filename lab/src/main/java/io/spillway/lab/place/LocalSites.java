// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.place;

import io.spillway.cli.place.AskedSites;
import io.spillway.cli.place.InstalledSites;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.cluster.LocalCluster;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The installed Hadoop, then a local cluster. */
public final class LocalSites implements AskedSites {
    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = ClusterSpec.DEFAULT_NAME,
            description = "Local cluster to ask (default: ${DEFAULT-VALUE}).")
    private String name;

    @Override
    public List<HadoopSite> sites(final WorkFolder work) {
        final List<HadoopSite> sites = new ArrayList<>(new InstalledSites().sites(work));
        LocalCluster.attach(work, name).ifPresent(sites::add);
        return sites;
    }
}
