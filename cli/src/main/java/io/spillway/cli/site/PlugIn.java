// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import io.spillway.cli.failure.CommandException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The jar that jobs are given.
 *
 * @param engine Spillway's plug-ins: the one jar that a cluster needs
 */
public record PlugIn(Path engine) {
    /** The system property that names it. */
    public static final String ENGINE_PROPERTY = "spillway.plugin.jar";

    /** The property by which a NodeManager loads the class that serves map outputs. */
    public static final String HANDLER_PROPERTY =
            "yarn.nodemanager.aux-services.mapreduce_shuffle.class";

    /** Spillway's class for it. */
    public static final String HANDLER = "io.spillway.hadoop.SpillwayShuffleHandler";

    /** The jar this process runs with. */
    public static PlugIn ofThisBuild() {
        final String engine = System.getProperty(ENGINE_PROPERTY);
        if (engine == null) {
            throw new CommandException(
                    "-D" + ENGINE_PROPERTY + " is not set: start Spillway by ./spillway");
        }
        final Path jar = Path.of(engine);
        if (!Files.exists(jar)) {
            throw new CommandException("no " + jar + ": Spillway is not built");
        }
        return new PlugIn(jar.toAbsolutePath().normalize());
    }
}
