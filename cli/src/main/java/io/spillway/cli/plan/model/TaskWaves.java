// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

/**
 * How tasks follow each other in the slots. Immutable.
 *
 * @param reduces number of reducers
 * @param smoothMapWaves maps for each slot, at least 1
 * @param mapCores cores that maps keep busy, of all hosts
 * @param reduceCores cores that reducers keep busy
 * @param mapStarts starts of maps that follow each other on a core
 * @param reduceStarts the same of reducers
 * @param reduceWaves rounds of reducers
 */
record TaskWaves(
        int reduces,
        double smoothMapWaves,
        double mapCores,
        double reduceCores,
        double mapStarts,
        double reduceStarts,
        long reduceWaves) {
    /** The waves of a job where so many hosts compute. */
    static TaskWaves of(final PlanInput input, final int computing) {
        final long slots = (long) computing * input.hosts().slots();
        final int reduces = input.job().mapOutputBytes() == 0 ? 0 : input.reducesOn(computing);
        final int beside = slotsOfReducers(input, computing, slots, reduces);
        final int mapSlots = input.hosts().slots() - beside;
        final long mapWaves = ceil(input.job().maps(), (long) computing * mapSlots);
        final long reduceWaves = reduces == 0 ? 0 : ceil(reduces, slots);
        final double reducing = Math.max(1, Math.min(reduces, slots));
        final double running =
                reduces == 0 ? 0 : Math.min(input.hosts().slots(), (double) reduces / computing);
        return new TaskWaves(
                reduces,
                Math.max(1, (double) input.job().dataBytes() / input.job().splitBytes() / slots),
                computing * Math.min(input.hosts().cores(), mapSlots),
                Math.min(computing * input.hosts().cores(), reducing),
                mapWaves * Math.max(1, tasksPerCore(input, computing, mapSlots)),
                reduceWaves * Math.max(1, running / input.hosts().cores()),
                reduceWaves);
    }

    /** Maps of a small job do not fill their slots. */
    private static double tasksPerCore(
            final PlanInput input, final int computing, final int mapSlots) {
        return Math.min(mapSlots, (double) ceil(input.job().maps(), computing))
                / input.hosts().cores();
    }

    /**
     * Slots that waiting reducers take from maps of later waves; half at most, as {@code
     * yarn.app.mapreduce.am.job.reduce.rampup.limit} has it.
     */
    private static int slotsOfReducers(
            final PlanInput input, final int computing, final long slots, final int reduces) {
        if (input.job().maps() <= slots) {
            return 0;
        }
        return (int) Math.min(ceil(reduces, computing), input.hosts().slots() / 2);
    }

    private static long ceil(final long value, final long divisor) {
        return (value + divisor - 1) / divisor;
    }
}
