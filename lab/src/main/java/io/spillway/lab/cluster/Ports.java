// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * Picks ports that no process listens on. They lie below the range the kernel gives to outgoing
 * connections, so that none is taken between here and the daemon's start.
 */
final class Ports {
    private static final int FIRST = 10_240;
    private static final int COUNT = 22_000;
    private static final int ATTEMPTS = 10_000;

    private final Random random;
    private final Set<Integer> given = new HashSet<>();

    Ports(final Random random) {
        this.random = random;
    }

    /** A free port, never the same one twice. */
    int next() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            final int port = FIRST + random.nextInt(COUNT);
            if (!given.contains(port) && isFree(port)) {
                given.add(port);
                return port;
            }
        }
        throw new CommandException(
                "no free port between " + FIRST + " and " + (FIRST + COUNT - 1) + " on this host");
    }

    /** Both on loopback and on the wildcard address: the stock shuffle handler binds the latter. */
    private static boolean isFree(final int port) {
        return canBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                && canBind(new InetSocketAddress(port));
    }

    private static boolean canBind(final InetSocketAddress address) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
            return true;
        } catch (final IOException e) {
            return false;
        }
    }
}
