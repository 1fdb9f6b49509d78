// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.place;

import io.spillway.cli.option.Screen;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.WorkFolder;
import java.util.Optional;

/** Where the jobs of a command run: a mixin, with the options that say so. */
public interface JobPlace {
    /**
     * Finds the place, or makes it.
     *
     * @param purpose names what is made for the command
     * @param transport that is asked for, where one is
     */
    OpenPlace open(WorkFolder work, Screen screen, String purpose, Optional<String> transport);

    /** The installed Hadoop, where the environment names one and it is meant. */
    Optional<InstalledHadoop> installed(WorkFolder work);

    /**
     * Asks a person before jobs go to a site that is shared with others.
     *
     * @param what is about to be submitted
     */
    void confirm(HadoopSite site, String what);
}
