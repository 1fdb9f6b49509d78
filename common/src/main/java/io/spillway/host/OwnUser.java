// SPDX-License-Identifier: Apache-2.0
package io.spillway.host;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import jdk.net.ExtendedSocketOptions;

/** The user of this process, and whether others are the same. */
public final class OwnUser {
    private static final Path SELF = Path.of("/proc/self");

    private OwnUser() {}

    /** The user's name as the file system has it; a number where it has no name. */
    public static String name() {
        try {
            return Files.getOwner(SELF).getName();
        } catch (final IOException | UnsupportedOperationException e) {
            return System.getProperty("user.name");
        }
    }

    /** Whether a file or folder belongs to this user. */
    public static boolean owns(final Path path) throws IOException {
        return Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).getName().equals(name());
    }

    /**
     * Insists that the process at the other end of a Unix socket runs as this user; the kernel
     * tells.
     *
     * @throws WrongUserException that names both
     */
    public static void requirePeer(final SocketChannel socket) throws IOException {
        final String peer = socket.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
        final String own = name();
        if (!peer.equals(own)) {
            throw new WrongUserException("user=" + peer + " of the other end, expected " + own);
        }
    }
}
