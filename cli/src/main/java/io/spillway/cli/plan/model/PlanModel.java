// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

import io.spillway.conf.Placement;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Computes what a job takes. Two pipelines follow each other: maps, which put or spill while they
 * sort and whose outputs are fetched as far as reducers have memory; then the rest of the fetch,
 * which merges and reduces as it comes. Each takes as long as its busiest resource, and the starts
 * of its tasks. After the stand-in of ICPP'14's model, with memory nodes. docs/plan.md has the
 * formulas. Immutable; one object for one forecast.
 */
public final class PlanModel {
    private static final double GIGA = 1e9;

    /** A reducer's buffer by default, of its heap: {@code spillway.shuffle.buffer.bytes}. */
    private static final double BUFFER_SHARE = 0.35;

    private final PlanInput input;
    private final CpuCosts costs;
    private final Placement placement;
    private final int computing;
    private final int nodes;
    private final OutputLayout layout;
    private final DiskPasses passes;
    private final TaskWaves waves;
    private final Fetch early;
    private final Fetch late;

    private PlanModel(
            final PlanInput input,
            final Placement placement,
            final int computing,
            final int nodes,
            final Shuffle shuffle) {
        this.input = input;
        this.costs = input.costs();
        this.placement = placement;
        this.computing = computing;
        this.nodes = nodes;
        this.waves = TaskWaves.of(input, computing);
        final double before = input.job().mapOutputBytes() * (1 - 1 / waves.smoothMapWaves());
        this.layout =
                shuffle == Shuffle.SPILLWAY
                        ? OutputLayout.of(input, placement, computing, nodes)
                        : OutputLayout.onDisk(input, computing);
        this.early = early(shuffle == Shuffle.STOCK ? before : Math.min(buffers(), before));
        this.passes =
                switch (shuffle) {
                    case SPILLWAY -> DiskPasses.ONE;
                    case STREAMED -> DiskPasses.ofStreamed(input, computing);
                    case STOCK -> DiskPasses.ofStock(input, computing, waves.reduces(), before);
                };
        this.late =
                new Fetch(layout.localBytes() - early.local(), layout.nodeBytes() - early.nodes());
    }

    /**
     * What a job takes.
     *
     * @param computing hosts that run tasks, at least one
     * @param nodes memory nodes
     */
    public static Forecast forecast(
            final PlanInput input,
            final Placement placement,
            final int computing,
            final int nodes) {
        return new PlanModel(input, placement, computing, nodes, Shuffle.SPILLWAY).forecast();
    }

    /**
     * What a job takes with Hadoop's own sort and shuffle and their default settings. Map outputs
     * lie on the maps' hosts, and reducers write what they fetch to disk before they reduce it.
     *
     * @param input with the costs of stock Hadoop
     * @param computing hosts that run tasks, at least one
     */
    public static Forecast stock(final PlanInput input, final int computing) {
        return new PlanModel(input, Placement.LOCAL, computing, 0, Shuffle.STOCK).forecast();
    }

    /**
     * What a job takes with Hadoop's own sort and a shuffle that keeps in memory what it fetches,
     * as the published designs over RDMA (HPDIC 2013, HOMR).
     *
     * @param input with the costs of stock Hadoop's maps, and of Spillway's reducers
     * @param computing hosts that run tasks, at least one
     */
    public static Forecast streamed(final PlanInput input, final int computing) {
        return new PlanModel(input, Placement.LOCAL, computing, 0, Shuffle.STREAMED).forecast();
    }

    private Forecast forecast() {
        final List<PhaseTime> phases =
                List.of(
                        new PhaseTime("job start", costs.jobSeconds(), Map.of()),
                        maps(),
                        reduces());
        final double seconds =
                layout.fits()
                        ? phases.stream().mapToDouble(PhaseTime::total).sum()
                        : Double.POSITIVE_INFINITY;
        return new Forecast(nodes, computing, placement, layout, seconds, phases);
    }

    /**
     * Bytes that reducers fetch in one phase.
     *
     * @param local from the maps' hosts
     * @param nodes from the memory of node processes
     */
    private record Fetch(double local, double nodes) {}

    /** What reducers of Spillway hold before they reduce: they fetch no more while maps run. */
    private double buffers() {
        return waves.reduces() * BUFFER_SHARE * input.hosts().heapBytes();
    }

    /** From the maps' hosts first, so that more data never makes less for the nodes to do late. */
    private Fetch early(final double bytes) {
        final double local = Math.min(layout.localBytes(), bytes);
        return new Fetch(local, Math.min(layout.nodeBytes(), bytes - local));
    }

    // ---- maps ----------------------------------------------------------------------------------

    private PhaseTime maps() {
        final Map<Bottleneck, Double> busy = new EnumMap<>(Bottleneck.class);
        final double puts = layout.nodeBytes() * layout.copies();
        final double work =
                gigas((double) input.job().dataBytes()) * costs.mapPerGb()
                        + gigas(puts) * costs.putPerGb();
        busy.put(
                Bottleneck.CPU,
                (work + nodesWork(puts, early) + gigas(early.local()) * costs.servePerGb())
                        / waves.mapCores());
        final double split = Math.min(input.job().splitBytes(), input.job().dataBytes());
        busy.put(Bottleneck.TASK, work * split / input.job().dataBytes());
        final double read = input.hosts().hasShared() ? input.job().dataBytes() : 0;
        addLinks(busy, puts, early, read, layout.sharedBytes() * passes.maps());
        addDisks(busy, (double) input.job().dataBytes(), passes.maps());
        return new PhaseTime("map, put and spill", waves.mapStarts() * costs.taskSeconds(), busy);
    }

    // ---- shuffle and reduce --------------------------------------------------------------------

    private PhaseTime reduces() {
        if (input.job().mapOutputBytes() == 0) {
            return new PhaseTime("fetch, merge and reduce", 0, Map.of());
        }
        final Map<Bottleneck, Double> busy = new EnumMap<>(Bottleneck.class);
        final double work = gigas(input.job().mapOutputBytes()) * costs.reducePerGb();
        busy.put(
                Bottleneck.CPU,
                (work + nodesWork(0, late) + gigas(late.local()) * costs.servePerGb())
                        / waves.reduceCores());
        busy.put(Bottleneck.TASK, work / waves.reduces() * waves.reduceWaves());
        final double written = input.hosts().hasShared() ? input.job().outputBytes() : 0;
        addLinks(busy, 0, late, 0, written);
        addDisks(busy, input.job().outputBytes(), passes.reduces());
        return new PhaseTime(
                "fetch, merge and reduce", waves.reduceStarts() * costs.taskSeconds(), busy);
    }

    // ---- resources of both ---------------------------------------------------------------------

    /** The share of what is put that hosts that compute take. */
    private double computingShare() {
        return placement == Placement.EVERY_NODE ? (double) computing / (computing + nodes) : 0;
    }

    /** What those node processes work whose cores are the tasks' cores. */
    private double nodesWork(final double puts, final Fetch fetch) {
        final double counted = input.hosts().oneMachine() ? 1 : computingShare();
        return counted * nodeSeconds(puts, fetch);
    }

    private double nodeSeconds(final double puts, final Fetch fetch) {
        return gigas(puts) * costs.takePerGb() + gigas(fetch.nodes()) * costs.servePerGb();
    }

    /**
     * Adds how long links and the cores of memory nodes are busy.
     *
     * @param puts bytes that maps put, all copies
     * @param fetch what reducers fetch
     * @param read bytes that come over links beside
     * @param written bytes that leave over links beside
     */
    private void addLinks(
            final Map<Bottleneck, Double> busy,
            final double puts,
            final Fetch fetch,
            final double read,
            final double written) {
        final double kept = computingShare();
        final double others = kept > 0 ? away(computing + nodes) : 1;
        final double served = fetch.local() + fetch.nodes() * kept;
        final double out = puts * others + served * away(computing) + written;
        final double in =
                puts * kept * others
                        + fetch.local() * away(computing)
                        + fetch.nodes() * others
                        + fetch.local() * layout.sharedShare()
                        + read;
        busy.put(Bottleneck.LINK, Math.max(out, in) / computing / input.hosts().linkRate());
        if (nodes > 0) {
            final double most = Math.max(puts, fetch.nodes()) * (1 - kept) / nodes;
            busy.put(Bottleneck.NODE_LINK, most / input.hosts().linkRate());
            busy.put(Bottleneck.NODE_CPU, nodeCpu(puts, fetch, 1 - kept));
        }
    }

    private double nodeCpu(final double puts, final Fetch fetch, final double share) {
        return input.hosts().oneMachine()
                ? 0
                : share * nodeSeconds(puts, fetch) / (nodes * input.hosts().cores());
    }

    /** The share of evenly spread bytes that belongs to another of so many hosts. */
    private static double away(final int hosts) {
        return 1 - 1.0 / hosts;
    }

    /**
     * Adds how long disks are busy with input or output, and with map outputs that lie there.
     *
     * @param moved how often those outputs are written or read in the phase
     */
    private void addDisks(
            final Map<Bottleneck, Double> busy, final double data, final double moved) {
        if (input.hosts().hasDisk()) {
            final double own = layout.diskBytes() * moved + (input.hosts().hasShared() ? 0 : data);
            busy.put(Bottleneck.DISK, own / computing / input.hosts().diskRate());
        }
        if (input.hosts().hasShared()) {
            busy.put(
                    Bottleneck.SHARED_DISK,
                    (layout.sharedBytes() * moved + data) / input.hosts().sharedRate());
        }
    }

    private static double gigas(final double bytes) {
        return bytes / GIGA;
    }
}
