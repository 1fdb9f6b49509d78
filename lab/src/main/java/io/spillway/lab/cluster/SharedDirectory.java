// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.spillway.cli.failure.BadInputException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The directory of a file system that all hosts share, for what is between map and reduce.
 * Immutable.
 *
 * @param kind whose it is
 * @param path of one that is there, else empty
 * @param diskless whether the NodeManagers' local directories lie on it: hosts without a disk
 */
public record SharedDirectory(Kind kind, String path, boolean diskless) {
    /** None. */
    public static final SharedDirectory NONE = new SharedDirectory(Kind.NONE, "", false);

    /** On a distributed file system that the cluster starts, with a client on each host. */
    public static final SharedDirectory DISTRIBUTED =
            new SharedDirectory(Kind.DISTRIBUTED, "", false);

    static final String OPTION = "--shared-fs";

    /** Whose file system it is on. */
    public enum Kind {
        NONE,
        /** The cluster's own, which it starts. */
        DISTRIBUTED,
        /** The machine's: one that is mounted already. */
        EXISTING
    }

    /** Checks the combination. */
    public SharedDirectory {
        Objects.requireNonNull(kind);
        Objects.requireNonNull(path);
        if (diskless && kind == Kind.NONE) {
            throw new BadInputException("--diskless: expected " + OPTION + " beside it");
        }
        if (kind == Kind.EXISTING && !Path.of(path).isAbsolute()) {
            throw new BadInputException(OPTION + " " + path + ": expected an absolute path");
        }
    }

    /**
     * What the option asks for.
     *
     * @param directory its value, or empty
     */
    public static SharedDirectory of(final String directory) {
        return directory.isEmpty()
                ? DISTRIBUTED
                : new SharedDirectory(Kind.EXISTING, directory, false);
    }

    /** The same, with the NodeManagers' local directories on it. */
    public SharedDirectory withLocalDirs() {
        return new SharedDirectory(kind, path, true);
    }

    /** Whether there is one. */
    public boolean any() {
        return kind != Kind.NONE;
    }

    /** Whether the cluster has a distributed file system of its own. */
    @JsonIgnore
    public boolean isDistributed() {
        return kind == Kind.DISTRIBUTED;
    }

    /** In tables and JSON. */
    String label() {
        return isDistributed() ? "moosefs" : path;
    }
}
