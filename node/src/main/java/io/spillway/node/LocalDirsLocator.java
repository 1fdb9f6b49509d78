// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import java.io.File;
import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.util.List;

/** Looks through a NodeManager's local directories, in their order. Thread-safe. */
public final class LocalDirsLocator implements MapOutputLocator {
    private final List<Path> directories;

    /** Looks through these. */
    public LocalDirsLocator(final List<Path> directories) {
        this.directories = List.copyOf(directories);
    }

    @Override
    public File locate(final String relativePath) throws FileNotFoundException {
        for (final Path directory : directories) {
            final File file = directory.resolve(relativePath).toFile();
            if (file.exists()) {
                return file;
            }
        }
        throw new FileNotFoundException(relativePath + " is in none of " + directories);
    }

    @Override
    public List<File> locateAll(final String relativePath) {
        return directories.stream()
                .map(directory -> directory.resolve(relativePath).toFile())
                .filter(File::exists)
                .toList();
    }
}
