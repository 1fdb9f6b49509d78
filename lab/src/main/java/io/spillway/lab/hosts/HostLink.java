// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import io.spillway.cli.failure.BadInputException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the link of an emulated host carries, in each direction. Immutable.
 *
 * @param name on the command line
 * @param bitsPerSecond the most it carries; 0 is no bound
 * @param delayMicros how long each packet takes from one host to another; 0 is no delay
 */
public record HostLink(String name, long bitsPerSecond, int delayMicros) {
    /** As fast as the machine is. */
    public static final HostLink NONE = new HostLink("none", 0, 0);

    private static final long MEGA = 1_000_000;
    private static final long GIGA = 1_000_000_000;
    private static final String INFINIBAND = "ib";

    private static final List<HostLink> KNOWN =
            List.of(
                    NONE,
                    new HostLink("1g", GIGA, 100),
                    new HostLink("10g", 10 * GIGA, 20),
                    new HostLink(INFINIBAND, 25 * GIGA, 2));

    private static final Pattern OWN =
            Pattern.compile("([1-9][0-9]{0,5})(mbit|gbit)(?:\\+([0-9]{1,7})us)?");

    /**
     * What a burst may exceed the rate by: this time at the full rate, and no less than a frame.
     */
    private static final long BURST_MICROS = 1_000;

    private static final long LEAST_BURST_BYTES = 128 << 10;

    /** How long a queue gets before packets are dropped. */
    private static final long QUEUE_MICROS = 50_000;

    private static final long PACKET_BYTES = 1_500;
    private static final long LEAST_PACKETS = 1_000;
    private static final long BITS_TO_MICRO_BYTES = 8 * MEGA;

    /** Checks that there is a name. */
    public HostLink {
        Objects.requireNonNull(name);
    }

    /**
     * Reads a link: one of the known, or a rate with or without a delay, as {@code 500mbit} and
     * {@code 2gbit+50us}.
     *
     * @throws BadInputException when it is neither
     */
    public static HostLink parse(final String text) {
        final String name = text.toLowerCase(Locale.ROOT);
        final Matcher own = OWN.matcher(name);
        if (own.matches()) {
            final long unit = own.group(2).equals("gbit") ? GIGA : MEGA;
            final int delay = own.group(3) == null ? 0 : Integer.parseInt(own.group(3));
            return new HostLink(name, Long.parseLong(own.group(1)) * unit, delay);
        }
        return KNOWN.stream()
                .filter(link -> link.name.equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "--link "
                                                + text
                                                + ": expected 1g, 10g, ib, none, or a rate with or"
                                                + " without a delay, as 500mbit, 2gbit+50us"));
    }

    /** Whether the kernel has to slow it. */
    public boolean shaped() {
        return bitsPerSecond > 0;
    }

    /** What it is, in words. */
    public String describe() {
        if (!shaped()) {
            return "unshaped";
        }
        final String delay = delayMicros == 0 ? "" : ", " + delayMicros + " us";
        final String stand = name.equals(INFINIBAND) ? ", tcp in place of InfiniBand" : "";
        return rateInWords() + delay + stand;
    }

    /** The same rate without a delay, as it is given on the command line. */
    String withoutDelay() {
        return bitsPerSecond % GIGA == 0
                ? bitsPerSecond / GIGA + "gbit"
                : bitsPerSecond / MEGA + "mbit";
    }

    private String rateInWords() {
        return bitsPerSecond % GIGA == 0
                ? bitsPerSecond / GIGA + " Gbit/s"
                : bitsPerSecond / MEGA + " Mbit/s";
    }

    /** Bytes that may pass at once after a silence. */
    public long burstBytes() {
        return Math.max(LEAST_BURST_BYTES, bytesIn(BURST_MICROS));
    }

    private long bytesIn(final long micros) {
        return bitsPerSecond * micros / BITS_TO_MICRO_BYTES;
    }

    /** The arguments of tc for the side that delays: the host's. */
    List<String> sending() {
        return delayMicros == 0 ? rate() : delayAndRate();
    }

    private List<String> delayAndRate() {
        final long packets = Math.max(LEAST_PACKETS, bytesIn(QUEUE_MICROS) / PACKET_BYTES);
        return List.of(
                "netem",
                "delay",
                delayMicros + "us",
                "rate",
                bitsPerSecond + "bit",
                "limit",
                String.valueOf(packets));
    }

    /** The arguments of tc for the other side: the bridge's. */
    List<String> rate() {
        return List.of(
                "tbf",
                "rate",
                bitsPerSecond + "bit",
                "burst",
                String.valueOf(burstBytes()),
                "latency",
                QUEUE_MICROS + "us");
    }
}
