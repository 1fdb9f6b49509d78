// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.status;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.placement.message.MessageKind;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Answers a {@link StatusRequest}. The longest lists fit into a message. Immutable.
 *
 * @param service the service's own figures
 * @param nodes at most {@value #MAX_NODES}
 * @param jobs at most {@value #MAX_JOBS}
 * @param more whether nodes or jobs follow
 */
public record StatusPart(
        ServiceFigures service, List<NodeFill> nodes, List<JobFill> jobs, boolean more) {
    /** The most nodes of a part. */
    public static final int MAX_NODES = 512;

    /** The most jobs of a part. */
    public static final int MAX_JOBS = 1024;

    /** Checks the sizes and copies the lists. */
    public StatusPart {
        Objects.requireNonNull(service, "service");
        nodes = List.copyOf(nodes);
        jobs = List.copyOf(jobs);
        if (nodes.size() > MAX_NODES || jobs.size() > MAX_JOBS) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "nodes=%d jobs=%d, expected at most %d and %d",
                            nodes.size(),
                            jobs.size(),
                            MAX_NODES,
                            MAX_JOBS));
        }
    }

    /** The whole message. */
    public ByteBuffer encode() {
        final FrameWriter out = MessageKind.STATUS_PART.writer();
        service.encode(out);
        out.list(nodes, (writer, node) -> node.encode(writer));
        out.list(jobs, (writer, job) -> job.encode(writer));
        return out.flag(more).finish();
    }

    /** Reads a message; its position stays. */
    public static StatusPart decode(final ByteBuffer message) throws MalformedFrameException {
        final FrameReader in = MessageKind.STATUS_PART.reader(message);
        final ServiceFigures service = ServiceFigures.decode(in);
        final List<NodeFill> nodes = in.list("nodes", 0, MAX_NODES, NodeFill::decode);
        final List<JobFill> jobs = in.list("jobs", 0, MAX_JOBS, JobFill::decode);
        final boolean more = in.flag("more");
        in.end();
        return new StatusPart(service, nodes, jobs, more);
    }
}
