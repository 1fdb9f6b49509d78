// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.site.ServiceCpu;
import io.spillway.lab.cluster.daemon.DaemonRole;
import io.spillway.lab.process.MarkedProcesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The processes of a cluster that serve map output, and the CPU that they have taken. */
final class ServiceProcesses {
    private static final Path PROC = Path.of("/proc");
    private static final String NODE_PROCESS = "io.spillway.node.process.NodeMain";

    private ServiceProcesses() {}

    /** The CPU of all that live now. */
    static ServiceCpu cpu(final String clusterId) {
        final Map<Long, Long> managers = new TreeMap<>();
        final Map<Long, Long> nodes = new TreeMap<>();
        for (final ProcessHandle process : MarkedProcesses.find(clusterId)) {
            final List<String> words = commandLine(process.pid());
            if (words.contains(DaemonRole.NODE_MANAGER.mainClass())) {
                managers.put(process.pid(), millis(process));
            } else if (words.contains(NODE_PROCESS)) {
                nodes.put(process.pid(), millis(process));
            }
        }
        return new ServiceCpu(managers, nodes);
    }

    private static long millis(final ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
    }

    private static List<String> commandLine(final long pid) {
        try {
            final byte[] text = Files.readAllBytes(PROC.resolve(pid + "/cmdline"));
            return List.of(new String(text, StandardCharsets.UTF_8).split("\0", -1));
        } catch (final IOException e) {
            return List.of(); // gone
        }
    }
}
