// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loads nothing: what cannot be loaded. */
class MpiLibraryTest {
    @TempDir private Path folder;

    private static MpiSettings alone(final Path library) {
        return new MpiSettings(Optional.of(library.toString()), "mpicc", true);
    }

    @Test
    void namesTheLauncherThatIsMissing() {
        assertThat(MpiLibrary.obstacle(new MpiSettings(Optional.empty(), "mpicc", false)))
                .hasValueSatisfying(text -> assertThat(text).contains("mpirun -n N spillway node"));
    }

    @Test
    void namesTheCompilerThatIsMissing() {
        assertThat(MpiLibrary.obstacle(new MpiSettings(Optional.empty(), "no-such-mpicc", true)))
                .hasValueSatisfying(
                        text ->
                                assertThat(text)
                                        .startsWith("mpi: spillway.mpi.compiler=no-such-mpicc")
                                        .doesNotContain("\n"));
    }

    @Test
    void namesALibraryThatIsNotThere() {
        final Path library = folder.resolve("libspillway_mpi.so");
        assertThat(MpiLibrary.obstacle(alone(library)))
                .hasValueSatisfying(
                        text ->
                                assertThat(text)
                                        .contains("spillway.mpi.library=" + library)
                                        .contains("make -C native/mpi"));
    }

    @Test
    void namesALibraryThatCannotBeLoaded() throws IOException {
        final Path library = folder.resolve("libspillway_mpi.so");
        Files.writeString(library, "not one");
        assertThat(MpiLibrary.build(alone(library))).isEqualTo(library);
        assertThat(MpiLibrary.obstacle(alone(library)))
                .hasValueSatisfying(
                        text ->
                                assertThat(text)
                                        .contains(library + " cannot be loaded")
                                        .contains("LD_LIBRARY_PATH")
                                        .doesNotContain("\n"));
    }

    @Test
    void sharesNoMemoryBeforeItIsLoaded() {
        assertThatThrownBy(() -> SharedMemory.create("test", 1))
                .isInstanceOf(IllegalStateException.class);
    }
}
