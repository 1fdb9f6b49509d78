package io.spillway.hadoop.handler;

import io.spillway.node.MapOutputLocator;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.yarn.server.api.AuxiliaryLocalPathHandler;

/** Finds map outputs as the stock handler does. Thread-safe. */
final class PathHandlerLocator implements MapOutputLocator {
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
}
