// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import static io.spillway.conf.Setting.Reader.REDUCE_TASK;

import io.spillway.conf.Setting;
import io.spillway.conf.SettingDeclarations;
import io.spillway.conf.SettingGroup;
import java.util.List;

/** Settings of reading through a shared file system. */
public final class SharedKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;

    /** The threads that read. */
    public static final Setting<Integer> SHAREDFS_THREADS =
            DECLARE.experiment("spillway.sharedfs.threads", REDUCE_TASK)
                    .integer(
                            4,
                            1,
                            64,
                            "Threads of a reducer that read map outputs through the shared file"
                                    + " system.");

    /** The files that are kept open. */
    public static final Setting<Integer> SHAREDFS_OPEN_FILES =
            DECLARE.experiment("spillway.sharedfs.open.files", REDUCE_TASK)
                    .integer(
                            512,
                            1,
                            65_536,
                            "Map outputs on the shared file system that a reducer keeps open; with"
                                    + " fewer than there are maps, some are opened again.");

    /** The files that are opened in a second. */
    public static final Setting<Integer> SHAREDFS_OPENS_PER_SECOND =
            DECLARE.experiment("spillway.sharedfs.opens.per.second", REDUCE_TASK)
                    .integer(
                            200,
                            1,
                            100_000,
                            "Map outputs on the shared file system that a reducer opens in a"
                                    + " second at most: all reducers of a cluster share its"
                                    + " metadata servers.");

    /** The most bytes of one read. */
    public static final Setting<Long> SHAREDFS_READ_BYTES =
            DECLARE.experiment("spillway.sharedfs.read.bytes", REDUCE_TASK)
                    .bytes(
                            1 * MIB,
                            64 * KIB,
                            16 * MIB,
                            "Pieces that lie one behind the other are read at once, up to the next"
                                    + " multiple of this in the file: the stripe size, or what one"
                                    + " request to a server brings. A longer piece is read alone.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }
}
