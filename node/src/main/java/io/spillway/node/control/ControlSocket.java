// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.host.OwnUser;
import io.spillway.host.UserSocket;
import io.spillway.host.WrongUserException;
import io.spillway.version.VersionRange;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.function.Function;

/** The Unix socket of the node process: where it is, and both of its ends. */
public final class ControlSocket {
    private ControlSocket() {}

    /**
     * Where the socket is.
     *
     * @throws io.spillway.conf.InvalidSettingException for a path that is too long for a socket
     */
    public static Path path(final Function<String, String> settings) {
        return UserSocket.ofNode(settings);
    }

    /**
     * Connects to the node process of this user.
     *
     * @param spoken the versions that this side speaks
     * @throws WrongUserException when another user's process listens there
     * @throws IOException when none listens
     */
    public static ControlChannel connect(final Path path, final VersionRange spoken)
            throws IOException {
        final SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            socket.connect(UnixDomainSocketAddress.of(path));
            OwnUser.requirePeer(socket);
        } catch (final IOException e) {
            socket.close();
            throw e;
        }
        return ControlChannel.of(socket, spoken);
    }
}
