// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.place;

import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.WorkFolder;
import java.util.List;

/** The sites that a command asks about finished jobs: a mixin, with the options that say so. */
public interface AskedSites {
    /** The sites, in the order in which they are asked. */
    List<HadoopSite> sites(WorkFolder work);
}
