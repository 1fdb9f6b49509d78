// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.conf.MpiStart;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.Transport;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.mpi.library.AbortedStart;
import io.spillway.transport.mpi.library.MpiKeys;
import io.spillway.transport.mpi.library.MpiLibrary;
import io.spillway.transport.mpi.library.MpiSettings;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/** Makes both ends of the mpi transport. Thread-safe. */
public final class MpiProvider implements TransportProvider {
    /** Creates the provider. */
    public MpiProvider() {}

    @Override
    public String name() {
        return MpiTransport.NAME;
    }

    @Override
    public Optional<ShuffleCounter> fetched() {
        return Optional.of(ShuffleCounter.FETCH_MPI_BYTES);
    }

    /** A task needs no MPI library, but a rank on its host. */
    @Override
    public Optional<String> obstacle(final Function<String, String> settings) {
        final Path socket = RankSocket.of(settings);
        return Files.exists(socket)
                ? Optional.empty()
                : Optional.of(
                        "no rank of an MPI world listens at "
                                + socket
                                + "; start the node process of this host with mpirun or srun and "
                                + MpiKeys.MPI_WORLD
                                + "=launched");
    }

    @Override
    public Optional<String> servingObstacle(final Function<String, String> settings) {
        if (MpiKeys.MPI_WORLD.get(settings) == MpiStart.NONE) {
            return Optional.of(
                    MpiKeys.MPI_WORLD + "=none: this node process is no rank of an MPI world");
        }
        return MpiLibrary.obstacle(MpiSettings.from(settings));
    }

    @Override
    public boolean canUse(final Medium medium, final Function<String, String> settings) {
        return medium == Medium.WORLD && Files.exists(RankSocket.of(settings));
    }

    @Override
    public boolean carriesPuts() {
        return true;
    }

    @Override
    public Transport newTransport(final Function<String, String> settings) {
        return new MpiTransport(settings);
    }

    /** Joins the world; {@code host} and {@code port} mean nothing to MPI. */
    @Override
    public SegmentServer newServer(
            final String host,
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> settings,
            final long epoch)
            throws IOException {
        return RankServer.start(source, secrets, settings, epoch);
    }

    /** Without it MPICH's launcher does not see that a rank has ended before MPI_Init. */
    @Override
    public void abandon(final Function<String, String> settings, final int exitCode) {
        if (MpiKeys.MPI_WORLD.get(settings) == MpiStart.LAUNCHED) {
            AbortedStart.abort(MpiSettings.from(settings), exitCode);
        }
    }
}
