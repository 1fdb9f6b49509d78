// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

/**
 * Compiles {@code spillway_mpi.c}, a resource beside this class, and keeps the library in a folder
 * that is named after all that it is made of. Processes may do so at once: each compiles into a
 * folder of its own, and puts the library in place in one step. Immutable.
 */
final class ShimBuild {
    private static final String SOURCE = "spillway_mpi.c";
    private static final String LIBRARY = "libspillway_mpi.so";
    private static final int NAME_DIGITS = 16;

    private final ShimCompiler compiler;
    private final ShimCache cache;
    private final Path javaHome;

    ShimBuild(final ShimCompiler compiler, final ShimCache cache, final Path javaHome) {
        this.compiler = compiler;
        this.cache = cache;
        this.javaHome = javaHome;
    }

    /** With the PATH, the cache and the JDK of this process. */
    static ShimBuild here() {
        return new ShimBuild(
                new ShimCompiler(System.getenv("PATH"), Duration.ofSeconds(60)),
                ShimCache.of(System.getenv(), Path.of(System.getProperty("user.home"))),
                Path.of(System.getProperty("java.home")));
    }

    /**
     * The path of the library, which is there.
     *
     * @param name of the compiler
     * @throws IOException that says what to change
     */
    Path build(final String name) throws IOException {
        final Path program = compiler.find(name);
        final byte[] source = source();
        final Path folder = cache.folder(nameOf(source, program));
        final Path library = folder.resolve(LIBRARY);
        if (Files.exists(library)) {
            return library;
        }
        final Path headers = headers();
        final Path work = Files.createTempDirectory(folder, "build-");
        try {
            Files.write(work.resolve(SOURCE), source);
            compiler.run(program, work, arguments(headers));
            Files.move(
                    work.resolve(LIBRARY),
                    library,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            ShimCache.delete(work);
        }
        return library;
    }

    /**
     * Looks for what {@link #build} needs; runs and writes nothing.
     *
     * @param name of the compiler
     * @throws IOException that says what is missing
     */
    void require(final String name) throws IOException {
        compiler.find(name);
        headers();
    }

    /**
     * As in native/mpi/Makefile, but warnings: the site's compiler may have others than those tried
     * here.
     */
    private static List<String> arguments(final Path headers) {
        return List.of(
                "-std=c11",
                "-O2",
                "-fPIC",
                "-I" + headers,
                "-I" + headers.resolve("linux"),
                "-o",
                LIBRARY,
                SOURCE,
                "-shared",
                "-Wl,-z,initfirst",
                "-ldl");
    }

    private Path headers() throws IOException {
        final Path headers = javaHome.resolve("include");
        if (!Files.isReadable(headers.resolve("jni.h"))) {
            throw new IOException(
                    headers.resolve("jni.h")
                            + " is missing: run with a JDK, or build the library on a host that"
                            + " has one and set spillway.mpi.library");
        }
        return headers;
    }

    /** Of the source, the compiler with the options that it adds, and the JDK. */
    private String nameOf(final byte[] source, final Path program) throws IOException {
        final MessageDigest digest = sha256();
        digest.update(source);
        for (final String part :
                List.of(program.toString(), compiler.show(program), javaHome.toString())) {
            digest.update((byte) 0);
            digest.update(part.getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(digest.digest()).substring(0, NAME_DIGITS);
    }

    private static byte[] source() throws IOException {
        try (InputStream resource = ShimBuild.class.getResourceAsStream(SOURCE)) {
            if (resource == null) {
                throw new IOException(SOURCE + " is missing in Spillway's jar: build it again");
            }
            return resource.readAllBytes();
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
