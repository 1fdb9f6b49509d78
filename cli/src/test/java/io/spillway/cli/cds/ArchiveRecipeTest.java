// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchiveRecipeTest {
    private static final Path JDK = Path.of("/opt/jdk");
    private static final JavaBuild BUILD = new JavaBuild("17.0.15+6", "built on May 1");

    @TempDir private Path folder;

    private Path jar(final String name, final String... entries) throws IOException {
        final Path jar = folder.resolve(name);
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry("META-INF/MANIFEST.MF"));
            for (final String entry : entries) {
                zip.putNextEntry(new ZipEntry(entry));
            }
        }
        return jar;
    }

    private static JvmRecording jvm(final List<Path> classPath, final String... classes) {
        return new JvmRecording(
                JDK, classPath.stream().map(Path::toString).toList(), List.of(classes));
    }

    @Test
    void jarsKeepTheOrderOfTheClassPathAndAllElseIsLeftOut() throws IOException {
        final Path first = jar("z.jar");
        final Path second = jar("a.jar");
        final Path plugIn = jar("spillway-hadoop.jar");
        final Path ofTheJob = jar("application_1_2-job.jar");
        final Path noJar = Files.writeString(folder.resolve("text.jar"), "text");
        final List<JvmRecording> jvms =
                List.of(
                        jvm(List.of(folder, first, noJar, second, Path.of("none.jar")), "b.B"),
                        jvm(List.of(folder, first, second, ofTheJob, plugIn), "a.A", "b.B"),
                        jvm(List.of(first, second, folder.resolve("gone.jar"))));

        assertThat(ArchiveRecipe.of(jvms, entry -> !entry.contains("application_1_2")))
                .isEqualTo(
                        new ArchiveRecipe(
                                JDK, List.of(first, second, plugIn), List.of("a.A", "b.B")));
    }

    /** For the archive's jars come before the site's configuration folder. */
    @Test
    void jarsWithFilesOfASiteAreLeftOut() throws IOException {
        final Path good = jar("good.jar", "core-default.xml", "deep/core-site.xml", "x.properties");
        final List<Path> bad =
                List.of(
                        jar("hadoop-common-tests.jar", "core-site.xml"),
                        jar("nodemanager.jar", "container-log4j.properties"),
                        jar("log4j2.jar", "log4j2.xml"),
                        jar("metrics.jar", "hadoop-metrics2.properties"));

        assertThat(ClassPathJars.mayComeFirst(good)).isTrue();
        assertThat(bad).noneMatch(ClassPathJars::mayComeFirst);
    }

    @Test
    void jvmsOfTwoJavasOrWithoutALastingJarAreRefused() throws IOException {
        final JvmRecording one = jvm(List.of(jar("a.jar")), "a.A");
        final JvmRecording other =
                new JvmRecording(Path.of("/opt/other"), one.classPath(), one.classes());

        assertThatThrownBy(() -> ArchiveRecipe.of(List.of(one, other), entry -> true))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("/opt/jdk, /opt/other");
        assertThatThrownBy(() -> ArchiveRecipe.of(List.of(one), entry -> false))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("framework.path");
    }

    @Test
    void whatIsWrittenIsReadBack() throws IOException {
        final ArchiveRecipe recipe =
                new ArchiveRecipe(
                        JDK, List.of(Path.of("/x/a.jar"), Path.of("/b.jar")), List.of("C"));
        final Path file = folder.resolve("list.txt");
        recipe.write(file);

        assertThat(ArchiveRecipe.read(file)).isEqualTo(recipe);
        Files.writeString(file, "java /opt/jdk\nclass a.A\n");
        assertThatThrownBy(() -> ArchiveRecipe.read(file))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void anotherBuildSizeOrTimeGivesAnotherName() throws IOException {
        final Path jar = jar("a.jar");
        final ArchiveRecipe recipe = new ArchiveRecipe(JDK, List.of(jar), List.of("a.A"));
        final String name = recipe.name(BUILD);

        assertThat(name).matches("tasks-17\\.0\\.15\\+6-[0-9a-f]{8}");
        assertThat(recipe.name(BUILD)).isEqualTo(name);
        assertThat(recipe.name(new JavaBuild("17.0.15+6", "built on May 2"))).isNotEqualTo(name);
        final FileTime time = Files.getLastModifiedTime(jar);
        Files.setLastModifiedTime(jar, FileTime.fromMillis(time.toMillis() - 2_000));
        assertThat(recipe.name(BUILD)).isNotEqualTo(name);
        Files.setLastModifiedTime(jar, time);
        assertThat(recipe.name(BUILD)).isEqualTo(name);
        Files.write(jar, new byte[1]);
        Files.setLastModifiedTime(jar, time);
        assertThat(recipe.name(BUILD)).isNotEqualTo(name);
    }

    @Test
    void aJdkIsKnownByItsBuild() {
        final String text =
                "OpenJDK 64-Bit Server VM (17.0.15+6-Debian-1deb12u1) for linux-amd64 JRE"
                        + " (17.0.15+6-Debian-1deb12u1), built on May  1 2025 09:21:09\n";

        assertThat(JavaBuild.parse(text).version()).isEqualTo("17.0.15+6-Debian-1deb12u1");
        assertThat(JavaBuild.parse(text).identity()).endsWith("09:21:09");
        assertThatThrownBy(() -> JavaBuild.parse("sh: not found"))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("sh: not found");
    }
}
