// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import io.spillway.placement.message.SealedJob;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.placement.secret.SealedSecret;
import io.spillway.transport.serve.ServedJob;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Seals the secrets of the jobs of a host, each once. Used by one thread. */
final class JobSeals {
    private static final Logger LOG = LoggerFactory.getLogger(JobSeals.class);

    /** What was sealed; nothing where the job cannot be told. */
    private record Seal(ServedJob job, Optional<SealedJob> sealed) {}

    private final ClusterSecret cluster;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Seal> seals = new HashMap<>();

    JobSeals(final ClusterSecret cluster) {
        this.cluster = cluster;
    }

    /** The job with its secret sealed; nothing where its names or its secret are wrong. */
    Optional<SealedJob> of(final ServedJob job) {
        final Seal known = seals.get(job.jobId());
        if (known != null && known.job().equals(job)) {
            return known.sealed();
        }
        final Optional<SealedJob> sealed = seal(job);
        seals.put(job.jobId(), new Seal(job, sealed));
        return sealed;
    }

    private Optional<SealedJob> seal(final ServedJob job) {
        try {
            final SealedSecret secret =
                    SealedSecret.seal(cluster, job.jobId(), job.user(), job.secret(), random);
            return Optional.of(new SealedJob(job.jobId(), job.user(), secret));
        } catch (final IllegalArgumentException e) {
            LOG.warn("The placement service gets no notice of a job: {}", e.getMessage());
            return Optional.empty();
        }
    }

    /** Forgets all other jobs. */
    void keepOnly(final Set<String> jobIds) {
        seals.keySet().retainAll(jobIds);
    }
}
