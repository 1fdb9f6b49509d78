// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostProbeTest {
    private final JobConf conf = new JobConf();

    private Map<String, ?> answer() {
        return HostProbe.configuration(conf);
    }

    private Map<?, ?> memoryTier() {
        return ((List<?>) answer().get("tiers"))
                .stream()
                        .map(Map.class::cast)
                        .filter(tier -> tier.get("tier").equals("memory"))
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    void saysWhatHadoopReadsButNoPasswords() {
        conf.set("site.folder", "/data/${site.name}");
        conf.set("site.name", "a");
        conf.set("ssl.server.keystore.password", "sesame");

        assertThat(answer().get("hadoop")).isEqualTo(VersionInfo.getVersion());
        assertThat(answer().get("stockReason")).isEqualTo("");
        final Map<?, ?> properties = (Map<?, ?>) answer().get("properties");
        assertThat(properties.get("site.folder")).isEqualTo("/data/a");
        assertThat(properties.toString()).doesNotContain("sesame");
    }

    @Test
    void saysWhyJobsUseHadoopsOwnShuffle() {
        conf.setBoolean("spillway.shuffle.enabled", false);

        assertThat(answer().get("stockReason")).isEqualTo("spillway.shuffle.enabled=false");
    }

    @Test
    void saysHowLargeTheMemoryTierWouldBeAndMakesNothing() {
        final Path directory = Path.of("/dev/shm/spillway-probe-test");
        conf.set("spillway.store.memory.dir", directory.toString());
        conf.setInt("yarn.nodemanager.resource.memory-mb", 1);

        assertThat((Long) memoryTier().get("bytes")).isPositive();
        assertThat(directory).doesNotExist();
        conf.setInt("yarn.nodemanager.resource.memory-mb", 1 << 30);
        assertThat(memoryTier().get("bytes")).isEqualTo(0L);
        assertThat(memoryTier().get("refused")).isEqualTo(false);
    }

    @Test
    void saysThatADiskIsNoMemory(@TempDir final Path disk) throws Exception {
        conf.set("spillway.store.memory.dir", disk.resolve("made/by/nobody").toString());

        assertThat(memoryTier().get("refused")).isEqualTo(true);
        assertThat(memoryTier().get("why").toString()).contains("expected tmpfs or ramfs");
        try (var files = Files.list(disk)) {
            assertThat(files).isEmpty();
        }
    }
}
