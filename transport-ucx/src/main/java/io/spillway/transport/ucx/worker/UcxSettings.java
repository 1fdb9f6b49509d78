// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import java.util.function.Function;

/**
 * How UCX is used. Immutable.
 *
 * @param tls the transports that UCX may use, or {@code auto}
 * @param netDevices the devices that UCX may use, or {@code auto}
 * @param bufferBytes the most registered memory of this process
 * @param tcpSegmentBytes the segment size of UCX's tcp
 * @param spinNanos how long to poll at most before sleeping
 * @param keepsKeys whether UCX may keep a registration, and its key, when it has ended
 */
public record UcxSettings(
        String tls,
        String netDevices,
        long bufferBytes,
        long tcpSegmentBytes,
        long spinNanos,
        boolean keepsKeys) {
    private static final long NANOS_PER_MICRO = 1000;

    /** Of a process of one job; {@code lookup} returns null for a property that is not set. */
    public static UcxSettings from(final Function<String, String> lookup) {
        return from(lookup, true);
    }

    /** Of one that serves several jobs. */
    public static UcxSettings ofServer(final Function<String, String> lookup) {
        return from(lookup, false);
    }

    private static UcxSettings from(
            final Function<String, String> lookup, final boolean keepsKeys) {
        return new UcxSettings(
                UcxKeys.UCX_TLS.get(lookup),
                UcxKeys.UCX_NET_DEVICES.get(lookup),
                UcxKeys.UCX_BUFFER_BYTES.get(lookup),
                UcxKeys.UCX_TCP_SEGMENT_BYTES.get(lookup),
                UcxKeys.UCX_SPIN.get(lookup) * NANOS_PER_MICRO,
                keepsKeys);
    }
}
