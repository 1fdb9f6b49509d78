// SPDX-License-Identifier: Apache-2.0
package io.spillway.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateDirectoryTest {
    /** The system has no name for it. */
    private static final int NO_USER = 54_321;

    @TempDir private Path directory;

    private Path existing(final String permissions) throws IOException {
        final Path path = Files.createDirectory(directory.resolve("existing"));
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private static String permissions(final Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void isMadeForItsOwnerOnly() throws IOException {
        final Path made = directory.resolve("made");
        PrivateDirectory.create(made);
        assertThat(permissions(made)).isEqualTo("rwx------");
        PrivateDirectory.create(made);
        assertThat(PrivateDirectory.isOwn(made)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxr-x---", "rwx---r-x", "r-x------", "rwxr-xr-x"})
    void isClosedWhereOthersCouldRead(final String before) throws IOException {
        final Path path = existing(before);
        PrivateDirectory.create(path);
        assertThat(permissions(path)).isEqualTo("rwx------");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwx-w----", "rwx----w-", "rwxrwxrwx"})
    void isRefusedWhereOthersCouldWrite(final String before) throws IOException {
        final Path path = existing(before);
        assertThatThrownBy(() -> PrivateDirectory.create(path))
                .isInstanceOf(IOException.class)
                .hasMessage(path + " is " + before + ": others can write to it");
        assertThat(permissions(path)).isEqualTo(before);
    }

    @Test
    void aFileOrALinkIsNoDirectory() throws IOException {
        final Path file = Files.createFile(directory.resolve("file"));
        final Path link =
                Files.createSymbolicLink(directory.resolve("link"), existing("rwx------"));
        for (final Path path : new Path[] {file, link}) {
            assertThatThrownBy(() -> PrivateDirectory.create(path))
                    .isInstanceOf(IOException.class)
                    .hasMessage(path + " is not a directory");
            assertThat(PrivateDirectory.isOwn(path)).isFalse();
        }
        assertThat(PrivateDirectory.isOwn(directory.resolve("nowhere"))).isFalse();
    }

    @Test
    void whatBelongsToAnotherUserIsNotOwn() throws IOException {
        assumeThat(OwnUser.name()).as("only root gives files away").isEqualTo("root");
        Files.setAttribute(directory, "unix:uid", NO_USER);

        assertThat(PrivateDirectory.isOwn(directory)).isFalse();
        assertThatThrownBy(() -> PrivateDirectory.create(directory))
                .isInstanceOf(IOException.class)
                .hasMessage(directory + " belongs to " + NO_USER);
    }

    /** Java calls a user that the system has no name for a question mark. */
    @Test
    void aUserWithoutANameOwnsWhatItMakes() throws IOException {
        final String user = System.setProperty("user.name", "?");
        try {
            final Path made = directory.resolve("made");
            PrivateDirectory.create(made);
            PrivateDirectory.create(made);
            assertThat(PrivateDirectory.isOwn(made)).isTrue();
            assertThat(OwnUser.name()).isNotEqualTo("?");
        } finally {
            System.setProperty("user.name", user);
        }
    }
}
