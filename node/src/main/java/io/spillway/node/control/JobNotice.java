package io.spillway.node.control;

import io.spillway.transport.OpaqueId;
import io.spillway.wire.MalformedFrameException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/** Tells of a job that runs on the NodeManager. Immutable; its secret is never logged. */
public final class JobNotice {
    /** The longest secret, in bytes. */
    public static final int MAX_SECRET_LENGTH = 4096;

    static final int MIN_BODY_LENGTH = 3 * (Integer.BYTES + 1);
    static final int MAX_BODY_LENGTH =
            3 * Integer.BYTES
                    + OpaqueId.MAX_LENGTH
                    + ControlTexts.MAX_NAME_LENGTH
                    + MAX_SECRET_LENGTH;

    private final String jobId;
    private final String user;
    private final byte[] secret;

    /**
     * Creates a notice.
     *
     * @param jobId an {@link OpaqueId}
     * @param user as whom it runs
     * @param secret its shuffle secret; copied
     */
    public JobNotice(final String jobId, final String user, final byte[] secret) {
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

    /** The whole frame. */
    public ByteBuffer encode() {
        final byte[] job = ControlTexts.bytes("jobId", jobId, OpaqueId.MAX_LENGTH);
        final byte[] name = ControlTexts.bytes("user", user, ControlTexts.MAX_NAME_LENGTH);
        if (secret.length == 0 || secret.length > MAX_SECRET_LENGTH) {
            throw new IllegalArgumentException(
                    "secret length of "
                            + jobId
                            + "="
                            + secret.length
                            + ", expected 1 to "
                            + MAX_SECRET_LENGTH);
        }
        final int length =
                ControlTexts.lengthOf(job)
                        + ControlTexts.lengthOf(name)
                        + ControlTexts.lengthOf(secret);
        final ByteBuffer out = ControlFrameType.JOB.allocate(length);
        ControlTexts.put(out, job);
        ControlTexts.put(out, name);
        ControlTexts.put(out, secret);
        return out.flip();
    }

    /** Reads a body. */
    public static JobNotice decode(final ByteBuffer body) throws MalformedFrameException {
        final ControlReader in = new ControlReader(ControlFrameType.JOB, body);
        final String jobId = in.jobId();
        final String user = in.text("user", 1, ControlTexts.MAX_NAME_LENGTH);
        // It becomes part of a path.
        if (user.contains("/") || user.equals(".") || user.equals("..")) {
            throw MalformedFrameException.of(ControlFrameType.JOB, "user", user, "a user's name");
        }
        final byte[] secret = in.bytes("secret", 1, MAX_SECRET_LENGTH);
        in.end();
        return new JobNotice(jobId, user, secret);
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof JobNotice notice
                && jobId.equals(notice.jobId)
                && user.equals(notice.user)
                && Arrays.equals(secret, notice.secret);
    }

    @Override
    public int hashCode() {
        return jobId.hashCode();
    }

    @Override
    public String toString() {
        return "JobNotice[" + jobId + ", user=" + user + "]";
    }
}
