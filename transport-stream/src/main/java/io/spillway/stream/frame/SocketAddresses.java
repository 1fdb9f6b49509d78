// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import io.spillway.wire.HelloFrame;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * Addresses of sockets as a hand-shake names them: numbers, since names differ from host to host.
 */
public final class SocketAddresses {
    private SocketAddresses() {}

    /** Such as {@code 10.0.0.7:13562}; {@link HelloFrame#NOT_DIALLED} for none of the network. */
    public static String textOf(final SocketAddress address) {
        return isOfNetwork(address) && address instanceof InetSocketAddress socket
                ? withoutScope(socket.getAddress().getHostAddress()) + ":" + socket.getPort()
                : HelloFrame.NOT_DIALLED;
    }

    /** Whether it is an address of the network. */
    public static boolean isOfNetwork(final SocketAddress address) {
        return address instanceof InetSocketAddress socket && !socket.isUnresolved();
    }

    /** The scope of an address of IPv6 is a name of this host alone. */
    private static String withoutScope(final String address) {
        final int scope = address.indexOf('%');
        return scope < 0 ? address : address.substring(0, scope);
    }
}
