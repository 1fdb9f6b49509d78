// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import java.util.List;
import java.util.Map;

/**
 * Repeats a job until it came into the situation that a test is about. Where tasks run, and which
 * of them comes first, is Hadoop's choice: not every job comes into it, but one of some does.
 */
final class Situation {
    private static final int MOST_JOBS = 6;
    private static final System.Logger LOG = System.getLogger(Situation.class.getName());

    private Situation() {}

    /** A job, and what is always to be asserted of it. */
    @FunctionalInterface
    interface Scenario {
        /** Runs the job to its end; whether it came into the situation. */
        boolean run() throws Exception;
    }

    /** What a test does to a job and its map outputs, and asserts of it. */
    @FunctionalInterface
    interface Harm {
        /** Does it while the last map is held, and lets the job end. */
        void to(RunningJob job, List<MapOutput> outputs) throws Exception;
    }

    /**
     * Runs jobs until one has come into the situation.
     *
     * @param what the situation, for the message when none has
     */
    static void await(final String what, final Scenario scenario) throws Exception {
        for (int job = 1; job <= MOST_JOBS; job++) {
            final boolean arose = scenario.run();
            LOG.log(
                    System.Logger.Level.INFO,
                    "{0}: {1} of job {2}",
                    what,
                    arose ? "the situation" : "not the situation",
                    job);
            if (arose) {
                return;
            }
        }
        throw new AssertionError("none of " + MOST_JOBS + " jobs came to: " + what);
    }

    /**
     * Runs jobs whose last map is held, until Spillway's nodes serve the outputs of so many maps:
     * one of the site's nodes is stock's, and YARN chooses where a map runs.
     */
    static void awaitOutputs(
            final FailureSite site,
            final Map<String, String> properties,
            final int least,
            final Harm harm)
            throws Exception {
        await(
                "outputs of " + least + " maps that Spillway's nodes serve",
                () -> {
                    try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
                        final List<MapOutput> outputs = job.awaitOutputsServedBySpillway();
                        if (outputs.size() >= least) {
                            harm.to(job, outputs);
                            return true;
                        }
                        job.openGate();
                        job.awaitSameOutputAsStock();
                        return false;
                    }
                });
    }
}
