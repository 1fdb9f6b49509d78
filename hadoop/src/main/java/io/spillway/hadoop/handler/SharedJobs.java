// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.store.shared.SharedFolders;
import io.spillway.thread.DaemonThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the files of ended jobs in the directory of a shared file system. When a job ends, YARN
 * notifies every NodeManager that had a container of it. Each NodeManager deletes the outputs of
 * the maps of its host. Files that are still there some minutes later belong to a host that is
 * gone. The first NodeManager that checks then deletes them.
 *
 * <p>A decommissioned NodeManager ends its jobs, too, though they continue on other hosts and read
 * the outputs of this host. So the first step waits longer than a NodeManager takes to end; the end
 * of the process cancels it. The work has a thread of its own, because a file system may hang.
 * Thread-safe.
 */
final class SharedJobs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedJobs.class);

    /** What {@code ContainerManagerImpl} waits beyond the signals, and as much again. */
    private static final Duration SLOP = Duration.ofSeconds(4);

    /** When what other hosts should have deleted is looked at. */
    private static final Duration REST = Duration.ofMinutes(2);

    /** Hosts look one after the other: the first leaves the others nothing to do. */
    private static final int SPREAD_SECONDS = 60;

    private final SharedFolders folders;
    private final String host;
    private final Duration first;
    private final Duration rest;
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(
                    1, work -> DaemonThreads.of("spillway-shared-jobs", work));

    /**
     * Creates the cleaner of a host.
     *
     * @param host its name, as completion events have it
     * @param first how long after a job's end this host's part is deleted
     * @param rest how long after that all others are
     */
    SharedJobs(
            final SharedFolders folders,
            final String host,
            final Duration first,
            final Duration rest) {
        this.folders = folders;
        this.host = host;
        this.first = first;
        this.rest = rest;
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** The cleaner of a NodeManager. */
    static SharedJobs of(final SharedFolders folders, final Configuration conf) {
        final String host = hostName(conf);
        final int turn = Math.floorMod(host.hashCode(), SPREAD_SECONDS);
        LOG.info("Serving map outputs in {} as those of {}", folders.directory(), host);
        return new SharedJobs(folders, host, patience(conf), REST.plusSeconds(turn));
    }

    /** As {@code ContainerManagerImpl} names the node, and so the variable NM_HOST. */
    private static String hostName(final Configuration conf) {
        final InetSocketAddress address =
                conf.getSocketAddr(
                        YarnConfiguration.NM_BIND_HOST,
                        YarnConfiguration.NM_ADDRESS,
                        YarnConfiguration.DEFAULT_NM_ADDRESS,
                        YarnConfiguration.DEFAULT_NM_PORT);
        return NetUtils.getConnectAddress(address).getAddress().getCanonicalHostName();
    }

    /** For how long at most a NodeManager that stops waits for its applications, and more. */
    private static Duration patience(final Configuration conf) {
        final long signals =
                conf.getLong(
                                YarnConfiguration.NM_SLEEP_DELAY_BEFORE_SIGKILL_MS,
                                YarnConfiguration.DEFAULT_NM_SLEEP_DELAY_BEFORE_SIGKILL_MS)
                        + conf.getLong(
                                YarnConfiguration.NM_PROCESS_KILL_WAIT_MS,
                                YarnConfiguration.DEFAULT_NM_PROCESS_KILL_WAIT_MS);
        return Duration.ofMillis(signals).plus(SLOP);
    }

    /** A job has ended; returns at once. */
    void ended(final String job) {
        schedule(() -> deleteOwn(job), first);
    }

    private void schedule(final Runnable step, final Duration delay) {
        try {
            final Object unused = thread.schedule(step, delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (final RejectedExecutionException e) {
            LOG.debug("The NodeManager ends", e);
        }
    }

    private void deleteOwn(final String job) {
        try {
            if (folders.delete(job, host)) {
                return;
            }
        } catch (final IOException | RuntimeException e) {
            warn(job, e);
        }
        schedule(() -> deleteRest(job), rest);
    }

    private void deleteRest(final String job) {
        try {
            if (!folders.delete(job)) {
                LOG.warn("In the folder of {} in {} are strange files", job, folders.directory());
            }
        } catch (final IOException | RuntimeException e) {
            warn(job, e);
        }
    }

    private void warn(final String job, final Exception cause) {
        LOG.warn(
                "Cannot delete what {} has left in {}; spillway node clean does, of its user: {}",
                job,
                folders.directory(),
                cause.toString());
    }

    /** Forgets all jobs: a NodeManager that ends cannot tell whether they have ended elsewhere. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
