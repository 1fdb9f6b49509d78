// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.OpaqueId;
import io.spillway.transport.serve.ServedJob;
import java.nio.ByteBuffer;

/** The layout of a frame about a job that runs on the NodeManager. */
public final class JobNotice {
    static final int MIN_BODY_LENGTH = 3 * (Integer.BYTES + 1);
    static final int MAX_BODY_LENGTH =
            3 * Integer.BYTES
                    + OpaqueId.MAX_LENGTH
                    + ControlTexts.MAX_NAME_LENGTH
                    + ServedJob.MAX_SECRET_LENGTH;

    private JobNotice() {}

    /** The whole frame. */
    public static ByteBuffer encode(final ServedJob job) {
        final byte[] id = ControlTexts.bytes("jobId", job.jobId(), OpaqueId.MAX_LENGTH);
        final byte[] user = ControlTexts.bytes("user", job.user(), ControlTexts.MAX_NAME_LENGTH);
        final byte[] secret = job.secret();
        if (secret.length == 0 || secret.length > ServedJob.MAX_SECRET_LENGTH) {
            throw new IllegalArgumentException(
                    "secret length of "
                            + job.jobId()
                            + "="
                            + secret.length
                            + ", expected 1 to "
                            + ServedJob.MAX_SECRET_LENGTH);
        }
        final int length =
                ControlTexts.lengthOf(id)
                        + ControlTexts.lengthOf(user)
                        + ControlTexts.lengthOf(secret);
        final ByteBuffer out = ControlFrameType.JOB.allocate(length);
        ControlTexts.put(out, id);
        ControlTexts.put(out, user);
        ControlTexts.put(out, secret);
        return out.flip();
    }

    /** Reads a body. */
    public static ServedJob decode(final ByteBuffer body) throws MalformedFrameException {
        final ControlReader in = new ControlReader(ControlFrameType.JOB, body);
        final String jobId = in.jobId();
        final String user = in.text("user", 1, ControlTexts.MAX_NAME_LENGTH);
        // It becomes part of a path.
        if (user.contains("/") || user.equals(".") || user.equals("..")) {
            throw MalformedFrameException.of(ControlFrameType.JOB, "user", user, "a user's name");
        }
        final byte[] secret = in.bytes("secret", 1, ServedJob.MAX_SECRET_LENGTH);
        in.end();
        return new ServedJob(jobId, user, secret);
    }
}
