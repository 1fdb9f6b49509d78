// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The local file system without a process for every permission it sets: without its native library
 * Hadoop runs {@code chmod}, forty times a job, which takes longer than the job itself.
 */
public final class QuickLocalFileSystem extends LocalFileSystem {
    /** Called by Hadoop. */
    public QuickLocalFileSystem() {
        super(new QuickRaw());
    }

    private static final class QuickRaw extends RawLocalFileSystem {
        @Override
        public void setPermission(final Path path, final FsPermission permission)
                throws IOException {
            Files.setPosixFilePermissions(pathToFile(path).toPath(), posix(permission));
        }

        private static Set<PosixFilePermission> posix(final FsPermission permission) {
            final Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
            add(
                    set,
                    permission.getUserAction(),
                    PosixFilePermission.OWNER_READ,
                    PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.OWNER_EXECUTE);
            add(
                    set,
                    permission.getGroupAction(),
                    PosixFilePermission.GROUP_READ,
                    PosixFilePermission.GROUP_WRITE,
                    PosixFilePermission.GROUP_EXECUTE);
            add(
                    set,
                    permission.getOtherAction(),
                    PosixFilePermission.OTHERS_READ,
                    PosixFilePermission.OTHERS_WRITE,
                    PosixFilePermission.OTHERS_EXECUTE);
            return set;
        }

        private static void add(
                final Set<PosixFilePermission> set,
                final FsAction action,
                final PosixFilePermission read,
                final PosixFilePermission write,
                final PosixFilePermission execute) {
            if (action.implies(FsAction.READ)) {
                set.add(read);
            }
            if (action.implies(FsAction.WRITE)) {
                set.add(write);
            }
            if (action.implies(FsAction.EXECUTE)) {
                set.add(execute);
            }
        }
    }
}
