// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.status;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.placement.message.SealedJob;
import io.spillway.transport.OpaqueId;
import java.util.Objects;

/**
 * A job and what it has of the memory of nodes. Immutable.
 *
 * @param id an {@link OpaqueId}
 * @param user the job's user; empty until a host has reported it
 * @param bytes leased and held, of all copies
 * @param outputs leased and held
 * @param refused places that it was not given because of a quota
 */
public record JobFill(String id, String user, long bytes, int outputs, long refused) {
    /** Checks the fields. */
    public JobFill {
        OpaqueId.require("jobId", id);
        Objects.requireNonNull(user, "user");
        if (bytes < 0 || outputs < 0 || refused < 0) {
            throw new IllegalArgumentException(
                    "bytes="
                            + bytes
                            + " outputs="
                            + outputs
                            + " refused="
                            + refused
                            + ", expected none below 0");
        }
    }

    void encode(final FrameWriter out) {
        out.id("jobId", id)
                .text("user", user, 0, SealedJob.MAX_USER_LENGTH)
                .int64(bytes)
                .int32(outputs)
                .int64(refused);
    }

    static JobFill decode(final FrameReader in) throws MalformedFrameException {
        final String id = in.id("jobId");
        final String user = in.text("user", 0, SealedJob.MAX_USER_LENGTH);
        final long bytes = in.int64("bytes", 0);
        final int outputs = in.int32("outputs", 0, Integer.MAX_VALUE);
        return new JobFill(id, user, bytes, outputs, in.int64("refused", 0));
    }
}
