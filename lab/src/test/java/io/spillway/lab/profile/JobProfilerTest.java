// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.CommandException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JobProfilerTest {
    @Test
    void samplesThisMachineAndTheJobsProgress(@TempDir final Path folder) throws Exception {
        final Path file = folder.resolve("profiles/job.csv");
        try (JobProfiler profiler = new JobProfiler(List.of(), 20)) {
            profiler.onProgress(40, 7);
            while (profiler.samples().size() < 3) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            profiler.write(file);
        }

        final List<MachineSample> samples = JobProfiler.read(file);
        assertThat(samples).hasSizeGreaterThanOrEqualTo(3);
        final MachineSample last = samples.get(samples.size() - 1);
        assertThat(last.progress().mapPercent()).isEqualTo(40);
        assertThat(last.progress().reducePercent()).isEqualTo(7);
        assertThat(last.seconds()).isGreaterThan(samples.get(0).seconds());
        assertThat(samples)
                .allMatch(sample -> sample.memoryMegabytes() > 0)
                .allMatch(sample -> 0 <= sample.cpuPercent() && sample.cpuPercent() <= 100);
    }

    @Test
    void countersAreReadAsTheKernelWritesThem(@TempDir final Path proc) throws Exception {
        Files.writeString(proc.resolve("stat"), "cpu  100 0 50 800 40 0 10 0 5 0\ncpu0 1 2 3 4\n");
        Files.writeString(
                proc.resolve("meminfo"),
                "MemTotal:  1000 kB\nMemFree:  1 kB\nMemAvailable:  400 kB\n");
        Files.writeString(
                proc.resolve("diskstats"),
                "  8  0 sda 10 0 0 0 7 0 0 0 0 0 0\n  8  1 sda1 9 0 0 0 9 0 0 0 0 0 0\n"
                        + " 259 0 nvme0n1 1 0 0 0 2 0 0 0 0 0 0\n");
        Files.createDirectories(proc.resolve("7/net"));
        Files.writeString(
                proc.resolve("7/net/dev"),
                "Inter-| Receive\n face |bytes\n    lo: 5 0 0\n  eth0: 12345 1 0\n");

        final MachineCounters counters = MachineCounters.now(proc, List.of(7L, 8L));

        assertThat(counters).isEqualTo(new MachineCounters(160, 1000, 600, 20, 12_350));
    }

    @Test
    void whatIsNoFileOfSamplesIsRefused(@TempDir final Path folder) throws Exception {
        final Path file = Files.writeString(folder.resolve("a.csv"), "a,b\n1,2\n");
        assertThatThrownBy(() -> JobProfiler.read(file))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining(file.toString());
    }
}
