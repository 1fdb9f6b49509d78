// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.spillway.node.MapOutputLocator;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.server.api.AuxiliaryLocalPathHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds map outputs as the stock handler does. Thread-safe. */
final class PathHandlerLocator implements MapOutputLocator {
    private static final Logger LOG = LoggerFactory.getLogger(PathHandlerLocator.class);

    private final AuxiliaryLocalPathHandler paths;

    PathHandlerLocator(final AuxiliaryLocalPathHandler paths) {
        this.paths = paths;
    }

    /** The NodeManager says that there is no such file by an {@code IOException} of no kind. */
    @Override
    public File locate(final String relativePath) throws FileNotFoundException {
        try {
            return new File(paths.getLocalPathForRead(relativePath).toUri().getPath());
        } catch (final IOException e) {
            final FileNotFoundException notFound = new FileNotFoundException(e.getMessage());
            notFound.initCause(e);
            throw notFound;
        }
    }

    @Override
    public List<File> locateAll(final String relativePath) {
        final List<File> found = new ArrayList<>();
        try {
            for (final Path path : paths.getAllLocalPathsForRead(relativePath)) {
                found.add(new File(path.toUri().getPath()));
            }
        } catch (final IOException e) {
            LOG.debug("No {} in the local directories", relativePath, e);
        }
        return found;
    }
}
