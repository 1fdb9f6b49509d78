// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.lang.management.ManagementFactory;

/** Refuses sizes that are set and that neither the host nor the heap has. */
public final class MemoryBounds {
    private static final long MIB = 1L << 20;

    private MemoryBounds() {}

    /** The memory of this host, or of this process's control group where that is less, in bytes. */
    public static long hostBytes() {
        return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
                .getTotalMemorySize();
    }

    /**
     * A size outside the heap.
     *
     * @return the value
     * @throws InvalidSettingException when the host has less memory
     */
    public static long requireInHost(final Setting<Long> setting, final long value) {
        final long host = hostBytes();
        if (value > host) {
            throw setting.tooLarge(
                    value, wholeMegabytes(host), "the host has " + megabytes(host) + " of memory");
        }
        return value;
    }

    /**
     * A size within the heap.
     *
     * @param heap in bytes
     * @param most what the size may take of it, in bytes
     * @return the value
     * @throws InvalidSettingException when it is larger than that
     */
    public static long requireInHeap(
            final Setting<Long> setting, final long value, final long heap, final long most) {
        if (value > most) {
            throw setting.tooLarge(
                    value,
                    wholeMegabytes(Math.max(0, most)),
                    "so much of the heap of " + megabytes(heap) + " is left for it");
        }
        return value;
    }

    /** The largest number of whole MiB, as bytes: what a message names has a short text. */
    public static long wholeMegabytes(final long bytes) {
        return bytes / MIB * MIB;
    }

    /** A text in the unit of Hadoop's own settings. */
    public static String megabytes(final long bytes) {
        return bytes / MIB + " MiB";
    }
}
