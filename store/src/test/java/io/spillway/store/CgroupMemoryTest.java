// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupMemoryTest {
    @TempDir private Path directory;

    private long available(final String ownGroups) throws IOException {
        final Path file = Files.writeString(directory.resolve("own"), ownGroups);
        return CgroupMemory.of(file, directory.resolve("mount")).available();
    }

    private void write(final String group, final String name, final String text)
            throws IOException {
        final Path folder = Files.createDirectories(directory.resolve("mount").resolve(group));
        Files.writeString(folder.resolve(name), text + "\n");
    }

    private void v2(final String group, final String max, final long current, final long cache)
            throws IOException {
        write(group, "memory.max", max);
        write(group, "memory.current", Long.toString(current));
        write(group, "memory.stat", "anon 5\ninactive_file " + cache + "\nactive_file 1\nshmem 9");
    }

    @Test
    void isTheLeastThatAGroupOrOneAboveItAllows() throws IOException {
        v2("slurm/job_1/step_0", "max", 700, 0);
        v2("slurm/job_1", "1000", 700, 199);

        assertThat(available("0::/slurm/job_1/step_0\n")).isEqualTo(500);

        v2("slurm", "1100", 900, 99);
        assertThat(available("0::/slurm/job_1/step_0\n")).isEqualTo(300);
    }

    @Test
    void readsTheFirstVersionToo() throws IOException {
        write("memory/slurm/job_1", "memory.limit_in_bytes", "1000");
        write("memory/slurm/job_1", "memory.usage_in_bytes", "800");
        write(
                "memory/slurm/job_1",
                "memory.stat",
                "inactive_file 7\ntotal_inactive_file 50\ntotal_active_file 50");

        assertThat(available("4:cpu,memory:/slurm/job_1\n0::/\n")).isEqualTo(300);
    }

    @Test
    void isNeverBelowNothing() throws IOException {
        v2("a", "1000", 1200, 0);
        assertThat(available("0::/a\n")).isZero();
    }

    @Test
    void allowsAllWhereNobodySaysOtherwise() throws IOException {
        assertThat(available("0::/not/seen/from/here\n")).isEqualTo(Long.MAX_VALUE);
        assertThat(available("")).isEqualTo(Long.MAX_VALUE);
        assertThat(available("3:cpu:/a\nnonsense\n")).isEqualTo(Long.MAX_VALUE);
        assertThat(CgroupMemory.of(directory.resolve("none"), directory).available())
                .isEqualTo(Long.MAX_VALUE);
        v2("a", "max", 1200, 0);
        assertThat(available("0::/a\n")).isGreaterThan(Long.MAX_VALUE / 2);
    }

    @Test
    void readsThisProcesssOwn() {
        assertThat(CgroupMemory.ofThisProcess().available()).isPositive();
    }
}
