// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A NodeManager that may open fewer files than it has map outputs, from their end on. */
@ExtendWith(OnFailureSite.class)
class FewDescriptorsIT {
    /** A NodeManager without descriptors cannot launch containers either, and fails attempts. */
    private static final String LAUNCHES = "60";

    private static final int MAPS_PER_FILE = 6;
    private static final int DATA_MAPS = MAPS_PER_FILE * FailureSite.DATA_MAPS;

    /** For connections, and what it takes to start a container; a third of all maps ran there. */
    private static final int SPARE = 16;

    private final FailureSite site;

    FewDescriptorsIT(final FailureSite site) {
        this.site = site;
    }

    @Test
    void aJobIsSlowerAndNoMapRunsAgain() throws Exception {
        Situation.await("a NodeManager without file descriptors", this::runsShort);
    }

    private boolean runsShort() throws Exception {
        final Map<String, String> properties =
                Map.of(
                        FailureSite.JOB_REDUCES,
                        "4",
                        "mapreduce.job.reduce.slowstart.completedmaps",
                        "1.0",
                        "mapreduce.input.fileinputformat.split.maxsize",
                        String.valueOf(FailureSite.FILE_LENGTH / MAPS_PER_FILE),
                        "spillway.mode",
                        "rdma",
                        "mapreduce.reduce.maxattempts",
                        LAUNCHES);
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            job.await(
                    "the end of the other maps",
                    () -> job.mapPercent() >= 100 * DATA_MAPS / (DATA_MAPS + 1));
            final int node = job.nodeToHarm(job.mapOutputs());
            final int before = shortages(node).size();
            final long pid = nodeManager(node);
            final String limit = softLimit(pid);
            setSoftLimit(pid, String.valueOf(openFiles(pid) + SPARE));
            try {
                job.openGate();
                final JobFigures figures = site.figures(job.awaitSameOutputAsStock());
                assertThat(Figures.lostMapAttempts(figures)).as("map attempts lost").isZero();
            } finally {
                setSoftLimit(pid, limit);
            }
            return shortages(node).size() > before;
        }
    }

    private List<String> shortages(final int node) {
        return site.nodeLogLines(node, "Too many open files: the limit of this process is");
    }

    private long nodeManager(final int node) {
        return site.cluster().status().daemons().stream()
                .filter(daemon -> daemon.detail().contains("handler on port"))
                .skip(node)
                .findFirst()
                .orElseThrow()
                .pid()
                .orElseThrow();
    }

    private static int openFiles(final long pid) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return (int) open.count();
        }
    }

    private static String softLimit(final long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(pid), "limits")).stream()
                .filter(line -> line.startsWith("Max open files"))
                .map(line -> line.split("\\s+", -1)[3])
                .findFirst()
                .orElseThrow();
    }

    private static void setSoftLimit(final long pid, final String limit) throws Exception {
        final Process prlimit =
                new ProcessBuilder(
                                "prlimit", "--pid", Long.toString(pid), "--nofile=" + limit + ":")
                        .inheritIO()
                        .start();
        assertThat(prlimit.waitFor()).as("prlimit").isZero();
    }
}
