package io.spillway.node.control;

import io.spillway.transport.AttemptIds;
import io.spillway.wire.MalformedFrameException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Reads the fields of one control frame's body in order, and checks each. Used by one thread. */
final class ControlReader {
    private final ControlFrameType type;
    private final ByteBuffer body;

    ControlReader(final ControlFrameType type, final ByteBuffer body) {
        this.type = type;
        this.body = body;
    }

    static MalformedFrameException malformed(
            final Object frame, final String field, final Object value, final String expected) {
        return new MalformedFrameException(
                frame + " frame: " + field + "=" + value + ", expected " + expected);
    }

    int int32(final String field, final int min, final int max) throws MalformedFrameException {
        need(field, Integer.BYTES);
        final int value = body.getInt();
        if (value < min || value > max) {
            throw malformed(type, field, value, min + " to " + max);
        }
        return value;
    }

    long int64(final String field, final long min) throws MalformedFrameException {
        need(field, Long.BYTES);
        final long value = body.getLong();
        if (value < min) {
            throw malformed(type, field, value, "at least " + min);
        }
        return value;
    }

    byte[] bytes(final String field, final int min, final int max) throws MalformedFrameException {
        final int length = int32(field + " length", min, max);
        need(field, length);
        final byte[] bytes = new byte[length];
        body.get(bytes);
        return bytes;
    }

    /** Text without control characters, so that it can stand in a log line. */
    String text(final String field, final int min, final int max) throws MalformedFrameException {
        final byte[] bytes = bytes(field, min, max);
        final String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (final CharacterCodingException e) {
            throw malformed(type, field, "bytes that are no UTF-8", "UTF-8");
        }
        if (!ControlTexts.isPrintable(text)) {
            throw malformed(type, field, "text with control characters", "none");
        }
        return text;
    }

    /** An absolute path without any step back. */
    Path path(final String field) throws MalformedFrameException {
        final String text = text(field, 1, ControlTexts.MAX_PATH_LENGTH);
        final Path path;
        try {
            path = Path.of(text);
        } catch (final InvalidPathException e) {
            throw malformed(type, field, text, "a path in this host's encoding");
        }
        if (!path.isAbsolute() || !path.normalize().equals(path)) {
            throw malformed(type, field, text, "an absolute path without . and ..");
        }
        return path;
    }

    String jobId() throws MalformedFrameException {
        final String id = text("jobId", 1, ControlTexts.MAX_JOB_ID_LENGTH);
        if (!AttemptIds.isJob(id)) {
            throw malformed(type, "jobId", id, "such as job_1700000000000_0001");
        }
        return id;
    }

    void end() throws MalformedFrameException {
        if (body.hasRemaining()) {
            throw malformed(type, "bytes after the last field", body.remaining(), "0");
        }
    }

    private void need(final String field, final int length) throws MalformedFrameException {
        if (body.remaining() < length) {
            throw malformed(
                    type, "bytes left for " + field, body.remaining(), "at least " + length);
        }
    }
}
