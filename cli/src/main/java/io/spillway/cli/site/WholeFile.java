// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Files that are whole at any time, also when the process is killed or the power fails: a reader
 * sees all old bytes or all new ones.
 */
public final class WholeFile {
    private WholeFile() {}

    /** Gives a new file its owner and mode before it takes its place. */
    @FunctionalInterface
    public interface Access {
        void setOn(Path partial) throws IOException;
    }

    /**
     * Replaces a file that all users may read.
     *
     * @throws CommandException where it cannot be written
     */
    public static void write(final Path file, final String text) {
        try {
            publish(file, text);
        } catch (final IOException e) {
            throw new CommandException("cannot write " + file + ": " + e, e);
        }
    }

    /** The same, for callers that handle failures themselves. */
    public static void publish(final Path file, final String text) throws IOException {
        replace(file, text.getBytes(StandardCharsets.UTF_8), permissions("rw-r--r--"));
    }

    /** Gives a file this mode. */
    public static Access permissions(final String mode) {
        return partial ->
                Files.setPosixFilePermissions(partial, PosixFilePermissions.fromString(mode));
    }

    /**
     * Replaces a file; makes its folder where there is none.
     *
     * @param access else the file is this user's alone
     */
    public static void replace(final Path file, final byte[] bytes, final Access access)
            throws IOException {
        final Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
        final Path partial =
                Files.createTempFile(folder, file.getFileName().toString(), ".partial");
        try {
            try (FileChannel out = FileChannel.open(partial, StandardOpenOption.WRITE)) {
                final ByteBuffer buffer = ByteBuffer.wrap(bytes);
                while (buffer.hasRemaining()) {
                    out.write(buffer);
                }
                out.force(true);
            }
            access.setOn(partial);
            Files.move(
                    partial,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(partial);
        }
    }
}
