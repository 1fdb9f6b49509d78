// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A copy of the plug-in's jar that this JVM's clusters use in place of the one that was built:
 * tests may replace it, and tasks of any user read it. For one thread.
 */
public final class JarCopy implements AutoCloseable {
    private final Path built;
    private final Path folder;

    private JarCopy(final Path built, final Path folder) {
        this.built = built;
        this.folder = folder;
    }

    /** Makes the copy; clusters that start from now on use it, until it is closed. */
    public static JarCopy use() {
        final Path built = PlugIn.ofThisBuild().engine();
        try {
            final Path folder = Clusters.folderForAll("spillway-jar-");
            final Path jar = Files.copy(built, folder.resolve("spillway-hadoop.jar"));
            System.setProperty(PlugIn.ENGINE_PROPERTY, jar.toString());
            return new JarCopy(built, folder);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Clusters that start from now on use the jar that was built again. */
    @Override
    public void close() {
        System.setProperty(PlugIn.ENGINE_PROPERTY, built.toString());
        try {
            WorkFolder.deleteTree(folder);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
