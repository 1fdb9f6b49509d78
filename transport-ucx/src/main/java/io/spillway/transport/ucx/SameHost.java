package io.spillway.transport.ucx;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.function.Predicate;

/**
 * Whether an address is one of this host's (of this network namespace's, where there are several).
 * Both ends of a connection come to the same answer: who connects to an address of its own host has
 * one of its own host's as well.
 */
final class SameHost implements Predicate<InetAddress> {
    @Override
    public boolean test(final InetAddress address) {
        if (address == null) {
            return false;
        }
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
