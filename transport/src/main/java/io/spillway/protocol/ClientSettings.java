// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.conf.CommonKeys;
import io.spillway.seal.Protection;
import io.spillway.version.VersionRange;
import io.spillway.wire.FrameType;
import java.util.function.Function;

/**
 * How a client behaves. Immutable.
 *
 * @param connectTimeoutMillis the time in which a connection must be open and authenticated
 * @param readTimeoutMillis the time without an answer after which a connection is lost
 * @param requestsInFlight the most fetches in flight on one connection
 * @param prefetch whether nodes may read ahead for this client
 * @param versions of the protocol that this client speaks
 * @param protection the weakest level that this client accepts
 */
public record ClientSettings(
        long connectTimeoutMillis,
        long readTimeoutMillis,
        int requestsInFlight,
        boolean prefetch,
        VersionRange versions,
        Protection protection) {
    /**
     * Reads the settings of connections without TLS.
     *
     * @throws io.spillway.conf.InvalidSettingException for a wrong value
     */
    public static ClientSettings from(final Function<String, String> lookup) {
        return ofShufflePort(TlsFloor.of(lookup));
    }

    /**
     * Reads the settings of connections to shuffle ports, which have TLS where Hadoop's do.
     *
     * @throws io.spillway.conf.InvalidSettingException for a wrong value
     */
    public static ClientSettings ofShufflePort(final Function<String, String> lookup) {
        return new ClientSettings(
                ProtocolKeys.SHUFFLE_CONNECT_TIMEOUT.get(lookup),
                ProtocolKeys.SHUFFLE_READ_TIMEOUT.get(lookup),
                ProtocolKeys.SHUFFLE_REQUESTS_IN_FLIGHT.get(lookup),
                prefetch(lookup),
                FrameType.VERSIONS.from(ProtocolKeys.WIRE_MIN_VERSION.get(lookup)),
                ProtocolKeys.PROTECTION.get(lookup));
    }

    private static boolean prefetch(final Function<String, String> lookup) {
        return ProtocolKeys.SHUFFLE_PREFETCH
                .get(lookup)
                .orElseGet(() -> CommonKeys.MODE.get(lookup).prefetches());
    }
}
