package io.spillway.node;

/**
 * The files of one run of a map output.
 *
 * @param runs of how many runs the map output is
 * @param data the name of the run's data file
 * @param index the name of its index
 */
record RunFiles(int runs, String data, String index) {}
