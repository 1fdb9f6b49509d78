// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.run.Jobs;
import io.spillway.cli.run.SiteFiles;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.compare.workload.Workloads;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.workload.InProcessJobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Comparisons that are stopped between runs and go on, with jobs of LocalJobRunner. */
class ResumedComparisonTest {
    private static final int BYTES = 13_000;
    private static final int RECORDS = 1_000;
    private static final String MAKE = "Make numbers data";

    @TempDir private Path folder;
    private final List<String> done = new ArrayList<>();
    private SavedRuns saved = SavedRuns.NONE;

    private static Comparison.Plan plan(final Engine... engines) {
        return new Comparison.Plan(
                Workloads.named("numbers"),
                BYTES,
                List.of(engines).stream().map(EngineConfig::of).toList(),
                2,
                false,
                2,
                1,
                Map.of());
    }

    private static Comparison.Plan plan() {
        return plan(Engine.STOCK, Engine.SPILLWAY);
    }

    private ComparisonResult run(final int mostMeasured) {
        done.clear();
        return new Comparison(plan(), new Mortal(mostMeasured), List::of, OutputCheck.NONE)
                .run(saved, this::save, soFar -> {});
    }

    /** By way of the file. */
    private void save(final SavedRuns runs) {
        final ResumeFile file = new ResumeFile(folder.resolve("result.json"));
        file.write(ResumeFile.Content.of(Map.of(), Map.of(), Optional.empty(), runs));
        saved = file.read().orElseThrow().saved();
    }

    private void stopAfterTheFirstRun() {
        assertThatThrownBy(() -> run(2)).isInstanceOf(Stop.class);
        assertThat(saved.runs()).hasSize(1);
    }

    @Test
    void goesOnWithTheNextRun() {
        stopAfterTheFirstRun();
        final EngineRun first = saved.runs().get(0);
        final ComparisonResult result = run(100);

        assertThat(done.stream().filter(label -> !label.startsWith("Check ")))
                .containsExactly(
                        MAKE,
                        "numbers spillway 1/2",
                        "Copy without shuffle 2/2",
                        "numbers stock 2/2",
                        "numbers spillway 2/2");
        assertThat(result.isComplete()).isTrue();
        assertThat(result.outputsIdentical()).isTrue();
        assertThat(result.runs().get(0)).isEqualTo(first);
        assertThat(folder.resolve("data")).isEmptyDirectory();
        assertThat(run(0).runs()).isEqualTo(result.runs());
        assertThat(done).isEmpty();
    }

    @Test
    void takesAnInputThatIsStillThereAsItWasMade() throws IOException {
        final Path input = stopAsByAKill();
        final ComparisonResult result = run(100);

        assertThat(done).doesNotContain(MAKE);
        assertThat(result.outputsIdentical()).isTrue();
        assertThat(input).doesNotExist();
        assertThat(folder.resolve("data")).isEmptyDirectory();
    }

    @Test
    void makesAnInputAgainThatIsNotWhatItWas() throws IOException {
        final Path input = stopAsByAKill();
        Files.delete(input.resolve("numbers-1"));
        final ComparisonResult result = run(100);

        assertThat(done).contains(MAKE);
        assertThat(result.outputsIdentical()).isTrue();
        assertThat(folder.resolve("data")).isEmptyDirectory();
    }

    /** A kill deletes nothing: the input is there, and half an output. */
    private Path stopAsByAKill() throws IOException {
        final Path data = folder.resolve("data");
        final Path kept = folder.resolve("kept");
        assertThatThrownBy(
                        () ->
                                new Comparison(plan(), new Mortal(100), List::of, OutputCheck.NONE)
                                        .run(
                                                SavedRuns.NONE,
                                                runs -> {
                                                    save(runs);
                                                    move(data, kept);
                                                    throw new Stop();
                                                },
                                                soFar -> {}))
                .isInstanceOf(Stop.class);
        WorkFolder.deleteTree(data);
        move(kept, data);
        final Path left = data.resolve(saved.folder());
        Files.createDirectories(left.resolve("spillway-1/_temporary"));
        return left.resolve("input");
    }

    private static void move(final Path from, final Path to) {
        try {
            Files.move(from, to);
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void refusesRunsOfAnotherPlan() {
        stopAfterTheFirstRun();

        assertThatThrownBy(
                        () ->
                                new Comparison(
                                                plan(Engine.AUTO, Engine.STOCK),
                                                new Mortal(0),
                                                List::of,
                                                OutputCheck.NONE)
                                        .run(saved, runs -> {}, soFar -> {}))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("saved run 1 is of stock in round 1: expected auto");
        final SavedRuns withoutCopy =
                new SavedRuns(saved.folder(), saved.input(), List.of(), saved.runs());
        assertThatThrownBy(() -> withoutCopy.resultOf(plan(), true))
                .hasMessageContaining("0 copies and 1 runs");
    }

    @Test
    void deletesNoFolderThatNoComparisonHasMade() {
        for (final String name :
                List.of("", "numbers", "numbers-1", "../numbers-1-a", "sort-1-a")) {
            assertThat(new SavedRuns(name, new SiteFiles.Totals(1, 1), List.of(), List.of()))
                    .matches(runs -> !runs.hasInputOf("numbers"), name);
        }
        assertThat(SavedRuns.NONE.withInput("numbers-1-a", new SiteFiles.Totals(1, 1)))
                .matches(runs -> runs.hasInputOf("numbers"));
    }

    /** What ends a comparison here. */
    private static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Jobs of which the process that runs them sees only some. */
    private final class Mortal implements Jobs {
        private final Jobs jobs = new InProcessJobs(new FolderSite(folder), RECORDS);
        private int left;

        Mortal(final int mostMeasured) {
            this.left = mostMeasured;
        }

        @Override
        public HadoopSite site() {
            return jobs.site();
        }

        @Override
        public JobFigures measure(final JobSpec spec) {
            if (left-- == 0) {
                throw new Stop();
            }
            final JobFigures figures = jobs.measure(spec);
            done.add(spec.label());
            return figures;
        }

        @Override
        public JobResult run(final JobSpec spec) {
            done.add(spec.label());
            return jobs.run(spec);
        }
    }
}
