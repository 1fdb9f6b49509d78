// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameReader;
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
    static final BodyBounds BODY = BodyBounds.EMPTY.plusLong(1, OpaqueId.MAX_LENGTH);

    /** Checks the type. */
    public JobEvent {
        if (type != ControlFrameType.JOB_ENDED && type != ControlFrameType.TASK_ENDED) {
            throw new IllegalArgumentException(
                    "type=" + type + ", expected JOB_ENDED or TASK_ENDED");
        }
    }

    /** The whole frame. */
    public ByteBuffer encode() {
        return type.writer().text("jobId", jobId, 1, OpaqueId.MAX_LENGTH).finish();
    }

    /** Reads a body. */
    public static JobEvent decode(final ControlFrame frame) throws MalformedFrameException {
        final FrameReader in = frame.type().reader(frame.body());
        final String jobId = in.id("jobId");
        in.end();
        return new JobEvent(frame.type(), jobId);
    }
}
