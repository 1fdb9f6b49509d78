// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Finds what should be the same on all hosts and is not. */
public final class Differences {
    private Differences() {}

    /** One finding for each fact of which hosts have different values; some may have none. */
    public static List<Finding> among(final List<HostFindings> hosts) {
        final Set<String> names = new TreeSet<>();
        hosts.forEach(host -> names.addAll(host.facts().keySet()));
        final List<Finding> findings = new ArrayList<>();
        for (final String name : names) {
            final Map<String, List<String>> byValue = new TreeMap<>();
            for (final HostFindings host : hosts) {
                Optional.ofNullable(host.facts().get(name))
                        .ifPresent(
                                value ->
                                        byValue.computeIfAbsent(value, key -> new ArrayList<>())
                                                .add(host.host()));
            }
            if (byValue.size() > 1) {
                findings.add(differ(name, byValue).by("same-everywhere"));
            }
        }
        return findings;
    }

    private static Finding differ(final String name, final Map<String, List<String>> byValue) {
        final String what =
                "hosts differ in "
                        + name
                        + ": "
                        + byValue.entrySet().stream()
                                .map(
                                        entry ->
                                                entry.getKey()
                                                        + " on "
                                                        + HostNames.of(entry.getValue()))
                                .collect(Collectors.joining("; "));
        if (name.equals(HostFindings.SHARED_DIRECTORY)) {
            return Finding.warning(
                    what,
                    "reducers find outputs only in the directory of their own host's setting",
                    "set spillway.store.lustre.dir to the same path everywhere");
        }
        return Finding.warning(
                what,
                "an upgrade has not been finished: reducers and nodes agree on the older version,"
                        + " or on stock HTTP",
                "install the same everywhere (docs/operating.md, Upgrading)");
    }
}
