// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.cli.plan.measured.Calibration;
import io.spillway.cli.plan.measured.DefaultCosts;
import io.spillway.cli.plan.model.CpuCosts;
import io.spillway.cli.plan.model.Forecast;
import io.spillway.cli.plan.model.PlanInput;
import io.spillway.cli.plan.model.PlanModel;
import io.spillway.cli.run.Engine;
import io.spillway.conf.Placement;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The time that the jobs of an exhibit take on the paper's hosts with the paper's data, as the
 * model of {@code spillway plan} expects it: what one machine cannot measure. A core costs what one
 * of this project's machine does. Immutable.
 */
final class PaperModel {
    private static final double GIGA = 1e9;

    private final Exhibit exhibit;
    private final PaperScale paper;

    /**
     * Creates the model of an exhibit.
     *
     * @param paper the hosts of its paper
     */
    PaperModel(final Exhibit exhibit, final PaperScale paper) {
        this.exhibit = exhibit;
        this.paper = paper;
    }

    /** Returns the points that the model knows: those of a job's time, where costs are known. */
    List<Exhibit.Point> points() {
        final Exhibit.Kind kind = exhibit.chart().kind();
        return kind != Exhibit.Kind.JOB_TIME && kind != Exhibit.Kind.PHASES
                ? List.of()
                : exhibit.chart().points().stream().filter(this::isKnown).toList();
    }

    private boolean isKnown(final Exhibit.Point point) {
        final String workload = exhibit.setup().with(point.setup()).workload();
        return DefaultCosts.of(workload, true).isPresent();
    }

    /** Returns the paper's hosts at a point. */
    PaperScale scale(final Exhibit.Point point) {
        return paper.with(exhibit.scale()).with(point.scale());
    }

    /** Returns the expected seconds; nothing where the model does not know the system. */
    OptionalDouble seconds(final Exhibit.Point point, final Exhibit.Series series) {
        if (!points().contains(point) || !Engine.labels().contains(series.engine())) {
            return OptionalDouble.empty();
        }
        final PaperScale scale = scale(point);
        final Jobs jobs = new Jobs(point, scale);
        return switch (Engine.parse(series.engine())) {
            case STOCK, STOCK_LUSTRE -> jobs.stock(true);
            case CENTRAL_DISK -> jobs.stock(false);
            case RDMA, LUSTRE_RDMA -> jobs.streamed();
            case SPILLWAY, LUSTRE -> jobs.placed(Placement.LOCAL, 0);
            case AUTO -> jobs.placed(Placement.AUTO, scale.memoryNodes());
            case RAMDISK -> jobs.placed(Placement.RAMDISK, 0);
            case EVERY_NODE -> jobs.placed(Placement.EVERY_NODE, 0);
            case DEDICATED -> jobs.placed(Placement.DEDICATED, scale.memoryNodes());
            default -> OptionalDouble.empty();
        };
    }

    /** The jobs of a point. */
    private final class Jobs {
        private final PaperScale scale;
        private final Calibration spillway;
        private final CpuCosts stock;
        private final PlanInput.Job job;

        Jobs(final Exhibit.Point point, final PaperScale scale) {
            final String workload = exhibit.setup().with(point.setup()).workload();
            this.scale = scale;
            this.spillway = DefaultCosts.of(workload, false).orElseThrow().calibration();
            this.stock =
                    DefaultCosts.of(workload, true)
                            .orElseThrow()
                            .calibration()
                            .costsOnMachineOf(spillway);
            this.job =
                    new PlanInput.Job(
                            Math.round(point.gigabytes() * GIGA),
                            spillway.ratio(),
                            spillway.outputRatio(),
                            scale.splitBytes(),
                            scale.reduces(),
                            1);
        }

        /** Returns nothing where map outputs have no disk to lie on. */
        OptionalDouble stock(final boolean hasDisk) {
            if (!hasDisk && !scale.hasShared()) {
                return OptionalDouble.empty();
            }
            final int computing = scale.computing();
            final PlanInput.Hosts hosts = scale.planned(computing, true, hasDisk);
            return seconds(PlanModel.stock(new PlanInput(job, hosts, stock), computing));
        }

        OptionalDouble streamed() {
            final int computing = scale.computing();
            final PlanInput.Hosts hosts = scale.planned(computing, false, true);
            final CpuCosts costs = spillway.costs().withMapsOf(stock);
            return seconds(PlanModel.streamed(new PlanInput(job, hosts, costs), computing));
        }

        OptionalDouble placed(final Placement placement, final int nodes) {
            final int computing = nodes == 0 ? scale.computing() : scale.hosts();
            final PlanInput.Hosts hosts = scale.planned(computing + nodes, false, true);
            final PlanInput input = new PlanInput(job, hosts, spillway.costs());
            return seconds(PlanModel.forecast(input, placement, computing, nodes));
        }

        /** Returns nothing where map outputs have no room. */
        private static OptionalDouble seconds(final Forecast forecast) {
            return forecast.layout().fits()
                    ? OptionalDouble.of(forecast.seconds())
                    : OptionalDouble.empty();
        }
    }
}
