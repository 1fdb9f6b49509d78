// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import java.io.File;
import java.io.FileNotFoundException;
import java.util.List;

/** Knows in which of the host's local directories a file lies. Thread-safe; may touch disks. */
@FunctionalInterface
public interface MapOutputLocator {
    /**
     * Finds a file.
     *
     * @param relativePath from a local directory on, as an {@link MapOutputLayout} has it
     * @throws FileNotFoundException when none of the local directories holds it
     */
    File locate(String relativePath) throws FileNotFoundException;

    /**
     * Finds a folder in all local directories that have it.
     *
     * @param relativePath as that of {@link #locate}
     */
    default List<File> locateAll(final String relativePath) {
        try {
            return List.of(locate(relativePath));
        } catch (final FileNotFoundException e) {
            return List.of();
        }
    }
}
