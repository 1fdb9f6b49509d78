// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import java.util.Optional;

/** Reads the limits of a process. */
final class ProcessLimits {
    private static final String UNLIMITED = "unlimited";

    private ProcessLimits() {}

    /**
     * The soft limit of a process.
     *
     * @param process its number, or {@code self}
     * @param name as the kernel calls it, such as {@code Max open files}
     * @return the largest number for unlimited; nothing where it cannot be told
     */
    static Optional<Long> of(final HostFiles files, final String process, final String name) {
        return files.lines("/proc/" + process + "/limits").stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).trim().split("\\s+", -1)[0])
                .filter(limit -> limit.equals(UNLIMITED) || limit.matches("\\d{1,18}"))
                .map(limit -> limit.equals(UNLIMITED) ? Long.MAX_VALUE : Long.parseLong(limit))
                .findFirst();
    }
}
