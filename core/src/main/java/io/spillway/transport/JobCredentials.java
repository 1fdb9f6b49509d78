package io.spillway.transport;

/** What a client proves itself with: the job and its shuffle secret. Immutable, never logged. */
public final class JobCredentials {
    private final String jobId;
    private final byte[] secret;

    /**
     * Creates credentials.
     *
     * @param jobId an {@link OpaqueId}
     * @param secret the job's shuffle secret; copied
     * @throws IllegalArgumentException where {@code jobId} is none
     */
    public JobCredentials(final String jobId, final byte[] secret) {
        this.jobId = OpaqueId.require("jobId", jobId);
        this.secret = secret.clone();
    }

    /** The job. */
    public String jobId() {
        return jobId;
    }

    /** A copy of the job's shuffle secret. */
    public byte[] secret() {
        return secret.clone();
    }

    @Override
    public String toString() {
        return "JobCredentials[" + jobId + "]";
    }
}
