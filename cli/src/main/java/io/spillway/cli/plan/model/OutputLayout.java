// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

import io.spillway.conf.Placement;

/**
 * Where the bytes of all map outputs lie. They add up to the map output; copies are not counted.
 * Immutable.
 *
 * @param tierBytes in the memory of the maps' hosts
 * @param nodeBytes put into the memory of node processes
 * @param copies of each of those
 * @param diskBytes on the disks of the maps' hosts
 * @param sharedBytes on the shared file system
 * @param lostBytes that fit nowhere
 */
public record OutputLayout(
        double tierBytes,
        double nodeBytes,
        int copies,
        double diskBytes,
        double sharedBytes,
        double lostBytes) {
    /** Bytes that did not fit into memory. */
    public double overflowBytes() {
        return diskBytes + sharedBytes + lostBytes;
    }

    /** Whether every byte has a place. */
    public boolean fits() {
        return lostBytes == 0;
    }

    /** Bytes that the maps' hosts serve. */
    double localBytes() {
        return tierBytes + diskBytes + sharedBytes;
    }

    /** The share of those that a host reads from the shared file system. */
    double sharedShare() {
        return sharedBytes == 0 ? 0 : sharedBytes / localBytes();
    }

    /**
     * Lays out the outputs.
     *
     * @param computing hosts that run tasks
     * @param nodes memory nodes
     */
    static OutputLayout of(
            final PlanInput input,
            final Placement placement,
            final int computing,
            final int nodes) {
        final double all = input.job().mapOutputBytes();
        final double tiers = computing * HostCapacity.tier(input);
        final double dedicated = nodes * HostCapacity.usable(HostCapacity.nodeSetting(input));
        return switch (placement) {
            case LOCAL, RAMDISK -> rest(input, computing, Math.min(all, tiers), 0, 1);
            case EVERY_NODE -> {
                final double every =
                        computing * HostCapacity.usable(HostCapacity.sharedSetting(input));
                final int copies = Math.min(input.job().copies(), computing + nodes);
                final double put = Math.min(all, (every + dedicated) / copies);
                yield rest(input, computing, 0, put, copies);
            }
            case DEDICATED -> {
                final int copies = Math.max(1, Math.min(input.job().copies(), nodes));
                final double put = Math.min(all, dedicated / copies);
                yield rest(input, computing, Math.min(all - put, tiers), put, copies);
            }
            case AUTO -> {
                final int copies = Math.max(1, Math.min(input.job().copies(), nodes));
                final double kept = Math.min(all, tiers);
                yield rest(
                        input, computing, kept, Math.min(all - kept, dedicated / copies), copies);
            }
        };
    }

    /** Lays out the outputs of a job of stock Hadoop: none in memory. */
    static OutputLayout onDisk(final PlanInput input, final int computing) {
        return rest(input, computing, 0, 0, 1);
    }

    private static OutputLayout rest(
            final PlanInput input,
            final int computing,
            final double tier,
            final double put,
            final int copies) {
        final double left = Math.max(0, input.job().mapOutputBytes() - tier - put);
        final double disk =
                input.hosts().hasDisk() ? Math.min(left, computing * input.hosts().diskBytes()) : 0;
        final double shared = input.hosts().hasShared() ? left - disk : 0;
        return new OutputLayout(tier, put, copies, disk, shared, left - disk - shared);
    }
}
