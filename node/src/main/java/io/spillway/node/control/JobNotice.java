// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.OpaqueId;
import io.spillway.transport.serve.ServedJob;
import java.nio.ByteBuffer;

/** The layout of a frame about a job that runs on the NodeManager. */
public final class JobNotice {
    static final BodyBounds BODY =
            JobEvent.BODY
                    .plusLong(1, ControlFrameType.MAX_NAME_LENGTH)
                    .plusLong(1, ServedJob.MAX_SECRET_LENGTH);

    private JobNotice() {}

    /** The whole frame. */
    public static ByteBuffer encode(final ServedJob job) {
        return ControlFrameType.JOB
                .writer()
                .text("jobId", job.jobId(), 1, OpaqueId.MAX_LENGTH)
                .text("user", job.user(), 1, ControlFrameType.MAX_NAME_LENGTH)
                .block("secret of " + job.jobId(), job.secret(), 1, ServedJob.MAX_SECRET_LENGTH)
                .finish();
    }

    /** Reads a body. */
    public static ServedJob decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = ControlFrameType.JOB.reader(body);
        final String jobId = in.id("jobId");
        final String user = in.text("user", 1, ControlFrameType.MAX_NAME_LENGTH);
        // It becomes part of a path.
        if (user.contains("/") || user.equals(".") || user.equals("..")) {
            throw in.malformed("user", user, "a user's name");
        }
        final byte[] secret = in.block("secret", 1, ServedJob.MAX_SECRET_LENGTH);
        in.end();
        return new ServedJob(jobId, user, secret);
    }
}
