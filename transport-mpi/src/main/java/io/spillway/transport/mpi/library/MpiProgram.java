package io.spillway.transport.mpi.library;

import java.io.IOException;
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
 * Compiles a program of one C file by the compiler of the site's MPI library, and keeps it in the
 * cache of the native library, in a folder that is named after its source and its compiler.
 * Thread-safe.
 */
public final class MpiProgram {
    private static final int NAME_DIGITS = 16;

    private MpiProgram() {}

    /**
     * The path of the program, which is there.
     *
     * @param compilerName a command on the PATH, or its path
     * @param name of the program, a file name
     * @param source the C file
     * @throws IOException that says what to change
     */
    public static Path build(final String compilerName, final String name, final byte[] source)
            throws IOException {
        final ShimCompiler compiler =
                new ShimCompiler(System.getenv("PATH"), Duration.ofSeconds(60));
        final Path command = compiler.find(compilerName);
        final Path folder =
                ShimCache.of(System.getenv(), Path.of(System.getProperty("user.home")))
                        .folder(folderName(source, command + "\n" + compiler.show(command)));
        final Path program = folder.resolve(name);
        if (Files.exists(program)) {
            return program;
        }
        final Path work = Files.createTempDirectory(folder, "build-");
        try {
            final String file = name + ".c";
            Files.write(work.resolve(file), source);
            compiler.run(command, work, List.of("-std=c11", "-O2", "-o", name, file));
            Files.move(
                    work.resolve(name),
                    program,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            ShimCache.delete(work);
        }
        return program;
    }

    private static String folderName(final byte[] source, final String compiler) {
        try {
            final MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(source);
            digest.update(compiler.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest()).substring(0, NAME_DIGITS);
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
