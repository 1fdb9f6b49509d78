// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import io.spillway.conf.Setting;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * How UCX is configured: its options, by the names that {@code ucx_info -cf} lists, without {@code
 * UCX_}. Loads nothing native.
 */
public final class UcxConfiguration {
    /**
     * UCX's tcp is slower than Spillway's, and listens at ports of its own, where it takes in
     * anybody.
     */
    private static final String ALL_BUT_SOCKETS = "^tcp";

    private UcxConfiguration() {}

    /** As environment variables, for programs that are to use UCX as the transport does. */
    public static Map<String, String> environment(final Function<String, String> settings) {
        final Map<String, String> environment = new TreeMap<>();
        options(UcxSettings.from(settings))
                .forEach((name, value) -> environment.put("UCX_" + name, value));
        environment.put("UCX_WARN_UNUSED_ENV_VARS", "n");
        return environment;
    }

    /** Whether UCX may use plain sockets. */
    static boolean mayUseSockets(final UcxSettings settings) {
        final String tls = options(settings).getOrDefault("TLS", System.getenv("UCX_TLS"));
        final boolean excludes = tls.startsWith("^");
        final List<String> names = UcxLibrary.words(tls.substring(excludes ? 1 : 0));
        return excludes != (names.contains("tcp") || names.contains("all"));
    }

    static Map<String, String> options(final UcxSettings settings) {
        final Map<String, String> options = new TreeMap<>();
        // Messages name requests by ids that are looked up, not by their addresses: an answer that
        // comes after the end of an endpoint must find nothing, not freed memory.
        options.put("PROTO_INDIRECT_ID", "on");
        final String segmentBytes = Long.toString(settings.tcpSegmentBytes());
        putForTcp(options, "TX_SEG_SIZE", segmentBytes);
        putForTcp(options, "RX_SEG_SIZE", segmentBytes);
        // UCX 1.13 ends the process now and then over an acknowledgement that it did not expect.
        putForTcp(options, "PUT_ENABLE", "n");
        // Among several sockets that are ready at once, the handler of one may free the endpoint of
        // another, whose event UCX 1.13 follows then: so it takes one at a time.
        putForTcp(options, "MAX_POLL", "1");
        if (!settings.keepsKeys()) {
            // With a cache, the key of a registration would outlive it. IB has one of its own.
            options.put("RCACHE_ENABLE", "n");
            options.put("REG_METHODS", "direct");
            options.put("IB_REG_METHODS", "direct");
        }
        // What lets endpoints over shared memory be torn down at any time; by both names again.
        for (final String media : List.of("", "MM_", "POSIX_", "SYSV_")) {
            options.put(media + "ERROR_HANDLING", "y");
        }
        if (!settings.tls().equals(Setting.AUTO)) {
            options.put("TLS", settings.tls());
        } else if (System.getenv("UCX_TLS") == null) {
            options.put("TLS", ALL_BUT_SOCKETS);
        }
        if (!settings.netDevices().equals(Setting.AUTO)) {
            options.put("NET_DEVICES", settings.netDevices());
        }
        return options;
    }

    /** UCX 1.13 knows the option by the one name, later ones by the other. */
    private static void putForTcp(
            final Map<String, String> options, final String option, final String value) {
        if (System.getenv("UCX_TCP_" + option) == null) {
            options.put(option, value);
            options.put("TCP_" + option, value);
        }
    }
}
