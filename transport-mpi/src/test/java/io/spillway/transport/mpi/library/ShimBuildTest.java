// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With shell scripts in the place of compilers. */
class ShimBuildTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    /** Writes what it is given as source to what follows -o, and leaves a line for each run. */
    private static final String COPIES =
            "[ \"$1\" = -show ] && { echo \"cc -lone\"; exit; }\n"
                    + "echo run >> \"$(dirname \"$0\")/runs\"\n"
                    + "while [ \"$1\" != -o ]; do shift; done\n"
                    + "cp \"$3\" \"$2\"";

    @TempDir private Path folder;
    private Path bin;
    private Path cache;

    @BeforeEach
    void makeFolders() throws IOException {
        bin = Files.createDirectory(folder.resolve("bin"));
        cache = folder.resolve("cache");
    }

    private Path script(final String name, final String text) throws IOException {
        final Path script = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return script;
    }

    private ShimBuild build(final Duration limit) {
        return build(limit, Path.of(System.getProperty("java.home")));
    }

    private ShimBuild build(final Duration limit, final Path javaHome) {
        return new ShimBuild(
                new ShimCompiler("/nowhere:" + bin, limit),
                ShimCache.of(Map.of("XDG_CACHE_HOME", cache.toString()), folder),
                javaHome);
    }

    private List<Path> cached() throws IOException {
        try (Stream<Path> paths = Files.walk(cache)) {
            return paths.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    void compilesOnceAndKeepsTheLibraryInAPrivateFolder() throws IOException {
        script("mpicc", COPIES);
        final Path library = build(LONG).build("mpicc");
        assertThat(library).hasFileName("libspillway_mpi.so").content().contains("MPI_Testsome");
        assertThat(library.getParent().getFileName().toString()).matches("[0-9a-f]{16}");
        assertThat(library.getParent().getParent()).isEqualTo(cache.resolve("spillway/mpi"));
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(library.getParent())))
                .isEqualTo("rwx------");

        assertThat(build(LONG).build("mpicc")).isEqualTo(library);
        assertThat(bin.resolve("runs")).hasContent("run");
        assertThat(cached()).containsExactly(library);
    }

    @Test
    void anotherCompilerOrOtherOptionsOfItMakeAnotherLibrary() throws IOException {
        script("mpicc", COPIES);
        script("mpicc_abi", COPIES);
        final Path first = build(LONG).build("mpicc");
        final Path second = build(LONG).build("mpicc_abi");
        script("mpicc", COPIES.replace("-lone", "-lother"));
        final Path third = build(LONG).build(bin.resolve("mpicc").toString());
        assertThat(cached()).containsExactlyInAnyOrder(first, second, third).hasSize(3);
    }

    @Test
    void manyBuildAtOnce() throws Exception {
        script("mpicc", COPIES + "; sleep 0.2");
        final ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            final List<Future<Path>> builds = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                builds.add(threads.submit(() -> build(LONG).build("mpicc")));
            }
            final Path library = builds.get(0).get();
            for (final Future<Path> each : builds) {
                assertThat(each.get()).isEqualTo(library);
            }
            assertThat(cached()).containsExactly(library);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void saysWhatTheCompilerSaid() throws IOException {
        script("mpicc", "echo 'fatal: no cc1'; echo second >&2; exit 3");
        assertThatThrownBy(() -> build(LONG).build("mpicc"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("mpicc failed with exit code 3: fatal: no cc1\nsecond");
        assertThat(cached()).isEmpty();
    }

    @Test
    void endsACompilerThatHangs() throws IOException {
        script("mpicc", "[ \"$1\" = -show ] || sleep 1000");
        assertThatThrownBy(() -> build(Duration.ofSeconds(1)).build("mpicc"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has not ended after 1 s");
        assertThat(cached()).isEmpty();
    }

    @Test
    void saysWhatToDoWithoutACompiler() throws IOException {
        Files.writeString(bin.resolve("plain"), "not a program");
        assertThatThrownBy(() -> build(LONG).build("plain"))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "spillway.mpi.compiler=plain: not found on PATH; load your site's MPI"
                                + " module or set spillway.mpi.compiler to the path of its mpicc");
        assertThatThrownBy(() -> build(LONG).build("/nowhere/mpicc"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("spillway.mpi.compiler=/nowhere/mpicc: no program");
    }

    @Test
    void saysThatItNeedsTheHeadersOfAJdk() throws IOException {
        script("mpicc", COPIES);
        assertThatThrownBy(() -> build(LONG, folder).build("mpicc"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("include/jni.h is missing: run with a JDK");
    }

    @Test
    void loadsNothingFromAFolderThatOthersCanWrite() throws IOException {
        script("mpicc", COPIES);
        final Path library = build(LONG).build("mpicc");
        Files.setPosixFilePermissions(
                library.getParent(), PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> build(LONG).build("mpicc"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("others can write")
                .hasMessageContaining("set XDG_CACHE_HOME");
    }
}
