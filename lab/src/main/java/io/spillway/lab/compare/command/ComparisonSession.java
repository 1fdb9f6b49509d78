// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.option.Screen;
import io.spillway.cli.place.OpenPlace;
import io.spillway.cli.report.JobReports;
import io.spillway.cli.run.MeasuredJobs;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.WorkFolder;
import io.spillway.conf.Sizes;
import io.spillway.lab.cluster.LocalCluster;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.OutputCheck;
import io.spillway.lab.compare.SavedRuns;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.place.PlaceOptions;
import io.spillway.lab.report.Machine;
import io.spillway.lab.report.PlaceFacts;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Makes comparisons at one place. Closing it ends what was started for them. */
final class ComparisonSession implements AutoCloseable {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    private final WorkFolder folder;
    private final OpenPlace open;
    private final Screen screen;
    private final PlaceOptions place;
    private final MeasuredJobs jobs;
    private final Optional<ClassData> classData;

    /**
     * Prepares comparisons at a place.
     *
     * @param shareClassData whether the jobs' JVMs get an archive of class data
     */
    ComparisonSession(
            final WorkFolder folder,
            final OpenPlace open,
            final Screen screen,
            final PlaceOptions place,
            final boolean shareClassData) {
        this.folder = folder;
        this.open = open;
        this.screen = screen;
        this.place = place;
        this.jobs = new MeasuredJobs(open.site(), screen, new JobReports(folder)::save);
        this.classData =
                shareClassData ? Optional.of(new ClassData(jobs, folder)) : Optional.empty();
    }

    /** Checks that there is room for the data of a comparison, where it lies on this host. */
    void requireSpace(final Comparison.Plan plan) {
        open.site().storage().ifPresent(storage -> Comparison.requireSpace(plan, storage));
    }

    /**
     * Says what is about to be submitted, and asks on a terminal where that is not to this machine.
     */
    void confirm(final Comparison.Plan plan) {
        final String what =
                String.format(
                        Locale.ROOT,
                        "%s of %s, %d rounds of a copy and %s, on Hadoop %s, data in %s",
                        plan.workload().label(),
                        Sizes.format(plan.bytes()),
                        plan.repeats(),
                        plan.engines().stream()
                                .map(EngineConfig::label)
                                .collect(Collectors.joining(", ")),
                        open.site().hadoopVersion(),
                        open.site().dataFolder());
        screen.note(what);
        place.confirm(open.site(), "These jobs go to the installed Hadoop");
    }

    /**
     * Runs a comparison, or what a stop has left of it.
     *
     * @param resumption keeps what has run
     * @param soFar takes the result after each run
     */
    ComparisonResult run(
            final Comparison.Plan plan,
            final Resumption resumption,
            final Consumer<ComparisonResult> soFar) {
        final SavedRuns before = resumption.begin(Conditions.of(open.site()), startedCluster());
        if (!before.isEmpty()) {
            screen.note(
                    String.format(
                            Locale.ROOT,
                            "%d of %d runs are there already",
                            before.runs().size(),
                            plan.repeats() * plan.engines().size()));
        }
        final Comparison.Plan complete = classData.map(data -> data.addTo(plan)).orElse(plan);
        return new Comparison(complete, jobs, this::sources, OutputCheck.NONE)
                .run(before, resumption::save, soFar);
    }

    /** The cluster that is stopped with this session, where there is one. */
    private Optional<String> startedCluster() {
        return open.site() instanceof LocalCluster cluster
                        && cluster.spec().name().endsWith("-" + ProcessHandle.current().pid())
                ? Optional.of(cluster.spec().name())
                : Optional.empty();
    }

    /** Everything as JSON. */
    String json(final ComparisonResult result) {
        return result.json(machine(), PlaceFacts.of(open.site()));
    }

    /** This machine, with the site's Hadoop. */
    Machine machine() {
        return Machine.of(open.site());
    }

    /**
     * The text is that of the local cluster's release; an installed one's may not be resolvable.
     */
    private List<String> sources() {
        final String version =
                open.site() instanceof InstalledHadoop
                        ? HadoopRuntime.DEFAULT_VERSION
                        : open.site().hadoopVersion();
        return HadoopRuntime.resolve(folder, version, screen::note)
                .sourceJars(screen::note)
                .stream()
                .map(Path::toString)
                .toList();
    }

    @Override
    public void close() {
        classData.ifPresent(ClassData::close);
        open.close();
    }

    /** A new name among the reports. */
    static String stamped(final String command, final Comparison.Plan plan) {
        return command
                + "-"
                + plan.workload().label()
                + "-"
                + LocalDateTime.now(ZoneId.systemDefault()).format(STAMP);
    }

    /** What was compared, and the table: the rows that matter most, or all. */
    static String table(
            final ComparisonResult result, final Machine machine, final boolean withDetails) {
        final Comparison.Plan plan = result.plan();
        return String.format(
                        Locale.ROOT,
                        "%s of %.2f GB, %d maps, %d reduces; transport %s; Hadoop"
                                + " %s, %d cores%s%s%n%n",
                        plan.workload().label(),
                        plan.bytes() / 1e9,
                        result.maps(),
                        plan.reduces(),
                        plan.transport(),
                        machine.hadoop(),
                        machine.cores(),
                        plan.sharesClassData() ? "; class data shared" : "",
                        machine.emulationNote())
                + result.table(withDetails);
    }

    /** Whether the outputs agree, in lines for a person. */
    static String verdict(final ComparisonResult result) {
        final StringBuilder text = new StringBuilder();
        result.disagreements().forEach(line -> text.append("WRONG: ").append(line).append('\n'));
        if (!result.outputsAgree()) {
            return text.append("Outputs do NOT agree.\n").toString();
        }
        return text.append("Outputs agree: ")
                .append(result.outputRecords())
                .append(" records in the same parts, sorted")
                .append(result.outputsIdentical() ? ", identical.\n" : ".\n")
                .toString();
    }
}
