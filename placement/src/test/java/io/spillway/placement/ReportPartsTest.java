// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.placement.message.CommittedOutput;
import io.spillway.placement.message.JobOutputs;
import io.spillway.placement.message.ReportContent;
import io.spillway.placement.message.SealedJob;
import io.spillway.placement.secret.SealedSecret;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class ReportPartsTest {
    /** The parts have all that was added, once and in order; none is longer than a message. */
    @Property(tries = 50)
    void nothingIsLostByCutting(
            @ForAll @IntRange(max = 5000) final int known,
            @ForAll @IntRange(max = 200) final int jobs,
            @ForAll @Size(max = 6) final List<@IntRange(max = 5000) Integer> outputsOfJobs) {
        final ReportParts parts = new ReportParts();
        final List<String> expectedKnown = new ArrayList<>();
        for (int i = 0; i < known; i++) {
            parts.addKnown("known_" + i);
            expectedKnown.add("known_" + i);
        }
        final List<SealedJob> expectedJobs = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            final SealedSecret secret = new SealedSecret(new byte[SealedSecret.MIN_LENGTH]);
            expectedJobs.add(new SealedJob("job_" + i, "alice", secret));
            parts.add(expectedJobs.get(i));
        }
        final List<String> expectedOutputs = new ArrayList<>();
        for (int job = 0; job < outputsOfJobs.size(); job++) {
            final List<CommittedOutput> outputs = new ArrayList<>();
            for (int i = 0; i < outputsOfJobs.get(job); i++) {
                outputs.add(new CommittedOutput("o" + i, i));
                expectedOutputs.add("job_" + job + " o" + i);
            }
            parts.add(new JobOutputs("job_" + job, outputs));
        }

        final List<ReportContent> cut = parts.finish();
        assertThat(cut).isNotEmpty();
        assertThat(cut.stream().flatMap(c -> c.knownJobs().stream())).isEqualTo(expectedKnown);
        assertThat(cut.stream().flatMap(c -> c.jobs().stream())).isEqualTo(expectedJobs);
        assertThat(
                        cut.stream()
                                .flatMap(c -> c.outputs().stream())
                                .flatMap(
                                        job ->
                                                job.outputs().stream()
                                                        .map(o -> job.jobId() + " " + o.name())))
                .isEqualTo(expectedOutputs);
    }

    @Example
    void aNodeWithNothingSaysSo() {
        assertThat(new ReportParts().finish()).containsExactly(ReportContent.EMPTY);
    }

    @Example
    void outputsStayUntilTheyAreAcknowledged() {
        final UnreportedOutputs outputs = new UnreportedOutputs(5);
        outputs.add("job_1", new CommittedOutput("a", 1));
        assertThat(names(outputs.take())).containsExactly("a");
        outputs.add("job_1", new CommittedOutput("b", 1));
        assertThat(names(outputs.take())).containsExactly("a", "b");
        outputs.add("job_2", new CommittedOutput("c", 1));
        outputs.acknowledged();
        assertThat(names(outputs.take())).containsExactly("c");
        outputs.acknowledged();
        assertThat(outputs.take()).isEmpty();
    }

    @Example
    void whatIsAcknowledgedDoesNotCount() {
        final UnreportedOutputs outputs = new UnreportedOutputs(3);
        for (int round = 0; round < 5; round++) {
            outputs.add("job_1", new CommittedOutput("a" + round, 1));
            assertThat(outputs.take()).isNotEmpty();
            outputs.add("job_1", new CommittedOutput("b" + round, 1));
            outputs.acknowledged();
            assertThat(names(outputs.take())).containsExactly("b" + round);
            outputs.acknowledged();
            assertThat(outputs.isOverflown()).isFalse();
        }
    }

    @Example
    void tooManyOutputsAreListedInstead() {
        final UnreportedOutputs outputs = new UnreportedOutputs(3);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 3; i++) {
                outputs.add("job_1", new CommittedOutput("o" + i, 1));
            }
            assertThat(outputs.isOverflown()).isFalse();
            outputs.take();
            outputs.add("job_1", new CommittedOutput("one_more", 1));
            assertThat(outputs.isOverflown()).isTrue();
            outputs.add("job_1", new CommittedOutput("and_more", 1));
            assertThat(outputs.take()).isEmpty();
            outputs.clear();
            assertThat(outputs.isOverflown()).isFalse();
        }
    }

    private static List<String> names(final List<JobOutputs> jobs) {
        return jobs.stream()
                .flatMap(job -> job.outputs().stream())
                .map(CommittedOutput::name)
                .toList();
    }
}
