// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The native library of this package: found where the settings say, or compiled; loaded once a
 * process, the first that is asked for. All threads may use it.
 */
public final class MpiLibrary {
    private static Path loadedOrNull;

    private MpiLibrary() {}

    /**
     * Compiles the library, unless it is in the cache or named by the settings. Loads nothing.
     *
     * @return its path
     * @throws IOException that says what to change
     */
    public static Path build(final MpiSettings settings) throws IOException {
        return build(settings, ShimBuild.here());
    }

    static Path build(final MpiSettings settings, final ShimBuild shim) throws IOException {
        return settings.library().isEmpty() ? shim.build(settings.compiler()) : named(settings);
    }

    /**
     * Insists on the library that the settings name, or on what it is compiled by. Compiles and
     * loads nothing.
     *
     * @throws IOException that says what to change
     */
    public static void requireBuildable(final MpiSettings settings) throws IOException {
        if (settings.library().isEmpty()) {
            ShimBuild.here().require(settings.compiler());
        } else {
            named(settings);
        }
    }

    private static Path named(final MpiSettings settings) throws IOException {
        final Path library = Path.of(settings.library().get());
        if (!Files.isReadable(library)) {
            throw new IOException(
                    MpiKeys.MPI_LIBRARY.name()
                            + "="
                            + library
                            + ": no file that can be read; build it (make -C native/mpi"
                            + " MPICC=mpicc OUT="
                            + library
                            + ") or set auto");
        }
        return library;
    }

    /**
     * Why MPI cannot be used by this process, in one line that says what to change. Compiles and
     * loads the library, but calls nothing of MPI.
     */
    public static Optional<String> obstacle(final MpiSettings settings) {
        try {
            prepare(settings);
            return Optional.empty();
        } catch (final IOException e) {
            return Optional.of("mpi: " + oneLine(e));
        }
    }

    /**
     * Loads the library for a rank.
     *
     * @return what has started this rank, or nothing for a process alone
     * @throws IOException that says what to change
     */
    static Optional<MpiLauncher> prepare(final MpiSettings settings) throws IOException {
        if (settings.self()) {
            load(settings);
            return Optional.empty();
        }
        final MpiLauncher launcher =
                MpiLauncher.of(System.getenv())
                        .orElseThrow(() -> new MpiException(MpiLauncher.MISSING));
        load(settings);
        final Optional<String> unfit = launcher.unfit(MpiCalls.libraryVersion());
        if (unfit.isPresent()) {
            throw new MpiException(unfit.get());
        }
        return Optional.of(launcher);
    }

    /**
     * Loads the library, and compiles it before if need be. Does nothing if one is loaded.
     *
     * @throws IOException that says what to change
     */
    public static synchronized void load(final MpiSettings settings) throws IOException {
        if (loadedOrNull != null) {
            return;
        }
        final Path library = build(settings).toAbsolutePath();
        try {
            System.load(library.toString());
        } catch (final UnsatisfiedLinkError e) {
            throw new IOException(
                    library
                            + " cannot be loaded ("
                            + oneLine(e)
                            + "); load the MPI module that it was built with, so that its libmpi"
                            + " is on LD_LIBRARY_PATH, or build it again",
                    e);
        }
        loadedOrNull = library;
    }

    /**
     * The name and version of the MPI library, in one line. Loads and compiles as {@link #load}
     * does, and needs no world.
     *
     * @throws IOException that says what to change
     */
    public static String version(final MpiSettings settings) throws IOException {
        load(settings);
        return MpiCalls.libraryVersion();
    }

    static synchronized void requireLoaded() {
        if (loadedOrNull == null) {
            throw new IllegalStateException("the native library of MPI is not loaded");
        }
    }

    private static String oneLine(final Throwable cause) {
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }
}
