// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.seal.Protection;
import io.spillway.wire.FrameType;
import java.util.Locale;
import java.util.function.Function;

/**
 * What sessions without TLS need where Hadoop's shuffle has TLS: {@code privacy}, and a version of
 * the protocol that seals. Only shuffle ports have TLS; ports of node processes, ucx and mpi have
 * none.
 */
public final class TlsFloor {
    /** Hadoop's setting: {@code true} puts TLS on shuffle ports. */
    public static final String ENABLED = "mapreduce.shuffle.ssl.enabled";

    private TlsFloor() {}

    /** Whether a wish for less than {@code privacy} has no effect on sessions without TLS. */
    public static boolean raises(final Function<String, String> lookup) {
        return isSet(lookup) && ProtocolKeys.PROTECTION.get(lookup) != Protection.PRIVACY;
    }

    /** The settings of sessions without TLS. */
    static Function<String, String> of(final Function<String, String> lookup) {
        return isSet(lookup) ? name -> raised(name, lookup) : lookup;
    }

    private static boolean isSet(final Function<String, String> lookup) {
        return Boolean.parseBoolean(lookup.apply(ENABLED));
    }

    private static String raised(final String name, final Function<String, String> lookup) {
        if (name.equals(ProtocolKeys.PROTECTION.name())) {
            return Protection.PRIVACY.name().toLowerCase(Locale.ROOT);
        }
        if (name.equals(ProtocolKeys.WIRE_MIN_VERSION.name())) {
            final int least = ProtocolKeys.WIRE_MIN_VERSION.get(lookup);
            return String.valueOf(Math.max(FrameType.V13, least));
        }
        return lookup.apply(name);
    }
}
