package io.spillway.node.control;

import io.spillway.wire.MalformedFrameException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;

/** Asks a node process for its status. */
public final class StatusClient {
    private static final long TIMEOUT_MILLIS = 10_000;

    private StatusClient() {}

    /**
     * The status as JSON.
     *
     * @throws IOException when no process of this user answers at {@code socket}
     */
    public static String ask(final Path socket) throws IOException {
        try (ControlChannel channel = ControlSocket.connect(socket)) {
            channel.send(ControlFrameType.STATUS.encodeEmpty(), TIMEOUT_MILLIS);
            final ControlFrame frame = channel.receive(TIMEOUT_MILLIS);
            if (frame == null) {
                throw new InterruptedIOException("no answer for " + TIMEOUT_MILLIS + " ms");
            }
            return switch (frame.type()) {
                case STATUS_REPORT -> StatusReply.decode(frame.body()).json();
                case REFUSED ->
                        throw new IOException(
                                "refused: " + NodeRefusal.decode(frame.body()).message());
                default ->
                        throw new MalformedFrameException(
                                frame.type() + " frame: expected STATUS_REPORT");
            };
        }
    }
}
