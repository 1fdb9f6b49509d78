// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.place.OpenPlace;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.place.ClusterOptions;
import io.spillway.lab.place.PlaceOptions;
import io.spillway.lab.place.Sites;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures tables and figures of papers, and shows the results beside the papers' numbers. */
@Command(
        name = "exhibit",
        mixinStandardHelpOptions = true,
        description = {
            "Measures tables and figures of papers: same axes, same systems, at the size"
                    + " that a machine allows. Writes pages with the plots, the"
                    + " papers' numbers beside the measured ones, the differences, and raw files.",
            "",
            "On one machine each exhibit gets the local cluster that it needs: emulated hosts,"
                    + " memory nodes, a distributed file system. The size is that of an exhibit's"
                    + " largest input; its other inputs have the paper's proportions.",
            "",
            "Points that have been measured are not measured again: the same command resumes after"
                + " a stop. Exit code 1 when outputs differ or a point failed; the other points are"
                + " measured all the same.",
        },
        footer = {
            "",
            "Examples:",
            "  spillway exhibit --list",
            "  spillway exhibit rdma-fig4a nvm-fig4b --size medium",
            "  spillway exhibit --all --size small --out report",
            "  spillway exhibit --all --out report --draw-only"
        })
public final class ExhibitCommand implements Callable<Integer> {
    private static final int MILLIS = 1000;

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;
    @Mixin private PlaceOptions place;

    @Parameters(paramLabel = "ID", arity = "0..*", description = "Exhibits, as rdma-fig4a.")
    private List<String> ids = List.of();

    @Option(names = "--all", description = "All exhibits.")
    private boolean all;

    @Option(names = "--list", description = "Prints the ids of all exhibits, and ends.")
    private boolean list;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "small",
            description =
                    "Input of an exhibit's largest job: small (128m, jobs with few tasks, only"
                            + " points with numbers of the paper), medium (1g), or a size, as"
                            + " 512m (default: ${DEFAULT-VALUE}).")
    private String size;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "1",
            description = "Runs of each engine (default: ${DEFAULT-VALUE}).")
    private int repeat;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "Time between samples of the machine (default: ${DEFAULT-VALUE}).")
    private int interval;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Folder of pages and data (default: exhibits among the reports).")
    private Path folder;

    @Option(names = "--draw-only", description = "Runs no jobs: draws the results that exist.")
    private boolean drawOnly;

    @Option(names = "--keep-logs", description = "Leaves the logs of clusters started for this.")
    private boolean keepLogs;

    @Override
    public Integer call() {
        final Exhibits exhibits = Exhibits.load();
        final PrintWriter out = spec.commandLine().getOut();
        if (list) {
            exhibits.exhibits()
                    .forEach(
                            exhibit ->
                                    out.printf(
                                            Locale.ROOT,
                                            "%-14s %s: %s%n",
                                            exhibit.id(),
                                            exhibit.origin().figure(),
                                            exhibit.origin().title()));
            out.flush();
            return 0;
        }
        final List<Exhibit> chosen = chosen(exhibits);
        final ExhibitCell.Extent extent = ExhibitCell.Extent.of(size, repeat);
        final WorkFolder workFolder = work.folder();
        final Path target =
                folder == null ? workFolder.reports().resolve("exhibits") : folder.toAbsolutePath();
        final ExhibitReport report = new ExhibitReport(exhibits, target, extent);
        final ExhibitRunner runner = runner(workFolder);
        if (!drawOnly) {
            final Set<ExhibitCell> cells = new LinkedHashSet<>();
            chosen.stream()
                    .flatMap(exhibit -> exhibits.sourcesOf(exhibit).stream())
                    .forEach(exhibit -> cells.addAll(report.cells(exhibit)));
            runner.run(List.copyOf(cells), () -> report.write(runner.failures()));
        }
        out.println("Pages: " + report.write(runner.failures()));
        out.flush();
        return runner.failures().isEmpty() ? 0 : 1;
    }

    private List<Exhibit> chosen(final Exhibits exhibits) {
        if (all == !ids.isEmpty()) {
            throw new BadInputException(
                    "expected either --all or ids of exhibits; --list prints them");
        }
        return all ? exhibits.exhibits() : ids.stream().map(exhibits::named).toList();
    }

    private ExhibitRunner runner(final WorkFolder workFolder) {
        if (interval < 1) {
            throw new BadInputException("--interval " + interval + ": expected at least 1");
        }
        final Screen screen = Screen.of(spec);
        return new ExhibitRunner(
                workFolder,
                screen,
                cell -> open(workFolder, screen, cell),
                (long) interval * MILLIS);
    }

    /** An installed cluster is used as it is. */
    private OpenPlace open(
            final WorkFolder workFolder, final Screen screen, final ExhibitCell cell) {
        final Sites sites = new Sites(workFolder, screen);
        if (isInstalled(workFolder)) {
            final OpenPlace installed =
                    sites.open(
                            PlaceOptions.Place.INSTALLED,
                            ClusterSpec.DEFAULT_NAME,
                            new ClusterOptions(),
                            "exhibit",
                            cluster -> cluster,
                            keepLogs);
            place.confirm(installed.site(), "These jobs go to the installed Hadoop");
            return installed;
        }
        return sites.startNew(new ClusterOptions(), "exhibit", cell::on, keepLogs);
    }

    private boolean isInstalled(final WorkFolder workFolder) {
        return switch (place.place()) {
            case LOCAL -> false;
            case INSTALLED -> true;
            case AUTO ->
                    InstalledHadoop.find(workFolder, PlugIn.ofThisBuild(), System.getenv())
                            .isPresent();
        };
    }
}
