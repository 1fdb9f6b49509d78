// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import io.spillway.placement.message.MessageKind;
import io.spillway.placement.message.NodeReport;
import io.spillway.placement.message.SealedJob;
import io.spillway.placement.message.TableChanges;
import io.spillway.placement.secret.ClusterSecret;
import io.spillway.placement.secret.SealedSecret;
import io.spillway.transport.JobCredentials;
import java.security.SecureRandom;
import javax.crypto.AEADBadTagException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes what each member of the cluster learns of jobs' secrets: a node that gives memory to
 * outputs gets the keys of its own address, any other one gets nothing that is of use. Only beside
 * the former release do nodes with memory get the secret itself: an old node takes nothing else,
 * and an old task proves itself by nothing else. Thread-safe.
 */
final class MemberKeys {
    private static final Logger LOG = LoggerFactory.getLogger(MemberKeys.class);

    private final ClusterSecret cluster;
    private final SecureRandom random = new SecureRandom();

    MemberKeys(final ClusterSecret cluster) {
        this.cluster = cluster;
    }

    /** The changes as the node that has reported gets them. */
    TableChanges of(final NodeReport report, final TableChanges changes) {
        return changes.withJobs(changes.jobs().stream().map(job -> of(report, job)).toList());
    }

    private SealedJob of(final NodeReport report, final SealedJob job) {
        final boolean holds = report.space().total() > 0;
        final boolean isFormer = report.version() == MessageKind.V2;
        if (!holds && !isFormer) {
            return new SealedJob(job.id(), job.user(), SealedJob.Key.NONE, SealedSecret.NONE);
        }
        if (holds && (isFormer || job.key() == SealedJob.Key.SECRET)) {
            return job;
        }
        return ofNode(report, job);
    }

    private SealedJob ofNode(final NodeReport report, final SealedJob job) {
        try {
            final byte[] secret = job.secret().open(cluster, job.id(), job.user());
            final byte[] key = JobCredentials.nodeKey(secret, report.node().address());
            final SealedSecret sealed =
                    SealedSecret.seal(cluster, job.id(), job.user(), key, random);
            return new SealedJob(job.id(), job.user(), SealedJob.Key.OF_NODE, sealed);
        } catch (final AEADBadTagException e) {
            LOG.warn(
                    "{} of {}: its secret does not open, expected one under the secret of {} here;"
                            + " no memory node gets a key for it",
                    job.id(),
                    job.user(),
                    ClusterSecret.SETTING,
                    e);
            return new SealedJob(job.id(), job.user(), SealedJob.Key.NONE, SealedSecret.NONE);
        }
    }
}
