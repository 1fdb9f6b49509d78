// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.seal.Protection;
import io.spillway.version.VersionRange;
import io.spillway.wire.FrameType;
import java.util.Set;
import java.util.function.Function;

/**
 * What a node allows its clients. Immutable.
 *
 * @param maxConnections proved connections at a time
 * @param connectionBytes bytes queued towards one client before its further requests wait
 * @param maxRequestLength the most bytes that one fetch may ask for
 * @param credits the most fetches in flight on one connection
 * @param authTimeoutMillis the time in which a client must have proved itself
 * @param idleTimeoutMillis the time without a byte from or to a client after which it counts as
 *     lost; a ping is sent after half of it
 * @param openThreads the most threads that open map outputs
 * @param putCredits the most puts, commits and aborts of one connection without an answer
 * @param putBytes the most bytes of them
 * @param putMemory the most bytes of puts without an answer, of all connections; beyond them the
 *     node reads no more from a connection that brings another
 * @param versions of the protocol that this node speaks
 * @param aliases the addresses of this node as clients dial them, where they are translated on the
 *     way
 * @param protection the weakest level that this node accepts
 */
public record ServerSettings(
        int maxConnections,
        long connectionBytes,
        int maxRequestLength,
        int credits,
        long authTimeoutMillis,
        long idleTimeoutMillis,
        int openThreads,
        int putCredits,
        int putBytes,
        long putMemory,
        VersionRange versions,
        Set<String> aliases,
        Protection protection) {
    /** As much as the largest window that a reducer can be set to. */
    private static final int MAX_REQUEST_LENGTH = 16 << 20;

    /** A waiting request costs some 150 bytes: bounds them to about 40 KB a connection. */
    private static final int CREDITS = 256;

    private static final long AUTH_TIMEOUT_MILLIS = 3_000;
    private static final long IDLE_TIMEOUT_MILLIS = 60_000;
    private static final int OPEN_THREADS = 4;

    /** Checks the limits of puts. */
    public ServerSettings {
        if (putCredits < 1 || putBytes < 1 || putMemory < putBytes) {
            throw new IllegalArgumentException(
                    "putCredits="
                            + putCredits
                            + " putBytes="
                            + putBytes
                            + " putMemory="
                            + putMemory
                            + ", expected at least 1, and putMemory at least putBytes");
        }
    }

    /** Settings with the usual limits of puts. */
    public ServerSettings(
            final int maxConnections,
            final long connectionBytes,
            final int maxRequestLength,
            final int credits,
            final long authTimeoutMillis,
            final long idleTimeoutMillis,
            final int openThreads) {
        this(
                maxConnections,
                connectionBytes,
                maxRequestLength,
                credits,
                authTimeoutMillis,
                idleTimeoutMillis,
                openThreads,
                ProtocolKeys.NODE_PUT_REQUESTS.defaultValue(),
                Math.toIntExact(ProtocolKeys.NODE_PUT_BYTES.defaultValue()),
                ProtocolKeys.NODE_PUT_MEMORY.defaultValue(),
                FrameType.VERSIONS,
                Set.of(),
                ProtocolKeys.PROTECTION.defaultValue());
    }

    /** These settings with other limits of puts. */
    public ServerSettings withPuts(
            final int mostCredits, final int mostBytes, final long mostMemory) {
        return new ServerSettings(
                maxConnections,
                connectionBytes,
                maxRequestLength,
                credits,
                authTimeoutMillis,
                idleTimeoutMillis,
                openThreads,
                mostCredits,
                mostBytes,
                mostMemory,
                versions,
                aliases,
                protection);
    }

    /**
     * Reads the settings of a port without TLS.
     *
     * @throws io.spillway.conf.InvalidSettingException for a wrong value
     */
    public static ServerSettings from(final Function<String, String> lookup) {
        return ofShufflePort(TlsFloor.of(lookup));
    }

    /**
     * Reads the settings of a shuffle port, which has TLS where Hadoop's do.
     *
     * @throws io.spillway.conf.InvalidSettingException for a wrong value
     */
    public static ServerSettings ofShufflePort(final Function<String, String> lookup) {
        final int putBytes = Math.toIntExact(ProtocolKeys.NODE_PUT_BYTES.get(lookup));
        return new ServerSettings(
                ProtocolKeys.NODE_MAX_CONNECTIONS.get(lookup),
                ProtocolKeys.NODE_CONNECTION_BYTES.get(lookup),
                MAX_REQUEST_LENGTH,
                CREDITS,
                AUTH_TIMEOUT_MILLIS,
                IDLE_TIMEOUT_MILLIS,
                OPEN_THREADS,
                ProtocolKeys.NODE_PUT_REQUESTS.get(lookup),
                putBytes,
                Math.max(putBytes, ProtocolKeys.NODE_PUT_MEMORY.get(lookup)),
                FrameType.VERSIONS.from(ProtocolKeys.WIRE_MIN_VERSION.get(lookup)),
                aliases(lookup),
                ProtocolKeys.PROTECTION.get(lookup));
    }

    private static Set<String> aliases(final Function<String, String> lookup) {
        return ProtocolKeys.NODE_ALIASES
                .get(lookup)
                .map(text -> Set.of(text.split(",")))
                .orElse(Set.of());
    }
}
