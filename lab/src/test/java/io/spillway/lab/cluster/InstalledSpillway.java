// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.site.WorkFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * An installed release of Spillway, made of this build's jars. Its command builds no code.
 *
 * @param folder that holds it
 */
record InstalledSpillway(Path folder) {
    private static final List<String> PARTS =
            List.of("spillway", "pom.xml", "dist", "cli/usage", "cli/src/main/hadoop-runtime");

    static InstalledSpillway into(final Path folder, final WorkFolder work) throws IOException {
        for (final String part : PARTS) {
            final Path link = folder.resolve(part);
            Files.createDirectories(link.getParent());
            copy(work.repository().resolve(part), link);
        }
        final Path lib = Files.createDirectories(folder.resolve("lib"));
        final Path built = work.repository().resolve("cli/target");
        linkJars(built.resolve("lib"), lib);
        linkJars(built, lib);
        return new InstalledSpillway(folder);
    }

    private static void copy(final Path source, final Path target) throws IOException {
        try (Stream<Path> tree = Files.walk(source)) {
            for (final Path path : tree.toList()) {
                Files.copy(
                        path,
                        target.resolve(source.relativize(path).toString()),
                        java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    private static void linkJars(final Path from, final Path lib) throws IOException {
        try (Stream<Path> jars = Files.list(from)) {
            for (final Path jar : jars.filter(file -> file.toString().endsWith(".jar")).toList()) {
                Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar.toRealPath());
            }
        }
    }

    String command() {
        return folder.resolve("spillway").toString();
    }
}
