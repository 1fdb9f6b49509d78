// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A job that engines are compared by: how its input is made, how it is run, and how the same data
 * is copied without a shuffle.
 *
 * <p>An implementation is public, has a public constructor without parameters, keeps no state, and
 * is named in {@code META-INF/services}; nothing else has to know it ({@link Workloads}). It loads
 * no class of Hadoop: it names programs, which run in JVMs of their own.
 */
public interface Workload {
    /**
     * The input to be made.
     *
     * @param folder where
     * @param bytes about how many
     * @param files one a map: each is one split
     * @param reduces of the job that will read it
     * @param texts gives jars with text; they may have to be fetched first
     */
    record Input(String folder, long bytes, int files, int reduces, Supplier<List<String>> texts) {}

    /** Its name on the command line and in tables: one word in lower case. */
    String label();

    /** What it does, in one phrase for the help. */
    String summary();

    /** Whether its output has as many records as its input. */
    boolean keepsRecords();

    /** The program that makes the input. */
    JobSpec generator(Input input);

    /** The job itself, with the stock engine; splits and reduces are set by the caller. */
    JobSpec job(String input, String output, int reduces);

    /** Formats and classes with which a job of maps alone reads and writes the same data. */
    Map<String, String> copyProperties();

    /** Prints the checksums of an output; fails where the output is wrong for its input. */
    JobSpec check(String input, String output);

    /** The suite of benchmarks, or the paper, that describes it. */
    String suite();

    /** Describes its jobs, in order. */
    default String chain() {
        return "1 job";
    }

    /** The properties that change it, each with its default: {@code name=value}. */
    default List<String> options() {
        return List.of();
    }
}
