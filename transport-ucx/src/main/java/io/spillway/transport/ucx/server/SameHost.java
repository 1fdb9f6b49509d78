// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.server;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** Tells this host's addresses (this network namespace's, where there are several). */
final class SameHost {
    private SameHost() {}

    static boolean is(final InetAddress address) {
        if (address.isLoopbackAddress()) {
            return true;
        }
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (final SocketException e) {
            return false;
        }
    }
}
