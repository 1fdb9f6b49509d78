// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.site.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskArchiveTest {
    @TempDir private Path folder;

    private ArchiveRecipe recipe(final Path home) throws IOException {
        final Path jar = folder.resolve("a.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry("a.txt"));
        }
        return new ArchiveRecipe(home, List.of(jar), List.of("a.A"));
    }

    @Test
    void isOpenedWithTheListBesideIt() throws IOException {
        final ArchiveRecipe recipe = recipe(JavaCommand.home());
        final Path file = Files.createFile(folder.resolve("tasks-17-1.jsa"));
        recipe.write(folder.resolve("tasks-17-1.txt"));
        final TaskArchive archive = TaskArchive.open(file);

        assertThat(archive).isEqualTo(new TaskArchive(recipe, file));
        assertThat(archive.jobProperties(name -> Optional.of("-Xmx1g")))
                .isEqualTo(
                        Map.of(
                                "mapreduce.map.java.opts", "-Xmx1g " + archive.options(),
                                "mapreduce.reduce.java.opts", "-Xmx1g " + archive.options(),
                                "yarn.app.mapreduce.am.command-opts",
                                        "-Xmx1g " + archive.options()));
        assertThat(archive.options())
                .contains("SharedArchiveFile=" + file + " ", "-cp " + folder.resolve("a.jar:{{"));
    }

    @Test
    void whatIsMissingIsNamed() throws IOException {
        assertThatThrownBy(() -> TaskArchive.open(folder.resolve("none.jsa")))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("none.jsa");
        assertThatThrownBy(() -> TaskArchive.open(Files.createFile(folder.resolve("bare.jsa"))))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("bare.txt");
        final TaskArchive foreign =
                new TaskArchive(recipe(folder.resolve("no-jdk")), folder.resolve("a.jsa"));
        assertThatThrownBy(foreign::problem)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("no-jdk/bin/java");
    }

    @Test
    void aFileThatIsNoArchiveDoesNotFit() throws IOException {
        final Path file = Files.writeString(folder.resolve("a.jsa"), "no archive");

        assertThat(new TaskArchive(recipe(JavaCommand.home()), file).problem()).isPresent();
    }

    @Test
    void aFolderThatAShellWouldReadOtherwiseIsRefused() throws IOException {
        final ArchiveRecipe recipe = recipe(JavaCommand.home());

        assertThatThrownBy(() -> TaskArchive.make(recipe, folder.resolve("a b")))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("a b");
    }

    /** The class path lacks Hadoop: the JVM that should make the archive fails. */
    @Test
    void anArchiveThatFailedLeavesNothing() throws IOException {
        final ArchiveRecipe recipe = recipe(JavaCommand.home());
        final Path target = folder.resolve("archives");

        assertThatThrownBy(() -> TaskArchive.make(recipe, target)).hasMessageContaining("RunJar");
        assertThat(target).isEmptyDirectory();
    }
}
