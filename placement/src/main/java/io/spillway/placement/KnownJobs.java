// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import io.spillway.placement.message.SealedJob;
import io.spillway.placement.message.TableChanges;
import io.spillway.placement.message.TableVersion;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.transport.serve.JobSecrets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.crypto.AEADBadTagException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of the cluster, as the placement service reports them. A job ends at once where the
 * service knows of its end. Where the service only does not hear of a job any more, the job stays
 * known while it has users here, and for the keep time beyond: a network that is cut between its
 * hosts and the service is no end of a job. Reading is thread-safe and does not block; one thread
 * applies changes.
 */
public final class KnownJobs implements JobSecrets {
    private static final Logger LOG = LoggerFactory.getLogger(KnownJobs.class);

    /** A job; {@code table} is the table that it was in. */
    private static final class Known {
        private final long table;
        private final String user;

        /** Null where this node gets none. */
        private final byte[] secret;

        private final boolean ofNode;

        // Of the thread that applies changes.
        private boolean silent;
        private long aliveNanos;

        Known(final long table, final String user, final byte[] secret, final boolean ofNode) {
            this.table = table;
            this.user = user;
            this.secret = secret;
            this.ofNode = ofNode;
        }
    }

    private final ClusterSecret cluster;
    private final Supplier<Set<String>> users;
    private final long keepNanos;
    private final LongSupplier clock;
    private final Consumer<String> onEnded;
    private final Map<String, Known> jobs = new ConcurrentHashMap<>();

    // Of the thread that applies changes.
    private TableVersion version = TableVersion.NONE;

    /** The jobs in the parts of a list of all jobs that has begun; null while there is none. */
    private Set<String> listed;

    private boolean returned;

    /**
     * Creates an empty table.
     *
     * @param cluster opens the secrets
     * @param users the jobs that have a proved connection to this process now; does not block
     * @param keepNanos how long a job of which nothing is heard outlives its last user here
     * @param clock of nanoseconds
     * @param onEnded is called when a job has ended and is not known here any more, by the thread
     *     that applies changes; does not block
     */
    public KnownJobs(
            final ClusterSecret cluster,
            final Supplier<Set<String>> users,
            final long keepNanos,
            final LongSupplier clock,
            final Consumer<String> onEnded) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.users = Objects.requireNonNull(users, "users");
        this.keepNanos = keepNanos;
        this.clock = Objects.requireNonNull(clock, "clock");
        this.onEnded = Objects.requireNonNull(onEnded, "onEnded");
    }

    @Override
    public byte[] secretOf(final String jobId) {
        final Known job = jobs.get(jobId);
        return job == null ? null : job.secret;
    }

    /** Whether {@link #secretOf} is the key of this node, and not the job's secret. */
    public boolean isOfNode(final String jobId) {
        final Known job = jobs.get(jobId);
        return job != null && job.ofNode;
    }

    /** As whom a job runs, or null where the job is not known. */
    public String userOf(final String jobId) {
        final Known job = jobs.get(jobId);
        return job == null ? null : job.user;
    }

    /** How many jobs are known. */
    public int size() {
        return jobs.size();
    }

    // ---- the thread that applies changes -------------------------------------------------------

    /** What was applied last. */
    TableVersion version() {
        return version;
    }

    /** Whether the service knows a job: it is in the table that was applied last. */
    boolean isAnnounced(final String jobId) {
        final Known job = jobs.get(jobId);
        return job != null && !job.silent && job.table == version.table();
    }

    /**
     * Whether a job has come back that the service had given up, since this was asked last: the
     * service does not know what is held of it.
     */
    boolean hasReturned() {
        final boolean result = returned;
        returned = false;
        return result;
    }

    /** Looks at the users of all jobs, and ends those whose time is up. */
    void expire() {
        final long now = clock.getAsLong();
        final Set<String> used = users.get();
        final List<String> expired = new ArrayList<>();
        jobs.forEach(
                (jobId, job) -> {
                    if (!job.silent || used.contains(jobId)) {
                        job.aliveNanos = now;
                    } else if (now - job.aliveNanos >= keepNanos) {
                        expired.add(jobId);
                    }
                });
        for (final String jobId : expired) {
            LOG.info(
                    "{}: no host has reported it, and no task of it was connected here, for {} s:"
                            + " what is held of it is freed",
                    jobId,
                    TimeUnit.NANOSECONDS.toSeconds(keepNanos));
            end(jobId);
        }
    }

    void apply(final TableChanges changes) {
        version = changes.version();
        if (changes.reset()) {
            listed = new HashSet<>();
        }
        changes.ended().forEach(this::end);
        changes.kept().forEach(this::fallSilent);
        changes.jobs().forEach(this::add);
        if (listed == null) {
            return;
        }
        changes.jobs().forEach(job -> listed.add(job.id()));
        listed.addAll(changes.kept());
        if (!changes.more()) {
            endList(changes.complete());
        }
    }

    private void add(final SealedJob job) {
        try {
            final Known former = jobs.get(job.id());
            final Known known = known(job, former);
            known.aliveNanos = clock.getAsLong();
            jobs.put(job.id(), known);
            returned |= former != null && former.silent;
        } catch (final AEADBadTagException e) {
            LOG.warn(
                    "{} of {}: its secret does not open, expected one under the secret of {} here;"
                            + " the job is not served",
                    job.id(),
                    job.user(),
                    ClusterSecret.SETTING,
                    e);
        }
    }

    private Known known(final SealedJob job, final Known former) throws AEADBadTagException {
        final long table = version.table();
        // Old tasks of a job that an old service has announced prove themselves by nothing else.
        if (former != null && former.secret != null && !former.ofNode) {
            return new Known(table, job.user(), former.secret, false);
        }
        return switch (job.key()) {
            case NONE -> new Known(table, job.user(), null, true);
            case SECRET -> new Known(table, job.user(), open(job), false);
            case OF_NODE -> new Known(table, job.user(), open(job), true);
        };
    }

    private byte[] open(final SealedJob job) throws AEADBadTagException {
        return job.secret().open(cluster, job.id(), job.user());
    }

    /** Nothing is heard of what is not in the list of all jobs. */
    private void endList(final boolean complete) {
        if (complete) {
            jobs.keySet().stream()
                    .filter(jobId -> !listed.contains(jobId))
                    .forEach(this::fallSilent);
        }
        listed = null;
    }

    private void fallSilent(final String jobId) {
        final Known job = jobs.get(jobId);
        if (job != null && !job.silent) {
            job.silent = true;
            job.aliveNanos = clock.getAsLong();
        }
    }

    /** Not known first: so that nothing new of the job comes while what it has is freed. */
    private void end(final String jobId) {
        if (jobs.remove(jobId) == null) {
            return;
        }
        try {
            onEnded.accept(jobId);
        } catch (final RuntimeException e) {
            LOG.error("What was held of {} could not be freed", jobId, e);
        }
    }
}
