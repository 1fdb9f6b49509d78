// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A release archive with one jar, made of the checkout's commit and unpacked.
 *
 * @param folder that all of it lies in
 * @param jar the plug-in jar in it
 */
record ReleaseArchive(Path folder, Path jar) {
    private static final Pattern PROPERTY =
            Pattern.compile("<name>(.*?)</name>\\s*<value>(.*?)</value>");

    /**
     * Makes and unpacks the archive.
     *
     * @param built the plug-in jar
     * @param target an empty folder
     */
    static ReleaseArchive of(final Path built, final Path target) throws Exception {
        final String jar = built.getFileName().toString();
        final String name = jar.replace("-hadoop", "").replace(".jar", "");
        final Path lib = Files.createDirectories(target.resolve("lib"));
        Files.copy(built, lib.resolve(jar));
        final Path release = Clusters.work().repository().resolve("dist/release");
        run(release.toString(), "--lib", lib.toString(), target.toString());
        run("tar", "-C", target.toString(), "-xzf", target.resolve(name + ".tar.gz").toString());
        final Path folder = target.resolve(name);
        return new ReleaseArchive(folder, folder.resolve("lib").resolve(jar));
    }

    private static void run(final String... command) throws Exception {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final byte[] output = process.getInputStream().readAllBytes();
        assertThat(process.waitFor()).as(new String(output, StandardCharsets.UTF_8)).isZero();
    }

    /** The properties that its INSTALL.md has for a site's files. */
    Map<String, String> properties() throws IOException {
        return PROPERTY.matcher(Files.readString(folder.resolve("INSTALL.md")))
                .results()
                .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2)));
    }
}
