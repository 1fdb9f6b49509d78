// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import io.spillway.conf.MpiStart;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * How MPI is found. Immutable.
 *
 * @param library the built native library, or nothing to compile it
 * @param compiler the C compiler of the site's MPI library: a command on the PATH, or its path
 * @param self whether this process is a world of its own, started without mpirun
 */
public record MpiSettings(Optional<String> library, String compiler, boolean self) {
    /** Reads the settings; {@code lookup} returns null for a property that is not set. */
    public static MpiSettings from(final Function<String, String> lookup) {
        return new MpiSettings(
                MpiKeys.MPI_LIBRARY.get(lookup).path().map(Path::toString),
                MpiKeys.MPI_COMPILER.get(lookup),
                MpiKeys.MPI_WORLD.get(lookup) == MpiStart.SELF);
    }

    /** The same for a process that is a world of its own. */
    public MpiSettings alone() {
        return new MpiSettings(library, compiler, true);
    }
}
