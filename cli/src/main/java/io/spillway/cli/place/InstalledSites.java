// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.place;

import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import java.util.List;
import picocli.CommandLine.Command;

/** The Hadoop that the environment names, where it names one. */
@Command // it has no option
public final class InstalledSites implements AskedSites {
    @Override
    public List<HadoopSite> sites(final WorkFolder work) {
        return InstalledHadoop.find(work, PlugIn.ofThisBuild(), System.getenv())
                .<List<HadoopSite>>map(List::of)
                .orElse(List.of());
    }
}
