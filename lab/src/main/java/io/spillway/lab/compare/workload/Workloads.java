// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.failure.BadInputException;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** The registered workloads, in the order of registration, then those of the suites. */
public final class Workloads {
    private Workloads() {}

    /**
     * The workload of a name.
     *
     * @throws BadInputException when there is none; the message has the names of all
     */
    public static Workload named(final String name) {
        final String label = name.toLowerCase(Locale.ROOT);
        return all().stream()
                .filter(workload -> workload.label().equals(label))
                .findFirst()
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "workload '" + name + "': expected one of " + labels()));
    }

    /** The names of all, as a sentence lists them: {@code a, b or c}. */
    public static String choices() {
        final List<String> labels = labels();
        final int last = labels.size() - 1;
        return last == 0
                ? labels.get(0)
                : String.join(", ", labels.subList(0, last)) + " or " + labels.get(last);
    }

    private static List<String> labels() {
        return all().stream().map(Workload::label).toList();
    }

    /** Returns all workloads. */
    public static List<Workload> all() {
        return Stream.concat(
                        ServiceLoader.load(Workload.class).stream()
                                .map(ServiceLoader.Provider::get),
                        SuiteWorkload.all().stream())
                .toList();
    }
}
