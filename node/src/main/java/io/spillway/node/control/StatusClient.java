// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.MalformedFrameException;
import io.spillway.version.VersionRange;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;

/** Asks a node process for its status or for that of its cluster, and drains it. */
public final class StatusClient {
    private static final long TIMEOUT_MILLIS = 10_000;

    /** The process connects to the placement service first, and asks part by part. */
    private static final long CLUSTER_MILLIS = 60_000;

    private StatusClient() {}

    /**
     * The status as JSON.
     *
     * @throws NodeRefusedException where the process does not give it
     * @throws IOException when no process of this user answers at {@code socket}
     */
    public static String ask(final Path socket) throws IOException {
        return ask(socket, ControlFrameType.STATUS, TIMEOUT_MILLIS, ControlFrameType.VERSIONS);
    }

    /**
     * Starts or ends the drain of the process.
     *
     * @return its status after the change
     * @throws NodeRefusedException where it cannot, for example a process of a former release
     * @throws IOException when no process of this user answers at {@code socket}
     */
    public static String drain(final Path socket, final boolean isDraining) throws IOException {
        return ask(
                socket,
                isDraining ? ControlFrameType.DRAIN : ControlFrameType.DRAIN_CANCEL,
                TIMEOUT_MILLIS,
                ControlFrameType.VERSIONS);
    }

    /** As {@link #ask}, of all nodes of the process's cluster. */
    public static String askCluster(final Path socket) throws IOException {
        return ask(socket, ControlFrameType.CLUSTER, CLUSTER_MILLIS, ControlFrameType.VERSIONS);
    }

    /**
     * Asks a question.
     *
     * @param spoken the versions that this side speaks
     */
    static String ask(
            final Path socket,
            final ControlFrameType question,
            final long answerMillis,
            final VersionRange spoken)
            throws IOException {
        final int older;
        try (ControlChannel channel = ControlSocket.connect(socket, spoken)) {
            channel.send(question.encodeEmpty(), TIMEOUT_MILLIS);
            final ControlFrame frame = channel.receive(answerMillis);
            if (frame == null) {
                throw new InterruptedIOException("no answer for " + answerMillis + " ms");
            }
            if (frame.type() == ControlFrameType.STATUS_REPORT) {
                return StatusReply.decode(frame.body()).json();
            }
            if (frame.type() != ControlFrameType.REFUSED) {
                throw new MalformedFrameException(frame.type() + " frame: expected STATUS_REPORT");
            }
            if (!channel.isOlderPeer()) {
                throw new NodeRefusedException(NodeRefusal.decode(frame.body()).message());
            }
            older = channel.version();
        }
        return ask(socket, question, answerMillis, new VersionRange(spoken.oldest(), older));
    }
}
