// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.job;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.OwnJar;
import io.spillway.cli.site.PlugIn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import java.util.zip.ZipFile;

/** The jar of this module. */
public final class LabJar {
    private LabJar() {}

    /** Its path. */
    public static Path path() {
        return OwnJar.of(LabJar.class);
    }

    /** A checksum of the plug-in jar and this one; the same for two builds of the same sources. */
    public static String checksumWith(final PlugIn plugIn) {
        return checksum(List.of(plugIn.engine(), path()));
    }

    static String checksum(final List<Path> jars) {
        final CRC32C checksum = new CRC32C();
        for (final Path jar : jars) {
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
}
