// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.place.OpenPlace;
import io.spillway.cli.report.JobReports;
import io.spillway.cli.run.Jobs;
import io.spillway.cli.run.MeasuredJobs;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.WholeFile;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.OutputCheck;
import io.spillway.lab.profile.ProfiledJobs;
import io.spillway.lab.report.Machine;
import io.spillway.lab.report.PlaceFacts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Measures the cells of exhibits. Cells that need the same hosts share a cluster. It skips cells
 * that have been measured, and goes on after a cell that fails.
 */
final class ExhibitRunner {
    private final WorkFolder work;
    private final Screen screen;
    private final Function<ExhibitCell, OpenPlace> places;
    private final long intervalMillis;
    private final Map<String, List<String>> failures = new TreeMap<>();

    /**
     * Prepares the runs.
     *
     * @param places opens a place that can run a cell
     * @param intervalMillis between samples of the machine
     */
    ExhibitRunner(
            final WorkFolder work,
            final Screen screen,
            final Function<ExhibitCell, OpenPlace> places,
            final long intervalMillis) {
        this.work = work;
        this.screen = screen;
        this.places = places;
        this.intervalMillis = intervalMillis;
    }

    /** Returns the failures by exhibit. */
    Map<String, List<String>> failures() {
        return failures;
    }

    /**
     * Measures the cells that have no result yet.
     *
     * @param cells in any order
     * @param afterEach runs after each cell
     */
    void run(final List<ExhibitCell> cells, final Runnable afterEach) {
        final Map<ClusterSpec, List<ExhibitCell>> groups = new LinkedHashMap<>();
        cells.stream()
                .filter(this::isToBeMeasured)
                .forEach(
                        cell ->
                                groups.computeIfAbsent(
                                                cell.on(ClusterSpec.defaults()),
                                                key -> new ArrayList<>())
                                        .add(cell));
        final TimeLeft left = new TimeLeft(groups.values().stream().mapToInt(List::size).sum());
        groups.values().forEach(group -> run(group, left, afterEach));
    }

    /** Reports a workload that this build does not have as a failure. */
    private boolean isToBeMeasured(final ExhibitCell cell) {
        try {
            return !cell.isMeasured();
        } catch (final BadInputException e) {
            fail(cell, e);
            return false;
        }
    }

    private void run(final List<ExhibitCell> group, final TimeLeft left, final Runnable afterEach) {
        try (OpenPlace place = places.apply(group.get(0))) {
            for (final ExhibitCell cell : group) {
                screen.note(name(cell) + left.text());
                try {
                    measure(cell, place.site());
                } catch (final CommandException e) {
                    fail(cell, e);
                }
                left.oneDone();
                afterEach.run();
            }
        } catch (final CommandException e) {
            group.stream()
                    .filter(cell -> !Files.exists(cell.file()))
                    .forEach(cell -> fail(cell, e));
            afterEach.run();
        }
    }

    private static String name(final ExhibitCell cell) {
        return cell.exhibit().id() + ", " + cell.point().label();
    }

    private void fail(final ExhibitCell cell, final RuntimeException failure) {
        final String text = cell.point().label() + ": " + failure.getMessage();
        screen.note("FAILED: " + cell.exhibit().id() + ", " + text);
        failures.computeIfAbsent(cell.exhibit().id(), key -> new ArrayList<>()).add(text);
    }

    private void measure(final ExhibitCell cell, final HadoopSite site) {
        final Comparison.Plan plan = cell.plan();
        final MeasuredJobs plain = new MeasuredJobs(site, screen, new JobReports(work)::save);
        final Jobs jobs = new ProfiledJobs(plain, cell.profiles(), intervalMillis);
        final ComparisonResult result =
                new Comparison(plan, jobs, () -> sources(site), OutputCheck.NONE)
                        .run(
                                soFar ->
                                        WholeFile.write(
                                                cell.file(),
                                                soFar.json(Machine.of(site), PlaceFacts.of(site))));
        if (!result.outputsAgree()) {
            throw new CommandException("outputs differ: " + result.disagreements());
        }
    }

    private List<String> sources(final HadoopSite site) {
        return HadoopRuntime.resolve(work, site.hadoopVersion(), screen::note)
                .sourceJars(screen::note)
                .stream()
                .map(Path::toString)
                .toList();
    }

    /** Estimates the remaining time from the finished cells. */
    private static final class TimeLeft {
        private final long began = System.nanoTime();
        private final int all;
        private int done;

        TimeLeft(final int all) {
            this.all = all;
        }

        void oneDone() {
            done++;
        }

        String text() {
            final String place = " (" + (done + 1) + " of " + all;
            if (done == 0) {
                return place + ")";
            }
            final long nanos = (System.nanoTime() - began) / done * (all - done);
            return place
                    + ", about "
                    + Math.max(1, Duration.ofNanos(nanos).toMinutes())
                    + " min left)";
        }
    }
}
