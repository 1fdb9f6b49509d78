// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.run.Engine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether the properties of jobs name Spillway's classes, and name them rightly. */
final class PropertiesCheck implements Check {
    private static final String OURS = "io.spillway.";
    private static final String COLLECTOR = "mapreduce.job.map.output.collector.class";
    private static final String SHUFFLE = "mapreduce.job.reduce.shuffle.consumer.plugin.class";
    private static final String NOT_SET = "spillway conf --for mapred prints the properties";

    private final SiteFacts site;

    PropertiesCheck(final SiteFacts site) {
        this.site = site;
    }

    @Override
    public String name() {
        return "properties";
    }

    @Override
    public List<Finding> look() {
        final List<Finding> findings = new ArrayList<>();
        final boolean hasCollector = names(COLLECTOR);
        final boolean hasShuffle = names(SHUFFLE);
        wrongName(COLLECTOR).ifPresent(findings::add);
        wrongName(SHUFFLE).ifPresent(findings::add);
        if (!findings.isEmpty()) {
            return findings;
        }
        if (hasCollector != hasShuffle) {
            findings.add(
                    Finding.warning(
                            (hasCollector ? SHUFFLE : COLLECTOR)
                                    + " does not name Spillway's class",
                            "half of a job is Spillway's, the other half is Hadoop's own",
                            NOT_SET));
        } else if (!hasCollector) {
            findings.add(
                    Finding.note(
                            "jobs use Hadoop's own shuffle unless they set " + COLLECTOR,
                            "nothing turns Spillway on for all jobs",
                            NOT_SET));
        } else if (site.list(COLLECTOR).size() == 1) {
            findings.add(
                    Finding.warning(
                            COLLECTOR + " names Spillway's class alone",
                            "a job that it cannot serve fails instead of taking Hadoop's own",
                            "set it to " + Engine.SPILLWAY.jobProperties().get(COLLECTOR)));
        }
        return findings;
    }

    private boolean names(final String property) {
        return site.list(property).contains(expected(property));
    }

    private static String expected(final String property) {
        return Engine.SPILLWAY.jobProperties().get(property).split(",", -1)[0];
    }

    private Optional<Finding> wrongName(final String property) {
        return site.list(property).stream()
                .filter(name -> name.startsWith(OURS) && !name.equals(expected(property)))
                .findFirst()
                .map(
                        name ->
                                Finding.error(
                                        property + " names " + name + ": no such class",
                                        "every task of a job with it fails",
                                        "set it to "
                                                + Engine.SPILLWAY.jobProperties().get(property)));
    }
}
