// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.cluster.LocalCluster;
import io.spillway.lab.compare.ResumeFile;
import io.spillway.lab.compare.SavedRuns;
import io.spillway.lab.process.CommandOwner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Lets one comparison go on after a stop: keeps its runs in a file, and refuses to mix them with
 * runs of another build, with other options, or of another machine or cluster. Not thread-safe.
 */
final class Resumption {
    private static final String NONE = "none";

    private final ResumeFile file;
    private final Map<String, String> options;
    private final Optional<ResumeFile.Content> before;
    private Map<String, String> site = Map.of();
    private Optional<String> cluster = Optional.empty();

    private Resumption(
            final ResumeFile file,
            final Map<String, String> options,
            final Optional<ResumeFile.Content> before) {
        this.file = file;
        this.options = new TreeMap<>(options);
        this.before = before;
    }

    /**
     * Looks at what a stopped comparison has left beside its results, before anything starts.
     *
     * @param results the file of the results
     * @param resume whether to go on with it
     * @param options what the comparison is asked to do, by which build and on which machine
     * @throws BadInputException where it is not to go on and something was left, where the
     *     comparison still runs, or where what was left is of another one
     */
    static Resumption of(
            final Path results, final boolean resume, final Map<String, String> options) {
        final ResumeFile file = new ResumeFile(results);
        if (!resume) {
            requireNothingLeft(file, results);
            return new Resumption(file, options, Optional.empty());
        }
        final Optional<ResumeFile.Content> left = file.read();
        if (left.isEmpty() && Files.exists(results)) {
            throw new BadInputException(
                    "--resume: "
                            + results
                            + " is there without the file "
                            + file.path()
                            + " that a stopped comparison leaves; leave out --resume to measure"
                            + " anew");
        }
        final Resumption resumption = new Resumption(file, options, left);
        resumption.requireItIsOver();
        resumption.requireSame(left.map(ResumeFile.Content::options), options);
        return resumption;
    }

    private static void requireNothingLeft(final ResumeFile file, final Path results) {
        if (Files.exists(file.path())) {
            throw new BadInputException(
                    "--out "
                            + results
                            + ": a stopped comparison has left "
                            + file.path()
                            + "; --resume goes on with it, deleting that file begins anew");
        }
    }

    private void requireItIsOver() {
        before.map(ResumeFile.Content::owner)
                .filter(CommandOwner::livesElsewhere)
                .ifPresent(
                        owner -> {
                            throw new BadInputException(
                                    "--resume: the comparison of "
                                            + file.path()
                                            + " still runs, as process "
                                            + owner.pid());
                        });
    }

    private void requireSame(
            final Optional<Map<String, String>> then, final Map<String, String> now) {
        final Map<String, String> known = then.orElse(now);
        final TreeSet<String> names = new TreeSet<>(known.keySet());
        names.addAll(now.keySet());
        final String differences =
                names.stream()
                        .filter(name -> !value(known, name).equals(value(now, name)))
                        .map(name -> name + " " + value(known, name) + " -> " + value(now, name))
                        .collect(Collectors.joining("; "));
        if (!differences.isEmpty()) {
            throw new BadInputException(
                    "--resume: runs of different conditions must not be mixed, and since those of "
                            + file.path()
                            + " this has changed: "
                            + differences
                            + ". Go on as it was begun, or delete that file to begin anew");
        }
    }

    private static String value(final Map<String, String> conditions, final String name) {
        return conditions.getOrDefault(name, NONE);
    }

    /** Stops the local cluster that was started for the comparison, where a kill has left it. */
    void stopLeftCluster(final WorkFolder folder, final Screen screen) {
        before.map(ResumeFile.Content::cluster)
                .flatMap(name -> LocalCluster.attach(folder, name))
                .ifPresent(
                        left -> {
                            screen.note(
                                    "Stopping the cluster that was left: " + left.spec().name());
                            left.stop(false);
                        });
    }

    /**
     * The runs to begin with.
     *
     * @param ranOn what the jobs run on, by name
     * @param startedCluster the local cluster that was started for them
     * @throws BadInputException where former jobs ran on something else
     */
    SavedRuns begin(final Map<String, String> ranOn, final Optional<String> startedCluster) {
        requireSame(before.map(ResumeFile.Content::site), ranOn);
        site = new TreeMap<>(ranOn);
        cluster = startedCluster;
        return before.map(ResumeFile.Content::saved).orElse(SavedRuns.NONE);
    }

    /** Keeps the runs to begin with after a stop. */
    void save(final SavedRuns runs) {
        file.write(ResumeFile.Content.of(options, site, cluster, runs));
    }

    /** The comparison has come to its end. */
    void end() {
        file.delete();
    }
}
