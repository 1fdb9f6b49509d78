// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.cli.run.JobFigures;
import io.spillway.host.NetworkNamespace;
import io.spillway.report.ShuffleCounter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A node process behind a network of its own, as over a cluster's fast network, whose link goes
 * down under jobs that fetch over ucx. The NodeManagers' network stays. All settings of time are
 * the defaults.
 */
@ExtendWith(OnFailureSite.class)
class LinkDownIT {
    private static final String NODE_ADDRESS = NetworkNamespace.address(1);
    private static final String HOST_ADDRESS = NetworkNamespace.address(2);

    /** UCX itself takes about 60 s; Spillway some 10 s, more where a machine is busy. */
    private static final long DETECTION_MILLIS = 40_000;

    private final FailureSite site;
    private final SiteNodeProcess node;
    private NetworkNamespace fastNetwork;
    private Map<String, String> properties;

    LinkDownIT(final FailureSite site) {
        this.site = site;
        this.node = new SiteNodeProcess(site);
    }

    /** UCX takes two namespaces of a host for one, and would try shared memory and loopback. */
    @BeforeEach
    void startBehindTheLink() throws Exception {
        assumeTrue(SiteNodeProcess.HAS_UCX, "no ucx here");
        fastNetwork = NetworkNamespace.make("spwl");
        final String hostSide = fastNetwork.linkWithHost(NODE_ADDRESS, HOST_ADDRESS);
        node.startByHand(
                fastNetwork.command(),
                Map.of(
                        "spillway.node.host",
                        NODE_ADDRESS,
                        "spillway.ucx.tls",
                        "tcp",
                        "spillway.ucx.net-devices",
                        fastNetwork.name()));
        properties =
                new TreeMap<>(
                        Map.of(
                                "spillway.transport", "ucx",
                                "spillway.ucx.tls", "tcp",
                                "spillway.ucx.net-devices", hostSide,
                                // Small: most is still to be fetched when the merge begins.
                                "spillway.shuffle.buffer.bytes", "1m"));
    }

    @AfterEach
    void endIt() throws Exception {
        if (fastNetwork == null) {
            return;
        }
        try {
            node.end();
        } finally {
            fastNetwork.close();
        }
    }

    @Test
    void jobsGoOnWithoutTheLinkAndOverItWhenItIsBack() throws Exception {
        final long pid = node.pid();
        Situation.await("outputs behind the link", this::losesTheLink);
        final Map<String, String> few = new TreeMap<>(properties);
        few.putAll(FailureSite.FEW_MAPS);
        final JobFigures without = site.runAndCompare(few);
        Figures.assertNothingLost(without);
        assertThat(Figures.of(without, ShuffleCounter.FETCH_UCX_BYTES)).isZero();

        fastNetwork.setLink(true);
        Situation.await("outputs behind the link that is back", this::takesTheLink);
        assertThat(node.pid()).as("the node process").isEqualTo(pid);
    }

    private boolean losesTheLink() throws Exception {
        try (RunningJob job = RunningJob.withReducersHeld(site, properties)) {
            job.awaitReducing(FailureSite.REDUCERS);
            if (!node.servesOutputsOf(job)) {
                return false;
            }
            fastNetwork.setLink(false);
            final long down = System.nanoTime();
            job.openGate();
            job.await("reducers that know", () -> !failures(job.id()).isEmpty());
            assertThat(millisSince(down)).as("ms to know").isLessThan(DETECTION_MILLIS);
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());
            Figures.assertNothingLost(figures);
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_UCX_BYTES)).isPositive();
            assertThat(Figures.of(figures, ShuffleCounter.TRANSPORT_FALLBACKS)).isPositive();
            return true;
        }
    }

    private boolean takesTheLink() {
        final JobFigures figures = site.runAndCompare(properties);
        Figures.assertNothingLost(figures);
        return Figures.of(figures, ShuffleCounter.FETCH_UCX_BYTES) > 0;
    }

    private List<String> failures(final String jobId) {
        return site.taskLogLines(jobId, "failed, fetching over tcp");
    }

    private static long millisSince(final long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
