// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.OpaqueId;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Asks where outputs of the caller's job are. Immutable.
 *
 * @param outputs their names, at most {@value #MAX_OUTPUTS}: each an {@link OpaqueId}
 */
public record LocateRequest(List<String> outputs) {
    /** The most outputs of one question: the longest answer fits into a message. */
    public static final int MAX_OUTPUTS = 1024;

    /** Checks the names and copies the list. */
    public LocateRequest {
        outputs = List.copyOf(outputs);
        outputs.forEach(output -> OpaqueId.require("output", output));
        if (outputs.size() > MAX_OUTPUTS) {
            throw new IllegalArgumentException(
                    "outputs=" + outputs.size() + ", expected 0 to " + MAX_OUTPUTS);
        }
    }

    /** The whole message. */
    public ByteBuffer encode() {
        return MessageKind.LOCATE
                .writer()
                .list(outputs, (writer, output) -> writer.id("output", output))
                .finish();
    }

    /** Reads a message; its position stays. */
    public static LocateRequest decode(final ByteBuffer message) throws MalformedFrameException {
        final FrameReader in = MessageKind.LOCATE.reader(message);
        final List<String> outputs =
                in.list("outputs", 0, MAX_OUTPUTS, reader -> reader.id("output"));
        in.end();
        return new LocateRequest(outputs);
    }
}
