package io.spillway.bench.site;

import io.spillway.bench.BenchException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The two jars that jobs are given.
 *
 * @param engine Spillway's plug-ins: the one jar that a cluster needs
 * @param bench the workloads
 */
public record PlugIn(Path engine, Path bench) {
    /** The system property that names the plug-in jar. */
    public static final String ENGINE_PROPERTY = "spillway.plugin.jar";

    /** The jars this process runs with. */
    public static PlugIn ofThisBuild() {
        final String engine = System.getProperty(ENGINE_PROPERTY);
        if (engine == null) {
            throw new BenchException(
                    "-D" + ENGINE_PROPERTY + " is not set: start Spillway by ./spillway");
        }
        return new PlugIn(existing(Path.of(engine)), existing(ownJar()));
    }

    private static Path existing(final Path jar) {
        if (!Files.exists(jar)) {
            throw new BenchException("no " + jar + ": Spillway is not built");
        }
        return jar.toAbsolutePath().normalize();
    }

    private static Path ownJar() {
        try {
            return Path.of(
                    PlugIn.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (final URISyntaxException e) {
            throw new BenchException("cannot tell where Spillway's classes lie", e);
        }
    }
}
