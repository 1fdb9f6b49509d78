// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.report;

import com.sun.management.OperatingSystemMXBean;
import io.spillway.cli.site.HadoopSite;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The machine that figures were measured on.
 *
 * @param cores processors that Java sees
 * @param cpu the processor's model
 * @param memoryMb main memory
 * @param kernel the operating system
 * @param java the Java that ran everything
 * @param hadoop Hadoop's version
 * @param date when, in UTC
 * @param emulation what of the cluster was emulated on it, in words, or none
 */
public record Machine(
        int cores,
        String cpu,
        long memoryMb,
        String kernel,
        String java,
        String hadoop,
        String date,
        String emulation) {
    /** Nothing is emulated. */
    public static final String NO_EMULATION = "none";

    private static final Path CPU = Path.of("/proc/cpuinfo");

    /** Fills in what an earlier version did not write. */
    public Machine {
        emulation = Objects.requireNonNullElse(emulation, NO_EMULATION);
    }

    /** This machine, now, for what ran at a site. */
    public static Machine of(final HadoopSite site) {
        return thisOne(site.hadoopVersion(), site.emulation().orElse(NO_EMULATION));
    }

    /** This machine, now. */
    public static Machine thisOne(final String hadoopVersion) {
        return thisOne(hadoopVersion, NO_EMULATION);
    }

    private static Machine thisOne(final String hadoopVersion, final String emulation) {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                cpuModel(),
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                                .getTotalMemorySize()
                        >> 20,
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                Runtime.version().toString(),
                hadoopVersion,
                Instant.now().toString(),
                emulation);
    }

    /** A line's end that says what is emulated; empty where nothing is. */
    public String emulationNote() {
        return emulation.equals(NO_EMULATION) ? "" : "; " + emulation;
    }

    private static String cpuModel() {
        try (Stream<String> lines = Files.lines(CPU)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (final IOException e) {
            return System.getProperty("os.arch");
        }
    }
}
