// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Lets one node process at a time have a socket: a lock on a file beside it, which the kernel frees
 * however the process ends. The file holds the process's id, for people.
 */
final class NodeLock implements AutoCloseable {
    private static final String SUFFIX = ".lock";
    private static final int MAX_PID_LENGTH = 20;

    private final FileChannel file;

    private NodeLock(final FileChannel file) {
        this.file = file;
    }

    /**
     * Takes the lock of a socket.
     *
     * @throws AlreadyRunningException when a living process has it
     */
    static NodeLock take(final Path socket) throws IOException {
        final Path path = socket.resolveSibling(socket.getFileName() + SUFFIX);
        final FileChannel file =
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        try {
            final FileLock lock = file.tryLock();
            if (lock == null) {
                throw new AlreadyRunningException(readPid(file), socket);
            }
            file.truncate(0);
            final String pid = Long.toString(ProcessHandle.current().pid());
            file.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
            return new NodeLock(file);
        } catch (final IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private static String readPid(final FileChannel file) throws IOException {
        final ByteBuffer text = ByteBuffer.allocate(MAX_PID_LENGTH);
        file.read(text, 0);
        return new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII).trim();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
