// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import io.spillway.thread.DaemonThreads;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of all ranks because one of them cannot start: the others wait for it in MPI_Init. */
public final class AbortedStart {
    private static final Logger LOG = LoggerFactory.getLogger(AbortedStart.class);

    /** The others come to MPI_Init at about the same time, unless they have failed as well. */
    private static final long PATIENCE_SECONDS = 30;

    private AbortedStart() {}

    /**
     * Joins the world and ends it. Returns where that cannot be, after half a minute at most: no
     * launcher, no library, or a world that this process has been in before.
     *
     * @param exitCode that the launcher shows
     */
    public static void abort(final MpiSettings settings, final int exitCode) {
        final Thread rank =
                DaemonThreads.of("spillway-mpi-abort", () -> joinAndAbort(settings, exitCode));
        rank.start();
        try {
            rank.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void joinAndAbort(final MpiSettings settings, final int exitCode) {
        try {
            MpiWorld.start(settings).abort(exitCode);
        } catch (final IOException | RuntimeException e) {
            LOG.debug("The launcher has to see by itself that this rank ends", e);
        }
    }
}
