// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What work costs of a processor's core, in seconds. A GB is 10^9 bytes. Immutable.
 *
 * @param mapPerGb to read, map, sort and spill, for a GB of input
 * @param reducePerGb to fetch, merge, reduce and write, for a GB of map output
 * @param servePerGb of the node that sends a GB of map output to reducers
 * @param putPerGb of the map that puts a GB into another node's memory
 * @param takePerGb of the node that takes that GB
 * @param taskSeconds to start and end a task: what its bytes do not explain
 * @param jobSeconds from the submission to the first map, in seconds of time
 * @param source where the figures are from
 */
public record CpuCosts(
        double mapPerGb,
        double reducePerGb,
        double servePerGb,
        double putPerGb,
        double takePerGb,
        double taskSeconds,
        double jobSeconds,
        String source) {
    /** Checks that no cost is negative or not a number. */
    public CpuCosts {
        Objects.requireNonNull(source, "source");
        final Map<String, Double> costs = new TreeMap<>();
        costs.put("mapPerGb", mapPerGb);
        costs.put("reducePerGb", reducePerGb);
        costs.put("servePerGb", servePerGb);
        costs.put("putPerGb", putPerGb);
        costs.put("takePerGb", takePerGb);
        costs.put("taskSeconds", taskSeconds);
        costs.put("jobSeconds", jobSeconds);
        costs.forEach(CpuCosts::requireCost);
    }

    private static void requireCost(final String name, final double cost) {
        if (!(cost >= 0) || Double.isInfinite(cost)) {
            throw new IllegalArgumentException(name + "=" + cost + ": expected 0 or more");
        }
    }

    /** The same bytes on a machine whose cores take longer by a factor; starts are as they were. */
    public CpuCosts slowedBy(final double factor, final String where) {
        return new CpuCosts(
                mapPerGb * factor,
                reducePerGb * factor,
                servePerGb * factor,
                putPerGb * factor,
                takePerGb * factor,
                taskSeconds,
                jobSeconds,
                where);
    }

    /** The same with the maps of other costs. */
    public CpuCosts withMapsOf(final CpuCosts other) {
        return new CpuCosts(
                other.mapPerGb,
                reducePerGb,
                servePerGb,
                putPerGb,
                takePerGb,
                taskSeconds,
                jobSeconds,
                source);
    }

    /** The same with other starts. */
    public CpuCosts withStarts(final double task, final double job) {
        return new CpuCosts(
                mapPerGb, reducePerGb, servePerGb, putPerGb, takePerGb, task, job, source);
    }
}
