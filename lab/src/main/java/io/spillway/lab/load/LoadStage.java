// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.load;

/** What the tasks do, in the order in which they do it. */
enum LoadStage {
    /** Each map puts an output and commits it. */
    MAPS_PUT("maps put"),
    /** Each reducer fetches its segment of each of these outputs. */
    REDUCERS_FETCH("reducers fetch"),
    /** Few outputs of very many segments are put and committed. */
    LONG_OUTPUTS("long outputs put"),
    /** Very many reducers fetch their segments of them, in the order of their numbers. */
    TURNS_OF_MEMORY("turns, memory"),
    /** The same of outputs on disk, whose indices do not fit the node's memory for them. */
    TURNS_OF_DISK("turns, disk"),
    /** The same for a tenth of the reducers, in random order. */
    RANDOM_OF_DISK("random, disk");

    /** Of the reducers in turns, so many are one in random order. */
    static final int RANDOM_PART = 10;

    private final String label;

    LoadStage(final String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** How many tasks there are. */
    int tasks(final LoadPlan plan) {
        return switch (this) {
            case MAPS_PUT -> plan.maps();
            case REDUCERS_FETCH -> plan.reducers();
            case LONG_OUTPUTS -> LoadPlan.LONG_OUTPUTS;
            case TURNS_OF_MEMORY, TURNS_OF_DISK -> plan.turns();
            case RANDOM_OF_DISK -> Math.max(1, plan.turns() / RANDOM_PART);
        };
    }
}
