// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who asks for a status page on loopback. Loopback is open to every process of the host, and to
 * every web page that a browser there shows: its script reaches the page by a name of its own that
 * it lets point to loopback. Thread-safe.
 */
final class StatusVisitor {
    private static final Logger LOG = LoggerFactory.getLogger(StatusVisitor.class);

    /** Loopback by address or by its own name, with any port: a tunnel may end at another one. */
    private static final Pattern LOOPBACK =
            Pattern.compile("(127(\\.\\d{1,3}){3}|localhost|\\[::1])(:\\d{1,5})?");

    private static final Path SELF = Path.of("/proc/self");
    private static final List<Path> CONNECTIONS =
            List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    private static final int ROOT = 0;
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int USER = 7;
    private static final int IPV4_DIGITS = 8;
    private static final String IPV4_IN_IPV6 = "0000000000000000FFFF0000";

    private StatusVisitor() {}

    /** Whether a request names loopback as its host. One of HTTP/1.0 may name none. */
    static boolean namesLoopback(final HttpExchange exchange) {
        final List<String> hosts = exchange.getRequestHeaders().getOrDefault("Host", List.of());
        return hosts.stream().allMatch(host -> LOOPBACK.matcher(host).matches());
    }

    /** Whether the process that asks is of this process's user or of root. */
    static boolean isOwn(final HttpExchange exchange) {
        try {
            final OptionalInt user =
                    userOf(exchange.getRemoteAddress(), exchange.getLocalAddress());
            final int own = (Integer) Files.getAttribute(SELF, "unix:uid");
            return user.isPresent() && (user.getAsInt() == ROOT || user.getAsInt() == own);
        } catch (final IOException | UnsupportedOperationException e) {
            LOG.debug("Who asks for the status page is not known", e);
            return false;
        }
    }

    /** The number of the user who has a socket of this host, as the kernel lists it. */
    private static OptionalInt userOf(final InetSocketAddress from, final InetSocketAddress to)
            throws IOException {
        for (final Path connections : CONNECTIONS) {
            if (!Files.exists(connections)) {
                continue;
            }
            try (Stream<String> lines = Files.lines(connections)) {
                final Optional<String[]> found =
                        lines.map(line -> line.strip().split("\\s+"))
                                .filter(parts -> parts.length > USER)
                                .filter(parts -> isOf(parts[LOCAL], from))
                                .filter(parts -> isOf(parts[REMOTE], to))
                                .findFirst();
                if (found.isPresent()) {
                    return OptionalInt.of(Integer.parseInt(found.get()[USER]));
                }
            }
        }
        return OptionalInt.empty();
    }

    private static boolean isOf(final String listed, final InetSocketAddress address) {
        final String port = String.format(Locale.ROOT, ":%04X", address.getPort());
        final String host = hexOf(address.getAddress().getAddress());
        return listed.equals(host + port)
                || (host.length() == IPV4_DIGITS && listed.equals(IPV4_IN_IPV6 + host + port));
    }

    /** The kernel prints words of four bytes, as numbers of its own byte order. */
    private static String hexOf(final byte[] address) {
        final StringBuilder text = new StringBuilder();
        for (int word = 0; word < address.length; word += Integer.BYTES) {
            for (int i = 0; i < Integer.BYTES; i++) {
                text.append(String.format(Locale.ROOT, "%02X", address[word + at(i)]));
            }
        }
        return text.toString();
    }

    private static int at(final int place) {
        return ByteOrder.nativeOrder().equals(ByteOrder.LITTLE_ENDIAN)
                ? Integer.BYTES - 1 - place
                : place;
    }
}
