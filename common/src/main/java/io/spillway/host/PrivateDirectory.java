// SPDX-License-Identifier: Apache-2.0
package io.spillway.host;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Directories that belong to this process's user and that no other user can look into. */
public final class PrivateDirectory {
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");

    private PrivateDirectory() {}

    /**
     * Makes a directory in one that exists, or checks the one that is there. Others may have read
     * it: that is ended. Others may have written to it: then it is refused.
     *
     * @throws IOException that names the directory, when it is a link or a file, belongs to another
     *     user, or others can write to it
     */
    public static void create(final Path directory) throws IOException {
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (final FileAlreadyExistsException e) {
            check(directory, e);
        }
    }

    private static void check(final Path directory, final IOException cause) throws IOException {
        final PosixFileAttributes found = attributes(directory);
        if (!found.isDirectory()) {
            throw new IOException(directory + " is not a directory", cause);
        }
        if (!OwnUser.owns(directory)) {
            throw new IOException(directory + " belongs to " + found.owner(), cause);
        }
        final Set<PosixFilePermission> permissions = found.permissions();
        if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException(
                    directory
                            + " is "
                            + PosixFilePermissions.toString(permissions)
                            + ": others can write to it",
                    cause);
        }
        if (!permissions.equals(OWNER_ONLY)) {
            Files.setPosixFilePermissions(directory, OWNER_ONLY);
        }
    }

    private static PosixFileAttributes attributes(final Path path) throws IOException {
        return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** Whether a path is a directory, no link, of this process's user. */
    public static boolean isOwn(final Path path) throws IOException {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) && OwnUser.owns(path);
    }
}
