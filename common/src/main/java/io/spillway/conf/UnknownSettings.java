// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Finds properties that look like settings of Spillway and are none: mostly typing errors. */
public final class UnknownSettings {
    /** What every setting of Spillway begins with. */
    public static final String PREFIX = "spillway.";

    /** What the benchmark programs pass on to their own tasks. */
    private static final String OF_BENCHMARKS = "spillway.bench.";

    private static final Set<String> KNOWN = names();

    /** The settings that replace removed ones. */
    private static final Map<String, String> SUCCESSORS =
            Map.of(
                    "spillway.wire.seal",
                    "spillway.protection=privacy for true, authentication for false");

    /** A name further away than this is another name, not a wrong one. */
    private static final int MOST_EDITS = 6;

    private UnknownSettings() {}

    private static Set<String> names() {
        final Set<String> names = new HashSet<>();
        for (final Setting<?> setting : Settings.all()) {
            names.add(setting.name());
        }
        return names;
    }

    /** One line for each name that begins with {@value #PREFIX} and is no setting, in order. */
    public static List<String> problems(final Iterable<String> names) {
        final Set<String> unknown = new TreeSet<>();
        for (final String name : names) {
            if (name.startsWith(PREFIX)
                    && !name.startsWith(OF_BENCHMARKS)
                    && !KNOWN.contains(name)) {
                unknown.add(name);
            }
        }
        final List<String> problems = new ArrayList<>();
        for (final String name : unknown) {
            problems.add(problem(name));
        }
        return problems;
    }

    private static String problem(final String name) {
        final String successor = SUCCESSORS.get(name);
        if (successor != null) {
            return name + ": no such setting any more; write " + successor;
        }
        return name
                + ": no such setting"
                + nearest(name).map(known -> "; the nearest is " + known).orElse("");
    }

    /** The setting whose name takes the fewest edits, where that is a small part of it. */
    static Optional<String> nearest(final String name) {
        return KNOWN.stream()
                .min(
                        Comparator.<String>comparingInt(known -> edits(name, known))
                                .thenComparing(Comparator.naturalOrder()))
                .filter(known -> edits(name, known) <= MOST_EDITS);
    }

    /** The Levenshtein distance. */
    private static int edits(final String one, final String other) {
        int[] above = new int[other.length() + 1];
        for (int column = 0; column <= other.length(); column++) {
            above[column] = column;
        }
        for (int row = 1; row <= one.length(); row++) {
            final int[] line = new int[other.length() + 1];
            line[0] = row;
            for (int column = 1; column <= other.length(); column++) {
                final int change = one.charAt(row - 1) == other.charAt(column - 1) ? 0 : 1;
                line[column] =
                        Math.min(
                                above[column - 1] + change,
                                1 + Math.min(above[column], line[column - 1]));
            }
            above = line;
        }
        return above[other.length()];
    }
}
