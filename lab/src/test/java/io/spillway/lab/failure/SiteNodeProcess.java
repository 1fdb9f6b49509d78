// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import io.spillway.lab.cluster.LocalCluster;
import io.spillway.node.control.StatusClient;
import io.spillway.transport.ucx.UcxProvider;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The node process that serves beside a NodeManager of the failure tests' cluster. */
final class SiteNodeProcess {
    /** The NodeManager that starts one, or looks for one. */
    static final int NODE = 1;

    /** Whether ucx works here. */
    static final boolean HAS_UCX = new UcxProvider().obstacle(name -> null).isEmpty();

    private static final Pattern PID = Pattern.compile("\"pid\":(\\d+)");

    private final FailureSite site;
    private final LocalCluster cluster;
    private Map<String, String> launched = Map.of();

    SiteNodeProcess(final FailureSite site) {
        this.site = site;
        this.cluster = site.cluster();
    }

    // ---- life ----------------------------------------------------------------------------------

    /** Has the NodeManager start one, in place of one that runs. */
    void launch() {
        launch(Map.of());
    }

    /**
     * The same.
     *
     * @param settings of the process
     */
    void launch(final Map<String, String> settings) {
        final Map<String, String> all = new TreeMap<>(settings);
        all.put("spillway.node.launch", "true");
        all.put("spillway.node.heap", "64m");
        launched = all;
        replaceBy(launched);
    }

    /** Starts the NodeManager again, with the process's settings; that process goes on. */
    void restartManager() {
        restartManager(launched);
    }

    /**
     * Starts one by hand, and has the NodeManager find it.
     *
     * @param prefix goes before its command
     * @param settings its own
     */
    void startByHand(final List<String> prefix, final Map<String, String> settings)
            throws IOException, InterruptedException {
        NodeByHand.start(site, prefix, settings, cluster.nodeSocket());
        restartManager(Map.of());
    }

    /** Ends it, and lets the NodeManager be as it was. */
    void end() {
        replaceBy(Map.of());
    }

    /** One that outlives its NodeManager would serve on for the grace time. */
    private void replaceBy(final Map<String, String> properties) {
        cluster.daemons().killNodeManager(NODE);
        ProcessHandle.of(pid()).ifPresent(ProcessHandle::destroyForcibly);
        cluster.daemons().restartNodeManager(NODE, properties);
    }

    private void restartManager(final Map<String, String> properties) {
        cluster.daemons().killNodeManager(NODE);
        cluster.daemons().restartNodeManager(NODE, properties);
    }

    // ---- jobs ----------------------------------------------------------------------------------

    /**
     * Starts a job over ucx whose last map is held, and waits until its reducers copy what the
     * others have left and the node process knows it. Some of that lies where the process serves: a
     * job whose maps all ran elsewhere is let go, and another one started.
     */
    RunningJob startJob() throws Exception {
        final AtomicReference<RunningJob> served = new AtomicReference<>();
        Situation.await(
                "outputs that the node process serves",
                () -> {
                    final RunningJob job = startAnyJob();
                    if (servesOutputsOf(job)) {
                        served.set(job);
                        return true;
                    }
                    job.close();
                    return false;
                });
        return served.get();
    }

    private RunningJob startAnyJob() {
        final Map<String, String> properties =
                Map.of(
                        "mapreduce.job.reduce.slowstart.completedmaps",
                        "0.05",
                        "spillway.transport",
                        "ucx");
        final RunningJob job = RunningJob.withLastMapHeld(site, properties);
        try {
            job.awaitMapOutputs();
            job.awaitCopying();
            job.await("a node process that knows the job", () -> knows(job.id()));
            return job;
        } catch (final RuntimeException | Error e) {
            job.close();
            throw e;
        }
    }

    /** Whether the job's reducers have something to fetch from it. */
    boolean servesOutputsOf(final RunningJob job) {
        return job.mapOutputs().stream().anyMatch(output -> output.node() == NODE);
    }

    // ---- what it says --------------------------------------------------------------------------

    /** Its status as JSON; empty when none runs. */
    String status() {
        try {
            return StatusClient.ask(cluster.nodeSocket());
        } catch (final IOException e) {
            return "";
        }
    }

    /** Whether it serves a job. */
    boolean knows(final String jobId) {
        return status().contains(jobId);
    }

    /** Of the process that runs now; -1 for none. */
    long pid() {
        final Matcher pid = PID.matcher(status());
        return pid.find() ? Long.parseLong(pid.group(1)) : -1;
    }
}
