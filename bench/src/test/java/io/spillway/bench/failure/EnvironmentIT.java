package io.spillway.bench.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.bench.run.JobFigures;
import io.spillway.host.OwnUser;
import io.spillway.report.ShuffleCounter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Hosts that take away what daemons and tasks could count on. A job ends as stock's does, no map
 * runs twice, and no reducer goes back to the stock shuffle.
 */
@Tag(FailureSite.TAG)
@ExtendWith(OnFailureSite.class)
class EnvironmentIT {
    private static final int NODE = SiteNodeProcess.NODE;

    private static final Map<String, String> OVER_UCX = Map.of("spillway.transport", "ucx");

    /** A command in a mount namespace of its own, whose shared memory has 16 MB. */
    private static final List<String> SMALL_SHARED_MEMORY =
            List.of(
                    "unshare",
                    "--mount",
                    "sh",
                    "-c",
                    "mount -t tmpfs -o size=16m tmpfs /dev/shm && exec \"$@\"",
                    "sh");

    private final FailureSite site;

    EnvironmentIT(final FailureSite site) {
        this.site = site;
    }

    @BeforeEach
    void needsRoot() {
        assumeThat(OwnUser.name()).as("namespaces and mounts need root").isEqualTo("root");
    }

    @AfterEach
    void restore() {
        restart(Map.of(), List.of());
    }

    private void restart(final Map<String, String> properties, final List<String> prefix) {
        site.cluster().daemons().killNodeManager(NODE);
        site.cluster().daemons().restartNodeManager(NODE, properties, prefix);
    }

    private void run(final Map<String, String> properties) {
        final JobFigures figures = site.runAndCompare(properties);
        assertThat(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
        Figures.assertNothingLost(figures);
    }

    @Test
    void aNodeManagerWithSixteenMegabytesOfDirectMemoryServes() {
        restart(Map.of(), List.of("env", "JDK_JAVA_OPTIONS=-XX:MaxDirectMemorySize=16m"));
        run(Map.of());

        assertThat(site.nodeLogLines(NODE, "OutOfMemoryError")).isEmpty();
    }

    @Test
    void aNodeProcessAndUcxGetAlongWithSixteenMegabytesOfSharedMemory() {
        assumeTrue(SiteNodeProcess.HAS_UCX, "no ucx here");
        restart(
                Map.of("spillway.node.launch", "true", "spillway.node.heap", "64m"),
                SMALL_SHARED_MEMORY);
        run(OVER_UCX);

        assertThat(site.nodeLogLines(NODE, "has died")).isEmpty();
    }
}
