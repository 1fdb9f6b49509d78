// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.OpaqueId;
import java.nio.ByteBuffer;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Reads the fields of a control frame's body, texts and paths beside those of other frames. */
final class ControlReader extends FrameReader {
    ControlReader(final ControlFrameType type, final ByteBuffer body) {
        super(type, body);
    }

    byte[] bytes(final String field, final int min, final int max) throws MalformedFrameException {
        return bytes(field, int32(field + " length", min, max));
    }

    /** Text without control characters, so that it can stand in a log line. */
    String text(final String field, final int min, final int max) throws MalformedFrameException {
        return utf8(field, bytes(field, min, max));
    }

    /** An absolute path without any step back. */
    Path path(final String field) throws MalformedFrameException {
        final String text = text(field, 1, ControlTexts.MAX_PATH_LENGTH);
        final Path path;
        try {
            path = Path.of(text);
        } catch (final InvalidPathException e) {
            throw malformed(field, text, "a path in this host's encoding");
        }
        if (!path.isAbsolute() || !path.normalize().equals(path)) {
            throw malformed(field, text, "an absolute path without . and ..");
        }
        return path;
    }

    String jobId() throws MalformedFrameException {
        final String id = text("jobId", 1, OpaqueId.MAX_LENGTH);
        if (!OpaqueId.isValid(id)) {
            throw malformed("jobId", id, OpaqueId.EXPECTED);
        }
        return id;
    }
}
