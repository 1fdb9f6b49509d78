// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import io.spillway.placement.message.CommittedOutput;
import io.spillway.placement.message.JobOutputs;
import io.spillway.placement.message.MessageKind;
import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeOrders;
import io.spillway.placement.message.NodeReport;
import io.spillway.placement.message.NodeSpace;
import io.spillway.placement.message.ReportContent;
import io.spillway.placement.message.ReportPart;
import io.spillway.placement.message.TableVersion;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.thread.Backoff;
import io.spillway.thread.DaemonThreads;
import io.spillway.transport.serve.ServedJob;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's side of the placement service: reports what the node has, again and again, and keeps the
 * table of {@link KnownJobs}. A thread of its own does all of it; while the service is away it
 * tries again, and nothing is forgotten. Thread-safe; no method blocks but {@link #close}, for a
 * few seconds at most.
 */
public final class PlacementAgent implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PlacementAgent.class);

    /** At most a part of the time after which a silent node is given up. */
    private static final Backoff RESTS = Backoff.doubling(500, 4_000);

    private static final long ANSWER_MILLIS = 10_000;
    private static final long STOP_MILLIS = 5_000;
    private static final int MAX_UNREPORTED = 1 << 16;

    /** Then the node rests, however much the service has to say. */
    private static final int MAX_REPORTS_IN_A_ROW = 64;

    private final NodeIdentity node;
    private final HostReport host;
    private final KnownJobs jobs;
    private final Function<ByteBuffer, CompletableFuture<ByteBuffer>> service;
    private final Backoff rests;
    private final UnreportedOutputs unreported = new UnreportedOutputs(MAX_UNREPORTED);
    private final Semaphore wakes = new Semaphore(0);
    private final Thread thread;
    private volatile boolean closing;
    private volatile boolean answered;

    // Of the thread.
    private final JobSeals seals;
    private boolean listingDue = true;
    private int intervalMillis = NodeOrders.MIN_INTERVAL_MILLIS;
    private int version = MessageKind.VERSIONS.newest();

    private PlacementAgent(
            final NodeIdentity node,
            final HostReport host,
            final KnownJobs jobs,
            final ClusterSecret cluster,
            final Function<ByteBuffer, CompletableFuture<ByteBuffer>> service,
            final Backoff rests) {
        this.node = Objects.requireNonNull(node, "node");
        this.host = Objects.requireNonNull(host, "host");
        this.jobs = Objects.requireNonNull(jobs, "jobs");
        this.service = Objects.requireNonNull(service, "service");
        this.rests = rests;
        this.seals = new JobSeals(cluster);
        this.thread = DaemonThreads.of("spillway-placement-agent", this::run);
    }

    /**
     * Starts reporting.
     *
     * @param node who reports
     * @param host what there is to report
     * @param jobs is kept by the agent from now on
     * @param cluster seals the secrets of the host's jobs
     * @param service sends a question to the service and completes with the answer; connects again
     *     where it has to, and may fail either way
     */
    public static PlacementAgent start(
            final NodeIdentity node,
            final HostReport host,
            final KnownJobs jobs,
            final ClusterSecret cluster,
            final Function<ByteBuffer, CompletableFuture<ByteBuffer>> service) {
        return start(node, host, jobs, cluster, service, RESTS);
    }

    /**
     * Starts reporting.
     *
     * @param rests in milliseconds, after failures
     */
    static PlacementAgent start(
            final NodeIdentity node,
            final HostReport host,
            final KnownJobs jobs,
            final ClusterSecret cluster,
            final Function<ByteBuffer, CompletableFuture<ByteBuffer>> service,
            final Backoff rests) {
        final PlacementAgent agent = new PlacementAgent(node, host, jobs, cluster, service, rests);
        agent.thread.start();
        return agent;
    }

    /** Reports at once, such as when a job has begun. */
    public void wake() {
        wakes.release();
    }

    /**
     * An output is whole, and goes into the next report. {@link HostReport#outputs} has it from
     * before this call on.
     *
     * @param bytes that it takes of the node's capacity
     */
    public void committed(final String jobId, final String output, final long bytes) {
        unreported.add(jobId, new CommittedOutput(output, bytes));
    }

    /** An output that was whole is not there any more: the next report lists all that are. */
    public void withdrawn() {
        unreported.listAll();
    }

    /** Whether the service has answered the last report. */
    public boolean isAnswered() {
        return answered;
    }

    // ---- the thread ----------------------------------------------------------------------------

    private void run() {
        int failures = 0;
        try {
            while (!closing) {
                jobs.expire();
                failures = reportOnce(failures);
                rest(failures == 0 ? intervalMillis : rests.after(failures));
            }
        } catch (final InterruptedException e) {
            LOG.debug("No more reports to the placement service", e);
        } catch (final Error e) {
            LOG.error("No more reports to the placement service", e);
            throw e;
        } finally {
            answered = false;
        }
    }

    private void rest(final long millis) throws InterruptedException {
        final boolean unused = wakes.tryAcquire(millis, TimeUnit.MILLISECONDS);
        // One report is enough for all who have asked for one.
        wakes.drainPermits();
    }

    /** How many times in a row it has failed now. */
    private int reportOnce(final int failures) throws InterruptedException {
        try {
            int left = MAX_REPORTS_IN_A_ROW;
            while (report() && left > 0 && !closing) {
                left--;
            }
        } catch (final IOException | RuntimeException e) {
            answered = false;
            // The next service may be of another release.
            version = MessageKind.VERSIONS.newest();
            if (failures == 0 && !closing) {
                LOG.warn("The placement service gives node {} no answer: {}", node, e.toString());
            }
            LOG.debug("Report of node {} failed", node, e);
            return failures + 1;
        }
        answered = true;
        if (failures > 0) {
            LOG.info("The placement service answers node {} again", node);
        }
        return 0;
    }

    /** Sends one report; whether another one is due at once. */
    private boolean report() throws IOException, InterruptedException {
        final boolean isListing = listingDue || unreported.isOverflown();
        listingDue = isListing;
        final List<ReportContent> parts = parts(isListing);
        // Read after the outputs: what they take is in it.
        final NodeSpace space = host.space();
        TableVersion told = jobs.version();
        for (int i = 0; i < parts.size(); i++) {
            told = jobs.version();
            final ReportPart part = new ReportPart(isListing, i, i + 1 < parts.size());
            final NodeOrders orders =
                    ask(new NodeReport(node, space, told, part, parts.get(i), version));
            jobs.apply(orders.changes());
            if (isOfAnotherTable(told, jobs.version())) {
                // So it may be another process, of another release.
                version = MessageKind.VERSIONS.newest();
            }
            intervalMillis = orders.intervalMillis();
            if (orders.wantsListing()) {
                return listAgain(isListing);
            }
        }
        listingDue = jobs.hasReturned();
        if (!isListing) {
            unreported.acknowledged();
        }
        // The service leases places on nodes only that have told that they know the job.
        return !told.equals(jobs.version());
    }

    private static boolean isOfAnotherTable(final TableVersion one, final TableVersion other) {
        return !one.equals(TableVersion.NONE) && one.table() != other.table();
    }

    private boolean listAgain(final boolean wasListing) throws IOException {
        listingDue = true;
        if (wasListing) {
            throw new IOException("it has lost the first part of a report");
        }
        return true;
    }

    private List<ReportContent> parts(final boolean isListing) {
        final ReportParts parts = new ReportParts();
        final List<ServedJob> ofHost = host.jobs();
        seals.keepOnly(ofHost.stream().map(ServedJob::jobId).collect(Collectors.toSet()));
        for (final ServedJob job : ofHost) {
            if (jobs.isAnnounced(job.jobId())) {
                parts.addKnown(job.jobId());
            } else {
                seals.of(job).ifPresent(parts::add);
            }
        }
        outputs(isListing).forEach(parts::add);
        return parts.finish();
    }

    private List<JobOutputs> outputs(final boolean isListing) {
        if (!isListing) {
            return unreported.take();
        }
        // First: what is committed after this is in the next report, if not in the list too.
        unreported.clear();
        return host.outputs();
    }

    private NodeOrders ask(final NodeReport report) throws IOException, InterruptedException {
        final CompletableFuture<ByteBuffer> answer = service.apply(report.encode());
        try {
            return NodeOrders.decode(answer.get(ANSWER_MILLIS, TimeUnit.MILLISECONDS));
        } catch (final ExecutionException e) {
            if (isOfOlderService(e.getCause())) {
                version--;
                LOG.info(
                        "The placement service is of a former release: reports of version {}",
                        version);
                return ask(report.with(version));
            }
            throw new IOException(String.valueOf(e.getCause().getMessage()), e);
        } catch (final TimeoutException e) {
            answer.cancel(false);
            throw new IOException("none within " + ANSWER_MILLIS + " ms", e);
        }
    }

    /** A service that knew no range of versions has only this text for another one. */
    private boolean isOfOlderService(final Throwable refusal) {
        return version > MessageKind.VERSIONS.oldest()
                && String.valueOf(refusal.getMessage())
                        .contains(
                                MessageKind.REPORT + " frame: version=" + version + ", expected ");
    }

    /** Ends the thread, and waits for that for some seconds. The service gets no notice. */
    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        try {
            thread.join(STOP_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
