// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import io.spillway.cli.site.HadoopSite;

/** Runs programs at a site, one after the other. */
public interface Jobs {
    /** Where programs run. */
    HadoopSite site();

    /**
     * Runs a program that submits one job or several, and gives their figures as those of one.
     *
     * @throws io.spillway.cli.failure.CommandException when the program fails
     */
    JobFigures measure(JobSpec spec);

    /**
     * Runs a program whose output counts, not its time.
     *
     * @throws io.spillway.cli.failure.CommandException when the program fails
     */
    JobResult run(JobSpec spec);
}
