// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Whether native libraries can be unpacked into the folder for temporary files. */
final class TemporaryFolderCheck implements Check {
    private final HostFiles files;
    private final Path folder;

    TemporaryFolderCheck(final HostFiles files, final Path folder) {
        this.files = files;
        this.folder = folder;
    }

    @Override
    public String name() {
        return "temporary-folder";
    }

    @Override
    public List<Finding> look() {
        final List<Finding> findings = new ArrayList<>();
        if (!Files.isWritable(folder)) {
            findings.add(
                    Finding.error(
                            folder + " cannot be written",
                            "processes of this user do not start",
                            "set java.io.tmpdir, or: chmod 1777 " + folder));
        }
        Mounts.of(files)
                .of(folder)
                .filter(mount -> mount.options().contains("noexec"))
                .ifPresent(
                        mount ->
                                findings.add(
                                        Finding.warning(
                                                folder
                                                        + " is mounted noexec ("
                                                        + mount.path()
                                                        + ")",
                                                "native libraries are unpacked there: no ucx, no"
                                                        + " epoll, no codecs of jars",
                                                "mount -o remount,exec "
                                                        + mount.path()
                                                        + ", or -Djava.io.tmpdir of daemons and"
                                                        + " tasks")));
        return findings;
    }
}
