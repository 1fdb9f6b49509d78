// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OpaqueId;
import io.spillway.transport.SegmentPlace;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Asks for places for an output, by its job. Immutable.
 *
 * @param output its name, an {@link OpaqueId}
 * @param bytes how long it is, about
 * @param copies on so many nodes, 1 to {@value #MAX_COPIES}
 * @param policy which nodes may be chosen
 * @param host where the map runs, 1 to {@value SegmentPlace#MAX_HOST_LENGTH} printable characters
 *     of ASCII; for messages to people
 * @param exclude nodes that are not to be chosen, at most {@value #MAX_EXCLUDED}: they were asked
 *     and did not take the output
 */
public record LeaseRequest(
        String output,
        long bytes,
        int copies,
        LeasePolicy policy,
        String host,
        List<NodeAddress> exclude) {
    /** The most copies of an output. */
    public static final int MAX_COPIES = 3;

    /** The most nodes that are not to be chosen. */
    public static final int MAX_EXCLUDED = 16;

    /** Checks the fields and copies the list. */
    public LeaseRequest {
        OpaqueId.require("output", output);
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(host, "host");
        exclude = List.copyOf(exclude);
        if (bytes < 0 || bytes > NodeSpace.MAX_BYTES) {
            throw new IllegalArgumentException(
                    "bytes=" + bytes + ", expected 0 to " + NodeSpace.MAX_BYTES);
        }
        if (copies < 1 || copies > MAX_COPIES || exclude.size() > MAX_EXCLUDED) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "copies=%d excluded=%d, expected 1 to %d and at most %d",
                            copies,
                            exclude.size(),
                            MAX_COPIES,
                            MAX_EXCLUDED));
        }
    }

    /** The whole message. */
    public ByteBuffer encode() {
        final FrameWriter out = MessageKind.LEASE.writer();
        out.id("output", output).int64(bytes).int32(copies);
        policy.encode(out);
        out.name("host", host, SegmentPlace.MAX_HOST_LENGTH);
        out.list(exclude, Places::writeAddress);
        return out.finish();
    }

    /** Reads a message; its position stays. */
    public static LeaseRequest decode(final ByteBuffer message) throws MalformedFrameException {
        final FrameReader in = MessageKind.LEASE.reader(message);
        final String output = in.id("output");
        final long bytes = in.int64("bytes", 0, NodeSpace.MAX_BYTES);
        final int copies = in.int32("copies", 1, MAX_COPIES);
        final LeasePolicy policy = LeasePolicy.decode(in);
        final String host = in.name("host", SegmentPlace.MAX_HOST_LENGTH);
        final List<NodeAddress> exclude = in.list("exclude", 0, MAX_EXCLUDED, Places::readAddress);
        in.end();
        return new LeaseRequest(output, bytes, copies, policy, host, exclude);
    }
}
