// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

/**
 * What a host's memory holds of map outputs. The rules are the product's: docs/operating.md,
 * "Memory for map output", and docs/memory-nodes.md, "Size".
 */
final class HostCapacity {
    /** What {@code spillway.store.memory.reserve} is by default. */
    private static final long RESERVE_BYTES = 1L << 30;

    /** What a memory node leaves to its system and its buffers. */
    private static final long SYSTEM_BYTES = 2L << 30;

    /** A node process may take this share of its memory again as heap. */
    private static final double HEAP_SHARE = 1.0 / 16;

    /** A node takes no more outputs when it is so full. */
    private static final double HIGH_WATER = 0.95;

    /** What outputs take beyond their bytes. */
    private static final double PER_OUTPUT_BYTE = 1.01;

    private static final int TIER_SHARE = 4;
    private static final int TMPFS_SHARE = 2;

    private HostCapacity() {}

    /** Bytes of outputs in the memory tier of a host that computes. */
    static double tier(final PlanInput input) {
        final double most =
                Math.min(
                        (double) input.hosts().memoryBytes() / TIER_SHARE,
                        (double) input.hosts().memoryBytes() / TMPFS_SHARE);
        return Math.min(most, spare(input));
    }

    /** {@code spillway.node.memory.bytes} of a host that computes. */
    static double sharedSetting(final PlanInput input) {
        return spare(input) / (1 + HEAP_SHARE);
    }

    /** {@code spillway.node.memory.bytes} of a memory node. */
    static double nodeSetting(final PlanInput input) {
        return Math.max(0, input.hosts().memoryBytes() - SYSTEM_BYTES) / (1 + HEAP_SHARE);
    }

    /** Bytes of outputs in a node of such a setting. */
    static double usable(final double setting) {
        return setting * HIGH_WATER / PER_OUTPUT_BYTE;
    }

    /** What a host's system keeps of files that were read or written. */
    static double pageCache(final PlanInput input) {
        return spare(input);
    }

    private static double spare(final PlanInput input) {
        return Math.max(0, input.hosts().memoryBytes() - input.hosts().yarnBytes() - RESERVE_BYTES);
    }
}
