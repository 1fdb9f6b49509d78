// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Counters of the kernel at one moment. An emulated host has a network namespace of its own, whose
 * counters are read through one of its processes.
 *
 * @param busyTicks of all processors since the machine started
 * @param allTicks of all processors since the machine started, with idle time
 * @param usedKilobytes memory that is not available for programs
 * @param diskOperations reads and writes that disks have completed
 * @param receivedBytes of all given hosts
 * @see <a href="https://docs.kernel.org/filesystems/proc.html">proc(5)</a>
 */
record MachineCounters(
        long busyTicks,
        long allTicks,
        long usedKilobytes,
        long diskOperations,
        long receivedBytes) {
    private static final int IDLE = 4;
    private static final int WAITING = 5;
    private static final int GUEST = 9;
    private static final int DISK_NAME = 2;
    private static final int READS = 3;
    private static final int WRITES = 7;

    /** Reads the counters, with the received bytes of the hosts of these processes. */
    static MachineCounters now(final Path proc, final List<Long> pids) throws IOException {
        final long[] ticks = numbers(first(proc.resolve("stat"), "cpu "));
        long all = 0;
        // The time of users includes the time of guests.
        for (int i = 1; i < Math.min(GUEST, ticks.length); i++) {
            all += ticks[i];
        }
        final Path memory = proc.resolve("meminfo");
        final long used = number(memory, "MemTotal:") - number(memory, "MemAvailable:");
        long received = 0;
        for (final long pid : pids) {
            received += received(proc.resolve(String.valueOf(pid)).resolve("net/dev"));
        }
        return new MachineCounters(
                all - ticks[IDLE] - ticks[WAITING], all, used, operations(proc), received);
    }

    private static String first(final Path file, final String start) throws IOException {
        try (var lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(start)).findFirst().orElse("");
        }
    }

    private static long number(final Path file, final String key) throws IOException {
        return numbers(first(file, key))[1];
    }

    /** Splits a line into numbers; other words become 0. */
    private static long[] numbers(final String line) {
        return Arrays.stream(line.trim().split("\\s+", -1))
                .mapToLong(word -> word.matches("\\d{1,18}") ? Long.parseLong(word) : 0)
                .toArray();
    }

    /** Sums over whole disks: the counters of a disk include those of its partitions. */
    private static long operations(final Path proc) throws IOException {
        long sum = 0;
        for (final String line : Files.readAllLines(proc.resolve("diskstats"))) {
            final String name = line.trim().split("\\s+", -1)[DISK_NAME];
            if (name.matches("(sd|vd|xvd)[a-z]+|nvme\\d+n\\d+|mmcblk\\d+")) {
                final long[] numbers = numbers(line);
                sum += numbers[READS] + numbers[WRITES];
            }
        }
        return sum;
    }

    /** Sums the bytes of all interfaces of a host; 0 where the process has ended. */
    private static long received(final Path interfaces) throws IOException {
        try {
            long sum = 0;
            for (final String line : Files.readAllLines(interfaces)) {
                final int colon = line.indexOf(':');
                sum += colon < 0 ? 0 : numbers(line.substring(colon + 1))[0];
            }
            return sum;
        } catch (final NoSuchFileException e) {
            return 0;
        }
    }
}
