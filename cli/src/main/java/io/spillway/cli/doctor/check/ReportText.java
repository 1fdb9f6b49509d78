// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A report for people: the worst first, what is the same on several hosts once. */
public final class ReportText {
    private static final String INDENT = "         ";

    private ReportText() {}

    /** The text, with a line end at its end. */
    public static String of(final DoctorReport report) {
        final Map<Finding, List<String>> found = new LinkedHashMap<>();
        report.findings().forEach(finding -> found.put(finding, new ArrayList<>()));
        for (final HostFindings host : report.hosts()) {
            for (final Finding finding : host.findings()) {
                found.computeIfAbsent(finding, key -> new ArrayList<>()).add(host.host());
            }
        }
        final StringBuilder text = new StringBuilder();
        found.keySet().stream()
                .sorted(Comparator.comparing(Finding::severity))
                .forEach(finding -> append(text, finding, found.get(finding)));
        return text.append(summary(report)).append('\n').toString();
    }

    private static void append(
            final StringBuilder text, final Finding finding, final List<String> hosts) {
        final String where = hosts.isEmpty() ? "" : " on " + HostNames.of(hosts);
        text.append(String.format(Locale.ROOT, "%-8s ", finding.severity()))
                .append(finding.check())
                .append(where)
                .append(": ")
                .append(finding.what())
                .append('\n');
        text.append(INDENT).append(finding.why()).append('\n');
        text.append(INDENT).append("-> ").append(finding.mend()).append('\n');
    }

    private static String summary(final DoctorReport report) {
        final long errors = report.count(Severity.ERROR);
        final long warnings = report.count(Severity.WARNING);
        final String of = report.hosts().size() == 1 ? "1 host" : report.hosts().size() + " hosts";
        return errors + warnings == 0
                ? of + ": healthy"
                : of + ": " + errors + " errors, " + warnings + " warnings";
    }
}
