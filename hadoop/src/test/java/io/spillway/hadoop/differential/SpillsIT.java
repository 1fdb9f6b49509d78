package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** No, one and many spills, in memory and on disk. */
class SpillsIT {
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
                        spilling(1).set("spillway.spill.tiers", "memory,disk"),
                        spilling(1)
                                .set("spillway.spill.tiers", "memory,disk")
                                .set("spillway.spill.memory.limit", "1m"),
                        spilling(1)
                                .set("spillway.spill.tiers", "memory,disk")
                                .set("spillway.spill.memory.limit", "100k"),
                        spilling(1)
                                .set("spillway.spill.tiers", "memory,disk")
                                .set("spillway.spill.memory.limit", "0")
                                .codec(Codec.GZIP),
                        spilling(1)
                                .set("spillway.spill.tiers", "memory,disk")
                                .set("spillway.spill.memory.limit", "1m")
                                .codec(Codec.SNAPPY),
                        spilling(1).set("spillway.sort.prefix", "false"),
                        spilling(1).api(Api.OLD).reducers(17),
                        spilling(1).keys(KeyKind.NULL).reducers(1)),
                Engine.underTest());
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }

    private static JobSpec.Builder spilling(final int sortMegabytes) {
        return job().values(ValueKind.BYTES_100)
                .records(25_000)
                .maps(1)
                .set("mapreduce.task.io.sort.mb", sortMegabytes);
    }
}
