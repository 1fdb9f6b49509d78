// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.report.ShuffleCounter;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** No, one and many spills, on all tiers. */
class SpillsIT {
    private static final String TEMPORARY = System.getProperty("java.io.tmpdir");

    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.of(
                        spilling(1),
                        spilling(1).set("mapreduce.task.io.sort.factor", 2),
                        spilling(1).set("mapreduce.task.io.sort.factor", 2).codec(Codec.SNAPPY),
                        spilling(1).codec(Codec.DEFAULT),
                        spilling(1).set("mapreduce.map.sort.spill.percent", "1.0"),
                        spilling(1).set("mapreduce.map.sort.spill.percent", "0.05"),
                        spilling(4),
                        spilling(1).set("spillway.spill.tiers", "disk"),
                        spilling(1).set("spillway.spill.tiers", "heap,disk"),
                        spilling(1)
                                .set("spillway.spill.tiers", "heap,disk")
                                .set("spillway.spill.heap.limit", "1m"),
                        spilling(1)
                                .set("spillway.spill.tiers", "heap,disk")
                                .set("spillway.spill.heap.limit", "100k"),
                        spilling(1)
                                .set("spillway.spill.tiers", "heap,disk")
                                .set("spillway.spill.heap.limit", "0")
                                .codec(Codec.GZIP),
                        spilling(1)
                                .set("spillway.spill.tiers", "heap,disk")
                                .set("spillway.spill.heap.limit", "1m")
                                .codec(Codec.SNAPPY),
                        spilling(1).set("spillway.sort.prefix", "false"),
                        spilling(1).api(Api.OLD).reducers(17),
                        spilling(1).keys(KeyKind.NULL).reducers(1)),
                Engine.underTest());
    }

    /** The tiers differ on the map side only. */
    static Stream<Arguments> tiers() {
        return Differential.matrix(
                Stream.of(
                        spilling(1).set("spillway.spill.tiers", "memory"),
                        spilling(1).set("spillway.spill.tiers", "memory").codec(Codec.DEFAULT),
                        spilling(1).set("spillway.mode", "rdma"),
                        spilling(32).set("spillway.mode", "rdma"),
                        nvm(1),
                        nvm(32),
                        nvm(1).set("spillway.store.nvm.emulation.write", "10"),
                        spilling(1)
                                .set("spillway.spill.tiers", "lustre,disk")
                                .set("spillway.store.lustre.dir", TEMPORARY),
                        spilling(1).set("spillway.spill.tiers", "nvm,lustre,disk"),
                        spilling(1)
                                .set("spillway.spill.tiers", "memory,disk")
                                .set("spillway.store.memory.reserve", "64t"),
                        spilling(1)
                                .set("spillway.spill.tiers", "memory,nvm,disk")
                                .set("spillway.store.memory.dir", "/nowhere")
                                .set("spillway.store.nvm.dir", "/proc"),
                        spilling(1)
                                .set("spillway.spill.tiers", "memory,disk")
                                .set("spillway.store.memory.dir", TEMPORARY)),
                Engine.SPILLWAY_FULL);
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource({"jobs", "tiers"})
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }

    /** Memory that no node has set aside may be another container's. */
    @ParameterizedTest
    @CsvSource({"auto, false", "none, false", "/dev/shm, true"})
    void spillsGoToMemoryThatNoNodeOffersOnlyWhereItIsNamed(
            final String directory, final boolean toMemory) throws Exception {
        final JobResult result =
                Differential.assertSameOutput(
                        spilling(1).set("spillway.store.memory.dir", directory).build(),
                        Engine.SPILLWAY_MAP);
        assertThat(result.figure(ShuffleCounter.SPILL_MEMORY_BYTES) > 0).isEqualTo(toMemory);
        assertThat(result.figure(ShuffleCounter.SPILL_DISK_BYTES) > 0).isEqualTo(!toMemory);
    }

    private static JobSpec.Builder nvm(final int sortMegabytes) {
        return spilling(sortMegabytes)
                .set("spillway.mode", "rdma-nvm")
                .set("spillway.store.nvm.dir", TEMPORARY);
    }

    private static JobSpec.Builder spilling(final int sortMegabytes) {
        return job().values(ValueKind.BYTES_100)
                .records(25_000)
                .maps(1)
                .set("mapreduce.task.io.sort.mb", sortMegabytes);
    }
}
