// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.SiteFiles.Totals;
import io.spillway.lab.engine.EngineConfig;
import java.util.List;

/**
 * What a comparison has when it is stopped, and begins with when it goes on. Immutable.
 *
 * @param folder the name of the folder that holds its input, among the site's data; empty before
 *     there is one
 * @param input what the input was when it was made
 * @param copies the job without a shuffle, one of each round
 * @param runs every counted run, in the order they were made
 */
public record SavedRuns(
        String folder, Totals input, List<JobFigures> copies, List<EngineRun> runs) {
    /** Before the first run. */
    public static final SavedRuns NONE = new SavedRuns("", new Totals(0, 0), List.of(), List.of());

    /** Copies what is mutable. */
    public SavedRuns {
        copies = List.copyOf(copies);
        runs = List.copyOf(runs);
    }

    /** Whether nothing has been measured. */
    @JsonIgnore
    public boolean isEmpty() {
        return runs.isEmpty();
    }

    /** The same with an input that was made anew. */
    SavedRuns withInput(final String name, final Totals totals) {
        return new SavedRuns(name, totals, copies, runs);
    }

    /** The same with the runs of a result. */
    SavedRuns with(final ComparisonResult result) {
        return new SavedRuns(folder, input, result.copies(), result.runs());
    }

    /**
     * Whether its folder bears the name of one that a comparison makes: the name is read from a
     * file, and the folder is deleted.
     */
    boolean hasInputOf(final String workload) {
        return folder.startsWith(workload + "-")
                && folder.substring(workload.length()).matches("-\\d+-[0-9a-z]+");
    }

    /**
     * The result so far.
     *
     * @throws BadInputException where the runs are not the first ones of the plan
     */
    ComparisonResult resultOf(final Comparison.Plan plan, final boolean outputOnLocalFiles) {
        final int engines = plan.engines().size();
        for (int index = 0; index < runs.size(); index++) {
            final EngineConfig expected = plan.engines().get(index % engines);
            final EngineRun run = runs.get(index);
            if (!run.engine().equals(expected) || run.repeat() != index / engines + 1) {
                throw new BadInputException(
                        "saved run "
                                + (index + 1)
                                + " is of "
                                + run.engine().label()
                                + " in round "
                                + run.repeat()
                                + ": expected "
                                + expected.label()
                                + " in round "
                                + (index / engines + 1));
            }
        }
        if (copies.size() != (runs.size() + engines - 1) / engines
                || runs.size() > plan.repeats() * engines) {
            throw new BadInputException(
                    copies.size()
                            + " copies and "
                            + runs.size()
                            + " runs are saved: expected one copy for each round of "
                            + engines
                            + " runs, at most "
                            + plan.repeats()
                            + " rounds");
        }
        return new ComparisonResult(plan, copies, runs, outputOnLocalFiles);
    }
}
