package io.spillway.node.process;

import java.io.IOException;
import java.nio.file.Path;

/** Another node process has the socket. */
public final class AlreadyRunningException extends IOException {
    private static final long serialVersionUID = 1L;

    AlreadyRunningException(final String pid, final Path socket) {
        super("a node process runs already: pid " + pid + ", socket " + socket);
    }
}
