// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/**
 * Keeps UCX off the signals by which the JVM works.
 *
 * <p>Before 1.20, UCX installs handlers for SIGSEGV and other signals when its library is loaded.
 * jucx takes them away again, but a thread that finds a null or stops at a safepoint in between
 * ends the process: compiled code does both by SIGSEGV. Nothing but the environment tells UCX in
 * time, which Java cannot set for its own process, and {@code ucx.conf} in the working directory
 * (read by 1.13). The latter is written where that directory is ours: a task's.
 */
final class JvmSignals {
    private static final String VARIABLE = "UCX_ERROR_SIGNALS";
    private static final String NO_HANDLERS = "UCX_HANDLE_ERRORS";

    /** YARN sets it in a container, whose working directory is its own. */
    private static final String CONTAINER = "CONTAINER_ID";

    private static final Path FILE = Path.of("ucx.conf");

    private JvmSignals() {}

    /**
     * Loads the library.
     *
     * @param environment of this process
     * @throws IOException that says what to set, where UCX would take the signals; nothing is
     *     loaded
     */
    static void keep(final Map<String, String> environment, final Runnable loading)
            throws IOException {
        if (environment.containsKey(VARIABLE) || environment.containsKey(NO_HANDLERS)) {
            loading.run();
            return;
        }
        if (!environment.containsKey(CONTAINER)) {
            throw new IOException(
                    VARIABLE
                            + " is not set, and UCX would take signals that the JVM needs; start"
                            + " this process with it set to nothing");
        }
        final boolean isOurs = write();
        try {
            loading.run();
        } finally {
            if (isOurs) {
                Files.deleteIfExists(FILE);
            }
        }
    }

    /** Whether the file was not there. */
    private static boolean write() throws IOException {
        try {
            Files.writeString(FILE, VARIABLE + "=\n", StandardOpenOption.CREATE_NEW);
            return true;
        } catch (final FileAlreadyExistsException e) {
            if (Files.readString(FILE).contains(VARIABLE)) {
                return false;
            }
            throw new IOException(
                    FILE + " in the task's folder: expected a line " + VARIABLE + "= in it", e);
        }
    }
}
