// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.Screen;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The Hadoop of an allocation, once it is started. Thread-safe. */
final class HpcSession {
    /** Hosts end their daemons within 6 s, and copy logs then. */
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private static final long PAUSE_MILLIS = 200;

    private final Allocation allocation;
    private final SessionFolder folder;
    private final HpcReports reports;
    private final Screen screen;

    HpcSession(final Allocation allocation, final SessionFolder folder, final Screen screen) {
        this.allocation = allocation;
        this.folder = folder;
        this.screen = screen;
        this.reports = new HpcReports(folder, new HpcWeb(folder));
    }

    /** Saves the reports of jobs that have ended. */
    void collectReports() {
        reports.collect();
    }

    /** Ends all daemons, and keeps what is of use afterwards; does nothing where all has ended. */
    synchronized void stop() {
        if (!folder.isRunning()) {
            return;
        }
        reports.collect();
        allocation.terminate(folder);
        awaitHosts();
        final int left = allocation.hosts().size() - folder.ended();
        if (left > 0) {
            screen.note(left + " hosts were lost, or have not said that they left nothing");
        }
        final Map<String, Path> saved = reports.complete();
        folder.deleteState();
        saved.forEach((job, report) -> screen.note(job + ": " + report));
        screen.note("Hadoop has ended; logs and reports: " + folder.path());
    }

    /** A host that is lost, and that the batch system still waits for, ends with the allocation. */
    private void awaitHosts() {
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline
                && folder.ended() < allocation.hosts().size()
                && allocation.isServing(folder)) {
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted while the hosts end", e);
        }
    }
}
