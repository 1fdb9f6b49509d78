// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.transport.choice.HostMedia;
import io.spillway.transport.ucx.worker.UcxLibrary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Whether UCX works, where the configuration or an RDMA device asks for it. */
final class UcxCheck implements Check {
    private static final String PTRACE_SCOPE = "/proc/sys/kernel/yama/ptrace_scope";

    private final HostFiles files;
    private final SiteFacts site;
    private final Obstacle obstacle;

    /** Says why UCX cannot be used; empty where it can. */
    @FunctionalInterface
    interface Obstacle {
        String get() throws IOException;
    }

    UcxCheck(final HostFiles files, final SiteFacts site, final Obstacle obstacle) {
        this.files = files;
        this.site = site;
        this.obstacle = obstacle;
    }

    @Override
    public String name() {
        return UcxLibrary.TRANSPORT;
    }

    @Override
    public List<Finding> look() throws IOException {
        final List<String> ports = HostMedia.below(files.root()).activeRdmaPorts();
        final boolean isAsked = isAsked();
        if (ports.isEmpty() && !isAsked) {
            return List.of();
        }
        final String why = obstacle.get();
        final List<Finding> findings = new ArrayList<>();
        if (!why.isEmpty()) {
            findings.add(
                    isAsked
                            ? Finding.error(why, "what asks for ucx goes over tcp", mend())
                            : Finding.warning(
                                    why,
                                    "this host has " + String.join(", ", ports) + ": unused",
                                    mend()));
        }
        if (files.number(PTRACE_SCOPE).orElse(0L) > 0) {
            findings.add(
                    Finding.note(
                            PTRACE_SCOPE + "=" + files.number(PTRACE_SCOPE).get(),
                            "UCX cannot copy between processes of this host (cma): it copies twice,"
                                    + " through shared memory",
                            "sysctl kernel.yama.ptrace_scope=0"));
        }
        return findings;
    }

    private boolean isAsked() {
        return site.list("spillway.transport").contains(UcxLibrary.TRANSPORT)
                || site.list("spillway.node.transports").contains(UcxLibrary.TRANSPORT);
    }

    private static String mend() {
        return "docs/hpc.md, Install: libucp of the system or of the site, and ulimit -l unlimited";
    }
}
