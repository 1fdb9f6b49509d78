// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.OpaqueId;
import java.util.List;

/**
 * Outputs of one job that a node holds. Immutable.
 *
 * @param jobId an {@link OpaqueId}
 * @param outputs each once
 */
public record JobOutputs(String jobId, List<CommittedOutput> outputs) {
    /** Checks the id and copies the list. */
    public JobOutputs {
        OpaqueId.require("jobId", jobId);
        outputs = List.copyOf(outputs);
    }

    void encode(final FrameWriter out) {
        out.id("jobId", jobId);
        out.list(outputs, (writer, output) -> output.encode(writer));
    }

    static JobOutputs decode(final FrameReader in) throws MalformedFrameException {
        final String jobId = in.id("jobId");
        return new JobOutputs(
                jobId, in.list("outputs", 0, ReportContent.MAX_OUTPUTS, CommittedOutput::decode));
    }
}
