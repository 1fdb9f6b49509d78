// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.node.member.ClusterMember;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the node process refuses new outputs. A file beside its socket keeps the drain for the
 * next process after a kill; an orderly end deletes the file. Thread-safe.
 */
final class Drain implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
    private static final String SUFFIX = ".drain";

    private final Path mark;
    private final ClusterMember member;
    private volatile boolean on;

    private Drain(final Path mark, final ClusterMember member) {
        this.mark = mark;
        this.member = member;
    }

    /** Resumes the drain where a killed process of this socket has left its file. */
    static Drain resume(final Path socket, final ClusterMember member) {
        final Drain drain = new Drain(socket.resolveSibling(socket.getFileName() + SUFFIX), member);
        if (Files.exists(drain.mark)) {
            drain.take(true);
        }
        return drain;
    }

    /**
     * Starts or ends the drain.
     *
     * @throws IOException where the file cannot be written or deleted; nothing has changed then
     */
    synchronized void set(final boolean isDraining) throws IOException {
        if (isDraining == on) {
            return;
        }
        if (isDraining) {
            Files.writeString(mark, "");
        } else {
            Files.deleteIfExists(mark);
        }
        take(isDraining);
    }

    private void take(final boolean isDraining) {
        on = isDraining;
        member.drain(isDraining);
        LOG.info(
                isDraining
                        ? "The node process is drained: it takes no new outputs"
                        : "The node process takes outputs again");
    }

    boolean isOn() {
        return on;
    }

    /** Ends the drain with an orderly end of the process. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(mark);
    }
}
