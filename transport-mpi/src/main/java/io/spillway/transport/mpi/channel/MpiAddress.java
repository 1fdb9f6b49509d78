// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.channel;

import io.spillway.transport.NodeAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a server is in a world of ranks. As a {@link NodeAddress} it is such as {@code
 * 5c1f08e2a3b4c5d6:3}: the world's number in hexadecimal digits, then the rank; a server other than
 * the first of its rank has its number after a {@code -}. Immutable.
 */
public final class MpiAddress extends SocketAddress {
    private static final long serialVersionUID = 1;
    private static final Pattern HOST = Pattern.compile("([0-9a-f]{16})(?:-([1-9][0-9]{0,8}))?");
    private static final int HEXADECIMAL = 16;

    private final long world;
    private final int service;
    private final int rank;

    /**
     * Creates an address.
     *
     * @param world the number that rank 0 has chosen for the world
     * @param service the number of a server within its rank, from 0
     * @param rank from 0 to 65535
     */
    public MpiAddress(final long world, final int service, final int rank) {
        this.world = world;
        this.service = service;
        this.rank = rank;
    }

    /** What such a text says; nothing where it is none. */
    public static Optional<MpiAddress> of(final NodeAddress address) {
        final Matcher host = HOST.matcher(address.host());
        if (!host.matches()) {
            return Optional.empty();
        }
        final String service = host.group(2);
        return Optional.of(
                new MpiAddress(
                        Long.parseUnsignedLong(host.group(1), HEXADECIMAL),
                        service == null ? 0 : Integer.parseInt(service),
                        address.port()));
    }

    /** The world. */
    public long world() {
        return world;
    }

    /** The server within its rank. */
    public int service() {
        return service;
    }

    /** The rank. */
    public int rank() {
        return rank;
    }

    /** As settings, offers and logs have it. */
    public NodeAddress toNodeAddress() {
        final String suffix = service == 0 ? "" : "-" + service;
        return new NodeAddress(nameOf(world) + suffix, rank);
    }

    /** What people call a world. */
    public static String nameOf(final long world) {
        return String.format("%016x", world);
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof MpiAddress that
                && world == that.world
                && service == that.service
                && rank == that.rank;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(world) * 31 + rank * 7 + service;
    }

    @Override
    public String toString() {
        return toNodeAddress().toString();
    }
}
