// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.transport.OpaqueId;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class MapReduceLayoutTest {
    private static final String JOB = "job_1700000000000_0001";

    private final MapReduceLayout layout = new MapReduceLayout();

    @Example
    void theMapAttemptsOfAJobAreItsOutputs() {
        assertThat(layout.isOutputOf(JOB, "attempt_1700000000000_0001_m_000003_0")).isTrue();
        assertThat(layout.isOutputOf(JOB, "attempt_1700000000000_0001_m_1234567_12")).isTrue();
    }

    @Example
    void nothingElseIs() {
        for (final String output :
                List.of(
                        "",
                        "attempt_1700000000000_0001_r_000003_0",
                        "attempt_1700000000000_0002_m_000003_0",
                        "attempt_1700000000000_00011_m_000003_0",
                        "attempt_1700000000000_0001_m_000003",
                        "attempt_1700000000000_0001_m_000003_0.",
                        "attempt_1700000000000_0001_m_000003_0/..",
                        "attempt_1700000000000_0001_m_000003_0\n",
                        "attempt_1700000000000_0001_m_../x_0",
                        "attempt_1700000000000_0001_m_000003_0_m_000003_0",
                        "attempt_1700000000000_0001_m_00000\u0663_0",
                        "attempt_1700000000000_0001_m_12345678901_0",
                        "Attempt_1700000000000_0001_m_000003_0",
                        "task_1700000000000_0001_m_000003")) {
            assertThat(layout.isOutputOf(JOB, output)).as(output).isFalse();
        }
        assertThat(layout.isOutputOf("job_1", "attempt_1_m_000003_0")).isFalse();
        assertThat(layout.isOutputOf("../job_1_1", "attempt_1_1_m_000003_0")).isFalse();
    }

    /** Few digits, so that jobs are equal, and one the beginning of the other, often enough. */
    @Provide
    Arbitrary<String> jobs() {
        final Arbitrary<Integer> number = Arbitraries.integers().between(0, 30);
        return Combinators.combine(number, number).as((start, id) -> "job_" + start + "_" + id);
    }

    @Property
    void anOutputBelongsToOneJob(
            @ForAll("jobs") final String job,
            @ForAll("jobs") final String other,
            @ForAll("numbers") final String map) {
        final String output = job.replaceFirst("job", "attempt") + "_m_" + map;
        assertThat(OpaqueId.isValid(output)).isTrue();
        assertThat(layout.isOutputOf(job, output)).isTrue();
        assertThat(layout.isOutputOf(other, output)).isEqualTo(other.equals(job));
    }

    @Provide
    Arbitrary<String> numbers() {
        final Arbitrary<Integer> number = Arbitraries.integers().between(0, 999);
        return Combinators.combine(number, number).as((map, attempt) -> map + "_" + attempt);
    }

    /** Names of what an attacker could put together: parts of true names, in any order. */
    @Provide
    Arbitrary<String> madeUp() {
        return Arbitraries.of("attempt", "job", "_", "1", "2", "m", "r", ".", "/", "..", "0", " ")
                .list()
                .ofMaxSize(14)
                .map(parts -> String.join("", parts));
    }

    @Property
    void aNameThatIsMadeUpIsAnOutputOfNoOtherJob(@ForAll("madeUp") final String name) {
        final boolean isOfOne = layout.isOutputOf("job_1_1", name);
        final boolean isOfOther = layout.isOutputOf("job_1_11", name);
        assertThat(isOfOne && isOfOther).isFalse();
        assertThat(!isOfOne || name.startsWith("attempt_1_1_m_")).isTrue();
        assertThat(!isOfOther || name.startsWith("attempt_1_11_m_")).isTrue();
    }

    @Example
    void namesTheApplicationAndTheFolderOfOutputs() {
        assertThat(MapReduceLayout.applicationOf(JOB)).isEqualTo("application_1700000000000_0001");
        assertThat(layout.jobFolder("alice", JOB))
                .isEqualTo("usercache/alice/appcache/application_1700000000000_0001/output");
        for (final String job : List.of("job_x", "job_1_1/..", "..", "job_1_1\n")) {
            assertThatThrownBy(() -> MapReduceLayout.applicationOf(job))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("jobId=" + job);
            assertThatThrownBy(() -> layout.jobFolder("alice", job))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
