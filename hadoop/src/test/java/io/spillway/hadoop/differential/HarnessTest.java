// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The harness itself: what it measures is there, and the loopback nodes change nothing. */
class HarnessTest {
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.of(
                        job(),
                        job().api(Api.OLD),
                        job().codec(Codec.DEFAULT).reducers(5),
                        job().maps(0),
                        job().ordering(Ordering.CASE_INSENSITIVE).keys(KeyKind.TEXT_MIXED_CASE)),
                Engine.STOCK_OVER_LOOPBACK);
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void stockGivesTheSameOverLoopback(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }

    @Test
    void recordsEveryRecordOfEveryMap() throws Exception {
        final JobResult result = Differential.reference(job().maps(3).records(50).build());

        assertThat(result.partitions()).hasSize(2);
        assertThat(result.partitions().stream().mapToInt(java.util.List::size).sum())
                .isEqualTo(150);
        assertThat(result.counter("MAP_OUTPUT_RECORDS")).isEqualTo(150);
        assertThat(result.counter("SHUFFLED_MAPS")).isEqualTo(6);
    }

    @Test
    void tellsOutputsApart() throws Exception {
        final JobSpec.Builder job = job().maps(1).records(20);

        assertThat(JobRunner.run(job.seed(1).build(), Engine.STOCK).partitions())
                .isEqualTo(JobRunner.run(job.seed(1).build(), Engine.STOCK).partitions())
                .isNotEqualTo(JobRunner.run(job.seed(2).build(), Engine.STOCK).partitions());
    }

    @Test
    void hearsWhatFailedAJob() throws Exception {
        final JobSpec spec = job().mapper(MapStyle.THROWS).build();

        assertThat(JobRunner.run(spec, Engine.STOCK).failure())
                .contains("java.io.IOException: The mapper fails on purpose");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void findsEveryFault(final FaultyShuffle.Fault fault) {
        final JobSpec spec = job().set(FaultyShuffle.FAULT, fault).build();

        assertThatThrownBy(() -> Differential.assertSameOutput(spec, Engine.FAULTY))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("partition");
    }

    @Test
    void findsNoFaultWhereThereIsNone() throws Exception {
        final JobSpec spec = job().set(FaultyShuffle.FAULT, FaultyShuffle.Fault.NONE).build();

        Differential.assertSameOutput(spec, Engine.FAULTY);
    }
}
