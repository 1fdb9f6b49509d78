// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.conf.Location;
import io.spillway.conf.Setting;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a node needs to know to offer a tier's files. Immutable.
 *
 * @param setting names its directory
 * @param directory where it lies, by the settings; nothing where it is not wanted
 * @param limit the setting of its size
 * @param inMemory whether its files are memory of the host, so that it has to be on tmpfs and to
 *     leave YARN and other programs what they have
 */
public record NodeFolder(
        Setting<Location> setting,
        Function<Function<String, String>, Optional<Path>> directory,
        Setting<Optional<Long>> limit,
        boolean inMemory) {
    /** Checks its arguments. */
    public NodeFolder {
        Objects.requireNonNull(setting, "setting");
        Objects.requireNonNull(directory, "directory");
        Objects.requireNonNull(limit, "limit");
    }
}
