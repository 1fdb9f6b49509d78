// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.serve;

import io.spillway.transport.OpaqueId;
import java.util.Arrays;
import java.util.Objects;

/** A job that a host serves. Immutable; its secret is never logged. */
public final class ServedJob {
    /** The longest secret, in bytes. */
    public static final int MAX_SECRET_LENGTH = 4096;

    private final String jobId;
    private final String user;
    private final byte[] secret;

    /**
     * Creates it.
     *
     * @param jobId an {@link OpaqueId}
     * @param user as whom it runs
     * @param secret its shuffle secret; copied
     */
    public ServedJob(final String jobId, final String user, final byte[] secret) {
        this.jobId = Objects.requireNonNull(jobId, "jobId");
        this.user = Objects.requireNonNull(user, "user");
        this.secret = secret.clone();
    }

    /** The job. */
    public String jobId() {
        return jobId;
    }

    /** As whom it runs. */
    public String user() {
        return user;
    }

    /** A copy of its shuffle secret. */
    public byte[] secret() {
        return secret.clone();
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof ServedJob job
                && jobId.equals(job.jobId)
                && user.equals(job.user)
                && Arrays.equals(secret, job.secret);
    }

    @Override
    public int hashCode() {
        return jobId.hashCode();
    }

    @Override
    public String toString() {
        return "ServedJob[" + jobId + ", user=" + user + "]";
    }
}
