package io.spillway.bench.failure;

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
}
