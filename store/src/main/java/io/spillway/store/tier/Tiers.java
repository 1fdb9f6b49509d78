// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.conf.TierName;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** All tiers that are registered. */
public final class Tiers {
    /** Stands for a tier that is not known here. */
    public static final Tier UNKNOWN = new UnknownTier();

    private static final List<Tier> ALL = registered();

    /** The framework's local directories: what every task has, and the end of every chain. */
    public static final Tier DISK = named(DiskTier.LABEL);

    /** Files on tmpfs, which the node offers. */
    public static final Tier MEMORY = named(MemoryTier.LABEL);

    /** Files in a directory of the shared file system. */
    public static final Tier LUSTRE = named(LustreTier.LABEL);

    private Tiers() {}

    private static List<Tier> registered() {
        final List<Tier> tiers = new ArrayList<>();
        for (final TierName name :
                ServiceLoader.load(TierName.class, TierName.class.getClassLoader())) {
            if (name instanceof Tier tier) {
                tiers.add(tier);
            }
        }
        return List.copyOf(tiers);
    }

    /** All, in the order of their registration. */
    public static List<Tier> all() {
        return ALL;
    }

    /**
     * The tier of a name, also that of a store ({@link io.spillway.store.Spill#store}).
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Tier named(final String label) {
        for (final Tier tier : ALL) {
            if (tier.label().equals(label)) {
                return tier;
            }
        }
        throw new IllegalArgumentException(
                "tier=" + label + ": expected one of " + ALL.stream().map(Tier::label).toList());
    }

    /** The tiers of names. */
    public static List<Tier> named(final List<String> labels) {
        final List<Tier> tiers = new ArrayList<>();
        for (final String label : labels) {
            tiers.add(named(label));
        }
        return List.copyOf(tiers);
    }

    /** The tier of a code on the wire; {@link #UNKNOWN} for that of a newer node. */
    public static Tier ofCode(final int code) {
        if (code == Tier.NOT_SERVED) {
            return UNKNOWN;
        }
        for (final Tier tier : ALL) {
            if (tier.code() == code) {
                return tier;
            }
        }
        return UNKNOWN;
    }

    /**
     * The tier of a node's folder, whose name begins with it.
     *
     * @param folder such as {@code memory-node-0a1b2c3d}
     */
    public static Tier ofFolder(final String folder) {
        for (final Tier tier : ALL) {
            if (folder.startsWith(tier.label() + "-")) {
                return tier;
            }
        }
        return UNKNOWN;
    }
}
