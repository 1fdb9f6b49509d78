// SPDX-License-Identifier: Apache-2.0
package io.spillway.host;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The TCP ports at which a process listens, as the kernel knows them. */
public final class ListeningPorts {
    /** The state of a socket that listens, in {@code /proc/net/tcp}. */
    private static final String LISTENING = "0A";

    private static final int STATE = 3;
    private static final int INODE = 9;

    private ListeningPorts() {}

    /** Those of a process of this user, in this network namespace. */
    public static List<InetSocketAddress> of(final long pid) throws IOException {
        final Set<String> own = openFiles(pid);
        final List<InetSocketAddress> ports = new ArrayList<>();
        for (final String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            for (final String line : Files.readAllLines(Path.of(table))) {
                final String[] words = line.trim().split("\\s+", -1);
                if (words[STATE].equals(LISTENING)
                        && own.contains("socket:[" + words[INODE] + "]")) {
                    ports.add(addressOf(words[1]));
                }
            }
        }
        return ports;
    }

    private static Set<String> openFiles(final long pid) throws IOException {
        final File[] files = new File("/proc/" + pid + "/fd").listFiles();
        if (files == null) {
            throw new IOException("no process " + pid + " of this user");
        }
        final Set<String> names = new HashSet<>();
        for (final File file : files) {
            nameOf(file.toPath()).ifPresent(names::add);
        }
        return names;
    }

    /** Nothing where it was closed since it was listed. */
    private static Optional<String> nameOf(final Path file) throws IOException {
        try {
            return Optional.of(Files.readSymbolicLink(file).toString());
        } catch (final NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** An address and a port as the kernel writes them; this host's where it is any or long. */
    private static InetSocketAddress addressOf(final String text) throws IOException {
        final int port = Integer.parseInt(text.substring(text.indexOf(':') + 1), 16);
        final int ip = text.length() > 13 ? 0 : Integer.parseUnsignedInt(text.substring(0, 8), 16);
        final byte[] bytes = {(byte) ip, (byte) (ip >> 8), (byte) (ip >> 16), (byte) (ip >> 24)};
        return new InetSocketAddress(
                ip == 0 ? InetAddress.getLoopbackAddress() : InetAddress.getByAddress(bytes), port);
    }
}
