// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import static io.spillway.conf.Setting.Reader.MAP_TASK;
import static io.spillway.conf.Setting.Reader.NODE_MANAGER;
import static io.spillway.conf.Setting.Reader.NODE_PROCESS;
import static io.spillway.conf.Setting.Reader.REDUCE_TASK;

import io.spillway.conf.Location;
import io.spillway.conf.Setting;
import io.spillway.conf.SettingDeclarations;
import io.spillway.conf.SettingGroup;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Settings of the tiers of stores. */
public final class StoreKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final long TIB = 1L << 40;

    /** Memory as files, on Linux. */
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    /** The most bytes of spills that one map task keeps in its heap. */
    public static final Setting<Long> SPILL_HEAP_LIMIT =
            DECLARE.job("spillway.spill.heap.limit", MAP_TASK)
                    .bytes(
                            64 * MIB,
                            0,
                            64 * GIB,
                            "Most bytes of spills that one map task keeps in the heap tier.");

    /** The directory of the memory tier. */
    public static final Setting<Location> STORE_MEMORY_DIR =
            DECLARE.site(
                            "spillway.store.memory.dir",
                            NODE_MANAGER,
                            NODE_PROCESS,
                            MAP_TASK,
                            REDUCE_TASK)
                    .location(
                            Location.AUTO,
                            Set.of(Location.AUTO, Location.NONE),
                            "Directory of the memory tier, on tmpfs. auto is /dev/shm, for what the"
                                    + " node offers to tasks; a task to which its node offers no"
                                    + " memory keeps spills in the directory that is set, in files"
                                    + " of its own, and with auto in none.");

    /** The most memory that a node's memory tier takes. */
    public static final Setting<Optional<Long>> STORE_MEMORY_LIMIT =
            DECLARE.site("spillway.store.memory.limit", NODE_MANAGER)
                    .bytesOrAuto(
                            0,
                            64 * TIB,
                            "Most bytes of a node's memory tier, leased or kept for use again. auto"
                                + " is made of the host's memory and what YARN gives to containers"
                                + " (docs/operating.md, Memory for map output).");

    /** The memory that the memory tier leaves free. */
    public static final Setting<Long> STORE_MEMORY_RESERVE =
            DECLARE.site("spillway.store.memory.reserve", NODE_MANAGER, MAP_TASK, REDUCE_TASK)
                    .bytes(
                            1 * GIB,
                            0,
                            64 * TIB,
                            "The memory tier is full when less than this is left, of its file"
                                    + " system or of the host's available memory.");

    /** Whether tasks of other users than the NodeManager's get files of the node's tiers. */
    public static final Setting<Optional<Boolean>> STORE_OTHER_USERS =
            DECLARE.site("spillway.store.other.users", NODE_MANAGER)
                    .boolOrAuto(
                            "Whether tasks that run as other users than the NodeManager get files"
                                + " of its memory and nvm tiers, by descriptors (docs/security.md,"
                                + " Tasks of other users). auto: where its container executor is"
                                + " not Hadoop's DefaultContainerExecutor.");

    /** The largest share of a tier for one such user. */
    public static final Setting<Double> STORE_USER_PERCENT =
            DECLARE.site("spillway.store.user.percent", NODE_MANAGER)
                    .fraction(
                            1,
                            1,
                            "Largest fraction of a node's tier, memory or nvm, for all tasks of one"
                                + " user other than the NodeManager's. Further outputs go to the"
                                + " next tier.");

    /** The directory of the NVM tier. */
    public static final Setting<Location> STORE_NVM_DIR =
            DECLARE.site(
                            "spillway.store.nvm.dir",
                            NODE_MANAGER,
                            NODE_PROCESS,
                            MAP_TASK,
                            REDUCE_TASK)
                    .location(
                            Location.NONE,
                            Set.of(Location.NONE),
                            "Directory of the nvm tier, on a DAX mount (any other is mapped without"
                                    + " sync, and the report says so).");

    /** The most bytes that a node's NVM tier takes. */
    public static final Setting<Optional<Long>> STORE_NVM_LIMIT =
            DECLARE.site("spillway.store.nvm.limit", NODE_MANAGER)
                    .bytesOrAuto(
                            0,
                            64 * TIB,
                            "Most bytes of a node's nvm tier; auto is all that its mount has.");

    /** How many times its duration a write to the NVM tier is followed by waiting. */
    public static final Setting<Double> NVM_EMULATION_WRITE =
            DECLARE.experiment("spillway.store.nvm.emulation.write", MAP_TASK, REDUCE_TASK)
                    .number(
                            0,
                            1000,
                            "For experiments without NVM: after a write wait this many times as"
                                + " long as it took in DRAM; 10 in the published evaluation. What"
                                + " is measured so is reported as emulated.");

    /** The directory of the Lustre tier. */
    public static final Setting<Location> STORE_LUSTRE_DIR =
            DECLARE.site(
                            "spillway.store.lustre.dir",
                            NODE_MANAGER,
                            NODE_PROCESS,
                            MAP_TASK,
                            REDUCE_TASK)
                    .location(
                            Location.NONE,
                            Set.of(Location.NONE),
                            "Directory of the lustre tier, on a file system that all hosts share;"
                                    + " the same for NodeManagers and jobs, as nodes serve the map"
                                    + " outputs in it.");

    /** Over how many object storage targets Lustre spreads a map output. */
    public static final Setting<Integer> LUSTRE_STRIPE_COUNT =
            DECLARE.job("spillway.store.lustre.stripe.count", MAP_TASK)
                    .integer(
                            1,
                            1,
                            2000,
                            "Over how many object storage targets Lustre spreads each map output"
                                    + " of the lustre tier. With 1 the outputs of many maps use"
                                    + " all targets, and each read asks one.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }

    /** The directory of the memory tier that a node offers, or nothing for none. */
    public static Optional<Path> memoryDirectory(final Function<String, String> lookup) {
        return STORE_MEMORY_DIR.get(lookup).orAuto(SHARED_MEMORY);
    }
}
