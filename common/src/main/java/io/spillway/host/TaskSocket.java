// SPDX-License-Identifier: Apache-2.0
package io.spillway.host;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unix sockets of this user's nodes that tasks of all users may connect to. They lie in a folder
 * that others can neither write to nor list.
 */
public final class TaskSocket {
    private static final Logger LOG = LoggerFactory.getLogger(TaskSocket.class);

    private static final Set<PosixFilePermission> TRAVERSED =
            PosixFilePermissions.fromString("rwx--x--x");

    private TaskSocket() {}

    /**
     * Returns a free path for a node's socket, in a folder of this user.
     *
     * @param node the name of the node among this user's nodes on the host
     * @throws IOException with the folder and its defect
     */
    public static Path prepare(final String node) throws IOException {
        final Path folder =
                UserSocket.hostFolder().resolve("spillway-" + OwnUser.name() + ".tasks");
        try {
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(TRAVERSED));
        } catch (final FileAlreadyExistsException e) {
            LOG.debug("{} exists already", folder, e);
        }
        if (!PrivateDirectory.isOwn(folder)) {
            throw new IOException(
                    folder
                            + " belongs to "
                            + Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS)
                            + ", expected a directory of "
                            + OwnUser.name());
        }
        Files.setPosixFilePermissions(folder, TRAVERSED);
        final Path socket = folder.resolve(node + ".sock");
        Files.deleteIfExists(socket);
        return socket;
    }

    /** Lets all users connect to a bound socket. */
    public static void openToAll(final Path socket) throws IOException {
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
    }

    /** Deletes a socket, and the folder when it is empty. */
    public static void remove(final Path socket) {
        try {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(socket.getParent());
        } catch (final DirectoryNotEmptyException e) {
            LOG.debug("Other nodes listen in {}", socket.getParent(), e);
        } catch (final IOException e) {
            LOG.warn("Cannot delete {}", socket, e);
        }
    }
}
