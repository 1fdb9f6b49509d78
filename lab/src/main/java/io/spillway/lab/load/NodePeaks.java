// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.load;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The most that this process took since the last question. Thread-safe. */
final class NodePeaks {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final long PERIOD_MILLIS = 100;

    private final UnixOperatingSystemMXBean system =
            ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class);
    private final BufferPoolMXBean direct =
            ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .filter(pool -> pool.getName().equals("direct"))
                    .findFirst()
                    .orElseThrow();
    private long[] peaks = new long[4];

    /** Looks again and again, on a thread that does not keep the process. */
    void start() {
        final Thread thread = new Thread(this::watch, "peaks");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        try {
            while (true) {
                look();
                Thread.sleep(PERIOD_MILLIS);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void look() {
        final long[] now = {
            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
            direct.getMemoryUsed(),
            resident(),
            system.getOpenFileDescriptorCount()
        };
        for (int i = 0; i < now.length; i++) {
            peaks[i] = Math.max(peaks[i], now[i]);
        }
    }

    private static long resident() {
        try {
            final List<String> lines = Files.readAllLines(STATUS);
            return lines.stream()
                    .filter(line -> line.startsWith(RESIDENT))
                    .map(line -> line.substring(RESIDENT.length()).trim().split(" ", -1)[0])
                    .mapToLong(kilobytes -> Long.parseLong(kilobytes) << 10)
                    .findFirst()
                    .orElse(0);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** CPU that this process has taken, in nanoseconds. */
    static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
                .getProcessCpuTime();
    }

    /** CPU so far in nanoseconds, then the peaks: heap, direct, resident, descriptors. */
    synchronized String take() {
        look();
        final long[] taken = peaks;
        peaks = new long[taken.length];
        return cpuNanos() + " " + taken[0] + " " + taken[1] + " " + taken[2] + " " + taken[3];
    }
}
