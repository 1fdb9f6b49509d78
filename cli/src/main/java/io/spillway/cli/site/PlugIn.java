// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import java.util.zip.ZipFile;

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
            throw new CommandException(
                    "-D" + ENGINE_PROPERTY + " is not set: start Spillway by ./spillway");
        }
        return new PlugIn(existing(Path.of(engine)), existing(ownJar()));
    }

    /** A checksum of what both jars hold; the same for two builds of the same sources. */
    public String checksum() {
        final CRC32C checksum = new CRC32C();
        for (final Path jar : List.of(engine, bench)) {
            try (ZipFile zip = new ZipFile(jar.toFile())) {
                zip.stream()
                        .map(entry -> entry.getName() + " " + entry.getCrc() + "\n")
                        .sorted()
                        .forEach(line -> checksum.update(line.getBytes(StandardCharsets.UTF_8)));
            } catch (final IOException e) {
                throw new CommandException("cannot read " + jar + ": " + e, e);
            }
        }
        return String.format(Locale.ROOT, "%08x", checksum.getValue());
    }

    private static Path existing(final Path jar) {
        if (!Files.exists(jar)) {
            throw new CommandException("no " + jar + ": Spillway is not built");
        }
        return jar.toAbsolutePath().normalize();
    }

    private static Path ownJar() {
        try {
            return Path.of(
                    PlugIn.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (final URISyntaxException e) {
            throw new CommandException("cannot tell where Spillway's classes lie", e);
        }
    }
}
