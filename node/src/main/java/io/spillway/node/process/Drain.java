// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.node.member.ClusterMember;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the node process takes new outputs. A file beside its socket keeps that for the process
 * that follows one that was killed; an orderly end takes the file away. Thread-safe.
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

    /** Goes on as a process at this socket has left it that was killed. */
    static Drain resume(final Path socket, final ClusterMember member) {
        final Drain drain = new Drain(socket.resolveSibling(socket.getFileName() + SUFFIX), member);
        if (Files.exists(drain.mark)) {
            drain.take(true);
        }
        return drain;
    }

    /**
     * Switches it.
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

    /** The process ends in good order: the next one begins anew. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(mark);
    }
}
