// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.lab.hosts.HostLink;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A command with a cluster of an emulated host and a distributed file system, in a JVM of its own,
 * which is to be killed.
 */
final class HostsCommand {
    /** What it prints when its cluster takes jobs. */
    static final String STARTED = "started";

    private HostsCommand() {}

    /** Starts it; its one argument names the cluster. */
    static Process start(final String cluster) throws Exception {
        final ProcessBuilder builder =
                new ProcessBuilder(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "-Xmx256m",
                                "-Dspillway.root=" + System.getProperty("spillway.root", ".."),
                                "-Dspillway.plugin.jar="
                                        + System.getProperty("spillway.plugin.jar"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                HostsCommand.class.getName(),
                                cluster));
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Waits, once the cluster takes jobs, for its end by a signal. */
    public static void main(final String[] arguments) throws InterruptedException {
        final ClusterSpec spec =
                ClusterSpec.defaults()
                        .withName(arguments[0])
                        .withHeapMb(256)
                        .withEmulatedHosts(1, HostLink.NONE)
                        .withSharedDirectory(SharedDirectory.DISTRIBUTED);
        LocalCluster.start(Clusters.work(), spec, StartListener.NONE, note -> {});
        System.out.println(STARTED);
        System.out.flush();
        TimeUnit.MINUTES.sleep(10);
    }
}
