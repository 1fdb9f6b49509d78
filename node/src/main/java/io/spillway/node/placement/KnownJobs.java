package io.spillway.node.placement;

import io.spillway.node.placement.message.SealedJob;
import io.spillway.node.placement.message.TableChanges;
import io.spillway.node.placement.message.TableVersion;
import io.spillway.node.placement.secret.ClusterSecret;
import io.spillway.transport.serve.JobSecrets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.crypto.AEADBadTagException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of the cluster, as the placement service has told. While the service is away, and until
 * one that was started anew has heard all hosts, nothing is forgotten. Reading is thread-safe and
 * does not block; one thread applies changes.
 */
public final class KnownJobs implements JobSecrets {
    private static final Logger LOG = LoggerFactory.getLogger(KnownJobs.class);

    /** A job; {@code table} is the table that it was in. */
    private static final class Known {
        private final long table;
        private final String user;
        private final byte[] secret;

        Known(final long table, final String user, final byte[] secret) {
            this.table = table;
            this.user = user;
            this.secret = secret;
        }
    }

    private final ClusterSecret cluster;
    private final Consumer<String> onEnded;
    private final Map<String, Known> jobs = new ConcurrentHashMap<>();

    // Of the thread that applies changes.
    private TableVersion version = TableVersion.NONE;

    /** The jobs in the parts of a list of all jobs that has begun; null while there is none. */
    private Set<String> listed;

    /**
     * Creates an empty table.
     *
     * @param cluster opens the secrets
     * @param onEnded is called when a job has ended and is not known here any more, by the thread
     *     that applies changes; does not block
     */
    public KnownJobs(final ClusterSecret cluster, final Consumer<String> onEnded) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.onEnded = Objects.requireNonNull(onEnded, "onEnded");
    }

    @Override
    public byte[] secretOf(final String jobId) {
        final Known job = jobs.get(jobId);
        return job == null ? null : job.secret;
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
        return job != null && job.table == version.table();
    }

    void apply(final TableChanges changes) {
        version = changes.version();
        if (changes.reset()) {
            listed = new HashSet<>();
        }
        changes.ended().forEach(this::end);
        changes.jobs().forEach(this::add);
        if (listed == null) {
            return;
        }
        changes.jobs().forEach(job -> listed.add(job.id()));
        listed.addAll(changes.kept());
        if (!changes.more()) {
            endUnlisted(changes.complete());
        }
    }

    private void add(final SealedJob job) {
        try {
            final byte[] secret = job.secret().open(cluster, job.id(), job.user());
            jobs.put(job.id(), new Known(version.table(), job.user(), secret));
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

    private void endUnlisted(final boolean complete) {
        if (complete) {
            List.copyOf(jobs.keySet()).stream()
                    .filter(jobId -> !listed.contains(jobId))
                    .forEach(this::end);
        }
        listed = null;
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
