// SPDX-License-Identifier: Apache-2.0
package io.spillway.host;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A moment by the clock that the kernel starts with the host. All processes of the host see the
 * same one, and no user can set it; a wall clock that is set jumps by any time.
 *
 * @param boot names the start of the host
 * @param seconds since then, sleep of the host included
 */
public record HostTime(String boot, long seconds) {
    private static final Logger LOG = LoggerFactory.getLogger(HostTime.class);
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path UPTIME = Path.of("/proc/uptime");

    /** The present; nothing where the kernel does not say. */
    public static Optional<HostTime> now() {
        try {
            final String uptime = Files.readString(UPTIME).strip().split(" ", 2)[0];
            final long seconds =
                    new BigDecimal(uptime).setScale(0, RoundingMode.DOWN).longValueExact();
            return Optional.of(new HostTime(Files.readString(BOOT).strip(), seconds));
        } catch (final IOException | ArithmeticException | NumberFormatException e) {
            LOG.debug("The time since the host's start is not known", e);
            return Optional.empty();
        }
    }

    /**
     * Seconds from {@code then} to this moment. Where the host was started again between them,
     * those since its start: fewer than there were.
     */
    public long secondsSince(final HostTime then) {
        return boot.equals(then.boot) ? seconds - then.seconds : seconds;
    }
}
