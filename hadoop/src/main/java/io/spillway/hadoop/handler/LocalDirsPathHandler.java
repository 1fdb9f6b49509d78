// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.api.AuxiliaryLocalPathHandler;

/**
 * Looks through the NodeManager's local directories: for a service that the NodeManager loaded by
 * {@code yarn.nodemanager.aux-services.%s.classpath} or {@code remote-classpath}, which it gives no
 * path handler. Thread-safe.
 */
public final class LocalDirsPathHandler implements AuxiliaryLocalPathHandler {
    private final LocalDirAllocator directories =
            new LocalDirAllocator(YarnConfiguration.NM_LOCAL_DIRS);
    private final Configuration conf;

    /** Creates a handler for the directories that {@code conf} names. */
    public LocalDirsPathHandler(final Configuration conf) {
        this.conf = conf;
    }

    @Override
    public Path getLocalPathForRead(final String path) throws IOException {
        return directories.getLocalPathToRead(path, conf);
    }

    @Override
    public Path getLocalPathForWrite(final String path) throws IOException {
        return directories.getLocalPathForWrite(path, conf);
    }

    @Override
    public Path getLocalPathForWrite(final String path, final long size) throws IOException {
        return directories.getLocalPathForWrite(path, size, conf);
    }

    @Override
    public Iterable<Path> getAllLocalPathsForRead(final String path) throws IOException {
        return directories.getAllLocalPathsToRead(path, conf);
    }
}
