// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Whether systemd deletes the memory tier when the NodeManager's user logs out. */
final class LogindCheck implements Check {
    private static final String SETTING = "RemoveIPC=";
    private static final List<String> FOLDERS =
            List.of(
                    "/usr/lib/systemd/logind.conf.d",
                    "/run/systemd/logind.conf.d",
                    "/etc/systemd/logind.conf.d");

    /** Users up to it are system users, whose memory is left alone. */
    private static final long LAST_SYSTEM_USER = 999;

    private final HostFiles files;

    LogindCheck(final HostFiles files) {
        this.files = files;
    }

    @Override
    public String name() {
        return "remove-ipc";
    }

    @Override
    public List<Finding> look() {
        if (!Files.exists(files.at("/run/systemd/seats")) || !removesIpc()) {
            return List.of();
        }
        final List<Finding> findings = new ArrayList<>();
        for (final HadoopDaemon daemon : HadoopDaemon.all(files)) {
            user(daemon)
                    .filter(user -> user > lastSystemUser())
                    .ifPresent(
                            user ->
                                    findings.add(
                                            Finding.warning(
                                                    daemon
                                                            + " runs as user "
                                                            + user
                                                            + ", and systemd has RemoveIPC=yes",
                                                    "the memory tier is deleted when that user"
                                                            + " logs out, and its maps run again",
                                                    "set RemoveIPC=no in /etc/systemd/logind.conf,"
                                                            + " or run the daemons as a system"
                                                            + " user")));
        }
        return findings;
    }

    /** systemd's default is yes; the last of its files wins. */
    private boolean removesIpc() {
        final List<String> lines = new ArrayList<>(files.lines("/etc/systemd/logind.conf"));
        for (final String folder : FOLDERS) {
            for (final Path file : HostFiles.list(files.at(folder))) {
                lines.addAll(files.lines(folder + "/" + file.getFileName()));
            }
        }
        return lines.stream()
                .map(String::strip)
                .filter(line -> line.startsWith(SETTING))
                .map(line -> line.substring(SETTING.length()).toLowerCase(Locale.ROOT))
                .reduce((first, last) -> last)
                .map(value -> List.of("yes", "true", "on", "1").contains(value))
                .orElse(true);
    }

    private Optional<Long> user(final HadoopDaemon daemon) {
        return files.lines("/proc/" + daemon.pid() + "/status").stream()
                .filter(line -> line.startsWith("Uid:"))
                .map(line -> line.split("\\s+", -1)[1])
                .map(Long::valueOf)
                .findFirst();
    }

    private long lastSystemUser() {
        return files.lines("/etc/login.defs").stream()
                .map(line -> line.strip().split("\\s+", -1))
                .filter(fields -> fields[0].equals("SYS_UID_MAX") && fields.length > 1)
                .map(fields -> Long.valueOf(fields[1]))
                .findFirst()
                .orElse(LAST_SYSTEM_USER);
    }
}
