// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.conf.InvalidSettingException;
import io.spillway.transport.mpi.library.MpiLibrary;
import io.spillway.transport.mpi.library.MpiSettings;
import java.io.IOException;
import java.util.List;

/** Whether the site's MPI library can be called, where the configuration asks for it. */
final class MpiCheck implements Check {
    private static final String MPI = "mpi";

    private final SiteFacts site;

    MpiCheck(final SiteFacts site) {
        this.site = site;
    }

    @Override
    public String name() {
        return MPI;
    }

    @Override
    public List<Finding> look() {
        if (!site.list("spillway.transport").contains(MPI)
                && !site.list("spillway.node.transports").contains(MPI)) {
            return List.of();
        }
        try {
            MpiLibrary.requireBuildable(MpiSettings.from(site.properties()::get));
            return List.of();
        } catch (final IOException e) {
            return List.of(
                    Finding.error(
                            e.getMessage(),
                            "node processes with --mpi do not start here",
                            "module load the site's MPI, then: spillway mpi build"));
        } catch (final InvalidSettingException e) {
            return List.of(); // the settings' check says so
        }
    }
}
