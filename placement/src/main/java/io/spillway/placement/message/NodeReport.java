// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * What a node tells the placement service, again and again. A long report goes in several messages,
 * one after the answer to the one before. Immutable.
 *
 * @param node who it is
 * @param space its memory, and files
 * @param applied what it knows of the service's table of jobs
 * @param part which part of the report this is
 * @param content jobs and outputs
 * @param version of the protocol: the answer is of the same
 */
public record NodeReport(
        NodeIdentity node,
        NodeSpace space,
        TableVersion applied,
        ReportPart part,
        ReportContent content,
        int version) {
    /** Checks that nothing is missing. */
    public NodeReport {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(space, "space");
        Objects.requireNonNull(applied, "applied");
        Objects.requireNonNull(part, "part");
        Objects.requireNonNull(content, "content");
    }

    /** A report of the newest version. */
    public NodeReport(
            final NodeIdentity node,
            final NodeSpace space,
            final TableVersion applied,
            final ReportPart part,
            final ReportContent content) {
        this(node, space, applied, part, content, MessageKind.VERSIONS.newest());
    }

    /** The same of another version. */
    public NodeReport with(final int other) {
        return new NodeReport(node, space, applied, part, content, other);
    }

    /** The whole message. */
    public ByteBuffer encode() {
        final FrameWriter out = MessageKind.REPORT.writer(version);
        node.encode(out);
        space.encode(out);
        applied.encode(out);
        part.encode(out);
        content.encode(out);
        return out.finish();
    }

    /** Reads a message; its position stays. */
    public static NodeReport decode(final ByteBuffer message) throws MalformedFrameException {
        final FrameReader in = MessageKind.REPORT.reader(message);
        final NodeIdentity node = NodeIdentity.decode(in);
        final NodeSpace space = NodeSpace.decode(in);
        final TableVersion applied = TableVersion.decode(in);
        final ReportPart part = ReportPart.decode(in);
        final ReportContent content = ReportContent.decode(in);
        in.end();
        return new NodeReport(node, space, applied, part, content, MessageKind.versionOf(message));
    }
}
