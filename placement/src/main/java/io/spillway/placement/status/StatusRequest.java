// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.status;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.placement.message.MessageKind;
import io.spillway.transport.OpaqueId;
import io.spillway.transport.SegmentPlace;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * Asks for a part of the cluster's status: nodes and jobs in the order of their names. Immutable.
 *
 * @param afterNode the last node that is known; empty to begin
 * @param afterJob the last job that is known; empty to begin
 */
public record StatusRequest(String afterNode, String afterJob) {
    /** Asks for the first part. */
    public static final StatusRequest FIRST = new StatusRequest("", "");

    /** Checks that nothing is missing. */
    public StatusRequest {
        Objects.requireNonNull(afterNode, "afterNode");
        Objects.requireNonNull(afterJob, "afterJob");
    }

    /** Asks for what comes after a part. */
    StatusRequest after(final StatusPart part) {
        final List<NodeFill> nodes = part.nodes();
        final List<JobFill> jobs = part.jobs();
        return new StatusRequest(
                nodes.isEmpty() ? afterNode : nodes.get(nodes.size() - 1).identity().name(),
                jobs.isEmpty() ? afterJob : jobs.get(jobs.size() - 1).id());
    }

    /** The whole message. */
    public ByteBuffer encode() {
        return MessageKind.STATUS
                .writer()
                .text("afterNode", afterNode, 0, SegmentPlace.MAX_HOST_LENGTH)
                .text("afterJob", afterJob, 0, OpaqueId.MAX_LENGTH)
                .finish();
    }

    /** Reads a message; its position stays. */
    public static StatusRequest decode(final ByteBuffer message) throws MalformedFrameException {
        final FrameReader in = MessageKind.STATUS.reader(message);
        final String afterNode = in.text("afterNode", 0, SegmentPlace.MAX_HOST_LENGTH);
        final String afterJob = in.text("afterJob", 0, OpaqueId.MAX_LENGTH);
        in.end();
        return new StatusRequest(afterNode, afterJob);
    }
}
