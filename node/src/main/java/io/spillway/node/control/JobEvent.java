// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.OpaqueId;
import java.nio.ByteBuffer;

/**
 * Something has happened to a job: the body of {@code JOB_ENDED} and {@code TASK_ENDED}.
 *
 * @param type which of the two
 * @param jobId an {@link OpaqueId}
 */
public record JobEvent(ControlFrameType type, String jobId) {
    static final int MIN_BODY_LENGTH = Integer.BYTES + 1;
    static final int MAX_BODY_LENGTH = Integer.BYTES + OpaqueId.MAX_LENGTH;

    /** Checks the type. */
    public JobEvent {
        if (type != ControlFrameType.JOB_ENDED && type != ControlFrameType.TASK_ENDED) {
            throw new IllegalArgumentException(
                    "type=" + type + ", expected JOB_ENDED or TASK_ENDED");
        }
    }

    /** The whole frame. */
    public ByteBuffer encode() {
        final byte[] job = ControlTexts.bytes("jobId", jobId, OpaqueId.MAX_LENGTH);
        final ByteBuffer out = type.allocate(ControlTexts.lengthOf(job));
        ControlTexts.put(out, job);
        return out.flip();
    }

    /** Reads a body. */
    public static JobEvent decode(final ControlFrame frame) throws MalformedFrameException {
        final ControlReader in = new ControlReader(frame.type(), frame.body());
        final String jobId = in.jobId();
        in.end();
        return new JobEvent(frame.type(), jobId);
    }
}
