// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.TierName;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.SpillStore;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;

/**
 * A kind of place for spills and map outputs: its name, its code on the wire, how a task opens it,
 * what a node offers of it, and what is counted.
 *
 * <p>An implementation is public, has a public constructor without parameters and no state, and is
 * registered as {@link TierName} says; nothing else has to know it. {@code settings} are looked up
 * by name, as by {@link io.spillway.conf.Setting#get}.
 */
public interface Tier extends TierName {
    /** Whether what is written to it leaves the task's heap. */
    default boolean leavesHeap() {
        return true;
    }

    /**
     * Insists on settings that hold.
     *
     * @throws InvalidSettingException for one that does not
     */
    void check(Function<String, String> settings);

    /**
     * Insists that what the tier takes of the heap is there.
     *
     * @param heap in bytes
     * @param taken of the heap by others, in bytes
     * @throws InvalidSettingException that names what would fit
     */
    default void requireInHeap(
            final Function<String, String> settings, final long heap, final long taken) {}

    /** A store for what only the task reads; one that takes nothing where it cannot be had. */
    SpillStore own(TaskSite site) throws IOException;

    /** A store from which the node can serve; nothing where there is none. */
    default Optional<SpillStore> served(final TaskSite site) {
        return Optional.empty();
    }

    /** The folder of files that a node may offer to its tasks; nothing where there is none. */
    default Optional<NodeFolder> folder() {
        return Optional.empty();
    }

    /** What the bytes of spills in it are counted as. */
    ShuffleCounter spilled(Function<String, String> settings);

    /** What the bytes of map outputs in it are counted as. */
    ShuffleCounter written(Function<String, String> settings);
}
