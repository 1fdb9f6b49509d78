// SPDX-License-Identifier: Apache-2.0
package io.spillway.host;

import io.spillway.conf.CommonKeys;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Function;

/** Unix sockets that are for processes of this user, in a folder that is the user's alone. */
public final class UserSocket {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path TEMPORARY = Path.of("/tmp");
    private static final String NODE = "node.sock";
    private static final int BACKLOG = 64;

    private UserSocket() {}

    /**
     * The socket of the host's node process.
     *
     * @throws io.spillway.conf.InvalidSettingException for a path that is too long for a socket
     */
    public static Path ofNode(final Function<String, String> settings) {
        return CommonKeys.NODE_SOCKET.get(settings).path().orElseGet(UserSocket::defaultPath);
    }

    /** A folder of the host in which every user can make folders. */
    static Path hostFolder() {
        return Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : TEMPORARY;
    }

    private static Path defaultPath() {
        return hostFolder().resolve("spillway-" + OwnUser.name()).resolve(NODE);
    }

    /**
     * Makes the socket's folder, or insists that the one that is there is ours alone.
     *
     * @throws IOException that names the folder and what is wrong with it
     */
    public static void preparePrivateFolder(final Path folder) throws IOException {
        try {
            Files.createDirectories(folder.toAbsolutePath().getParent());
            Files.createDirectory(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (final FileAlreadyExistsException e) {
            requirePrivate(folder, e);
        }
    }

    private static void requirePrivate(final Path folder, final IOException cause)
            throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(folder + " is not a directory", cause);
        }
        if (!OwnUser.owns(folder)) {
            throw new IOException(
                    folder
                            + " belongs to "
                            + Files.getOwner(folder)
                            + ", expected "
                            + OwnUser.name()
                            + "; name another with "
                            + CommonKeys.NODE_SOCKET,
                    cause);
        }
        final String rights = PosixFilePermissions.toString(Files.getPosixFilePermissions(folder));
        if (rights.substring(3).contains("w")) {
            throw new IOException(
                    folder
                            + " has the permissions "
                            + rights
                            + ", expected rwx------: others could take the socket's place; name"
                            + " another folder with "
                            + CommonKeys.NODE_SOCKET,
                    cause);
        }
    }

    /**
     * Listens.
     *
     * @throws IOException that names the path
     */
    public static ServerSocketChannel bind(final Path path) throws IOException {
        final ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            return server;
        } catch (final IOException e) {
            server.close();
            throw new IOException("cannot listen at " + path + ": " + e.getMessage(), e);
        }
    }
}
