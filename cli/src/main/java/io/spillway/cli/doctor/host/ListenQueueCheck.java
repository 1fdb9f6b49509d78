// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.transport.tcp.server.TcpListener;
import java.util.ArrayList;
import java.util.List;

/** Whether connections of many reducers at once have a place to wait. */
final class ListenQueueCheck implements Check {
    private static final String MOST = "/proc/sys/net/core/somaxconn";
    private static final String QUEUE = "mapreduce.shuffle.listen.queue.size";
    private static final long DEFAULT_QUEUE = 128;

    /** That of Linux since 5.4. */
    private static final long USUAL = 4096;

    private final HostFiles files;
    private final SiteFacts site;

    ListenQueueCheck(final HostFiles files, final SiteFacts site) {
        this.files = files;
        this.site = site;
    }

    @Override
    public String name() {
        return "listen-queue";
    }

    @Override
    public List<Finding> look() {
        final List<Finding> findings = new ArrayList<>();
        add(QUEUE, site.number(QUEUE, DEFAULT_QUEUE), findings);
        if (HadoopDaemon.all(files).stream()
                .anyMatch(daemon -> daemon.kind() == HadoopDaemon.Kind.NODE_PROCESS)) {
            add("the node process's queue", TcpListener.BACKLOG, findings);
        }
        return findings;
    }

    private void add(final String what, final long queue, final List<Finding> findings) {
        files.number(MOST)
                .filter(most -> most < queue)
                .ifPresent(
                        most ->
                                findings.add(
                                        Finding.warning(
                                                "net.core.somaxconn="
                                                        + most
                                                        + ", less than "
                                                        + what
                                                        + "="
                                                        + queue,
                                                "the kernel cuts the queue: reducers that connect"
                                                        + " at once wait a second and more",
                                                "sysctl net.core.somaxconn=" + USUAL)));
    }
}
