// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code dist/release} makes of a small checkout, with jars of no content: that a build gives
 * the same jars again is for {@code .ci/run} to see.
 */
class ReleaseArchiveTest {
    private static final long PATIENCE_SECONDS = 60;
    private static final String NAME = "spillway-0.1.0.tar.gz";

    @TempDir private Path folder;
    private Path checkout;
    private Path jars;

    @BeforeEach
    void makeCheckout() throws Exception {
        checkout = Files.createDirectories(folder.resolve("checkout"));
        Files.createDirectories(checkout.resolve("dist"));
        Files.createDirectories(checkout.resolve("cli/usage"));
        final List<String> files =
                List.of(
                        "spillway",
                        "pom.xml",
                        "LICENSE",
                        "NOTICE",
                        "INSTALL.md",
                        "dist/release",
                        "dist/spillway-node",
                        "cli/usage/spillway.txt");
        for (final String file : files) {
            Files.copy(Path.of("..", file), checkout.resolve(file));
        }
        run("git", "init", "--quiet");
        run("git", "add", "--all");
        run(
                "git",
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b.example",
                "commit",
                "--quiet",
                "--message=a");
        jars = jars("jars", Instant.EPOCH, "spillway-hadoop-0.1.0.jar", "b.jar");
        jars("jars/lab", Instant.EPOCH, "spillway-lab-0.1.0.jar");
    }

    private Path jars(final String name, final Instant time, final String... jars)
            throws IOException {
        final Path lib = Files.createDirectories(folder.resolve(name));
        for (final String jar : jars) {
            Files.writeString(lib.resolve(jar), jar);
            Files.setLastModifiedTime(lib.resolve(jar), FileTime.from(time));
        }
        return lib;
    }

    private String run(final String... command) throws Exception {
        final Process process =
                new ProcessBuilder(command)
                        .directory(checkout.toFile())
                        .redirectErrorStream(true)
                        .start();
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    private Path release(final String target, final Path lib) throws Exception {
        run("dist/release", "--lib", lib.toString(), folder.resolve(target).toString());
        return folder.resolve(target).resolve(NAME);
    }

    private Path unpacked() throws Exception {
        run("tar", "-xzf", release("target", jars).toString(), "-C", folder.toString());
        return folder.resolve("spillway-0.1.0");
    }

    @Test
    void oneCommitGivesTheSameBytesWhateverTimesOrdersAndRightsFilesHave() throws Exception {
        final Path first = release("first", jars);
        final Path later = jars("later", Instant.now(), "b.jar", "spillway-hadoop-0.1.0.jar");
        final String umask = "umask 077 && TZ=Asia/Tokyo exec \"$@\"";
        final Path second = folder.resolve("second");
        run("bash", "-c", umask, "", "dist/release", "--lib", later.toString(), second.toString());

        assertThat(second.resolve(NAME)).hasSameBinaryContentAs(first);
    }

    @Test
    void holdsJarsSourcesLicencesAndTheWayToInstallThem() throws Exception {
        final Path unpacked = unpacked();

        try (Stream<Path> files = Files.walk(unpacked)) {
            assertThat(files.filter(Files::isRegularFile).map(unpacked::relativize))
                    .extracting(Path::toString)
                    .contains("LICENSE", "NOTICE", "INSTALL.md", "pom.xml", "SHA256SUMS")
                    .contains("lib/spillway-hadoop-0.1.0.jar", "lib/b.jar", "dist/spillway-node")
                    .noneMatch(file -> file.contains("spillway-lab"));
        }
        assertThat(unpacked.resolve("spillway")).isExecutable();
    }

    @Test
    void checksumsAreThoseOfTheArchiveAndOfItsFiles() throws Exception {
        final Path unpacked = unpacked();

        run("bash", "-c", "cd ../target && sha256sum -c *.sha256 && sha512sum -c *.sha512");
        run("bash", "-c", "cd '" + unpacked + "' && sha256sum --quiet --strict -c SHA256SUMS");
        try (Stream<Path> files = Files.walk(unpacked)) {
            assertThat(Files.readAllLines(unpacked.resolve("SHA256SUMS")))
                    .hasSize((int) files.filter(Files::isRegularFile).count() - 1);
        }
    }

    @Test
    void theUnpackedCommandTellsItsVersionAndItsUse() throws Exception {
        final String command = unpacked().resolve("spillway").toString();

        assertThat(run(command, "--version")).startsWith("Spillway 0.1.0\n");
        assertThat(run(command, "--help")).contains("Usage: spillway");
    }

    @Test
    void whatIsNotCommittedIsNotInIt() throws Exception {
        Files.writeString(checkout.resolve("LICENSE"), "mine");
        Files.writeString(checkout.resolve("secret"), "mine");
        final Path unpacked = unpacked();

        assertThat(unpacked.resolve("secret")).doesNotExist();
        assertThat(unpacked.resolve("LICENSE")).hasSameTextualContentAs(Path.of("../LICENSE"));
    }
}
