// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.place;

import io.spillway.cli.place.Question;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.InstalledHadoop;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the jobs of a command run. */
public final class PlaceOptions {
    /** A choice of the place. */
    public enum Place {
        /** The installed cluster where the environment names one, else a local one. */
        AUTO,
        /** A cluster of this machine's processes. */
        LOCAL,
        /** The cluster that HADOOP_HOME or HADOOP_CONF_DIR names. */
        INSTALLED
    }

    @Option(
            names = "--on",
            paramLabel = "PLACE",
            defaultValue = "auto",
            description =
                    "Where the jobs run: local, a cluster on this machine; installed, the one that"
                            + " HADOOP_HOME or HADOOP_CONF_DIR names; auto: installed where one is"
                            + " named, else local (default: ${DEFAULT-VALUE}).")
    private Place place;

    @Mixin private Question question;

    public Place place() {
        return place;
    }

    /**
     * Asks on a terminal whether to go on with an installed cluster, unless that was said already.
     *
     * @param what is about to be submitted
     */
    public void confirm(final HadoopSite site, final String what) {
        if (site instanceof InstalledHadoop && place != Place.INSTALLED) {
            question.ask(what);
        }
    }
}
