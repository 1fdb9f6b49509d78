// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.measured;

import io.spillway.cli.plan.model.Forecast;
import io.spillway.cli.plan.model.PlanInput;
import io.spillway.cli.plan.model.PlanModel;
import io.spillway.cli.run.Engine;
import io.spillway.conf.Placement;
import java.util.Arrays;
import java.util.Optional;

/**
 * An engine of a comparison as the model knows it. Immutable.
 *
 * @param isStock whether Hadoop's own sort and shuffle run
 * @param placement of map outputs; stock Hadoop leaves them on the maps' hosts
 */
public record ModelledEngine(boolean isStock, Placement placement) {
    /** Hadoop's own sort and shuffle, with their default settings. */
    public static final ModelledEngine STOCK = new ModelledEngine(true, Placement.LOCAL);

    private static final String PROPERTY = "\\+.*placement=([a-z-]+).*";

    /** The engine that a comparison names; nothing where it is not modelled. */
    public static Optional<ModelledEngine> of(final String contender) {
        final String name = contender.replaceFirst("[@+].*", "");
        if (!Engine.labels().contains(name)) {
            return Optional.empty();
        }
        if (Engine.parse(name) == Engine.STOCK) {
            return contender.contains("+") ? Optional.empty() : Optional.of(STOCK);
        }
        return placement(contender, name).map(found -> new ModelledEngine(false, found));
    }

    private static Optional<Placement> placement(final String contender, final String name) {
        final String own = contender.replaceFirst("^[^+]*", "");
        if (own.matches(PROPERTY)) {
            return named(own.replaceFirst(PROPERTY, "$1"));
        }
        return switch (Engine.parse(name)) {
            case SPILLWAY, AUTO, STATIC, RDMA -> Optional.of(Placement.LOCAL);
            case RAMDISK -> Optional.of(Placement.RAMDISK);
            case EVERY_NODE -> Optional.of(Placement.EVERY_NODE);
            case DEDICATED -> Optional.of(Placement.DEDICATED);
            default -> Optional.empty();
        };
    }

    private static Optional<Placement> named(final String text) {
        return Arrays.stream(Placement.values())
                .filter(placement -> placement.text().equals(text))
                .findFirst();
    }

    /** Whether Spillway keeps map outputs on the maps' hosts. */
    boolean staysHere() {
        return !isStock && placement.staysHere();
    }

    /**
     * What a job takes with this engine.
     *
     * @param input with the costs of this engine
     * @param computing hosts that run tasks
     * @param memoryNodes that the hosts have beside; those that stay here use none
     */
    public Forecast forecast(final PlanInput input, final int computing, final int memoryNodes) {
        return isStock
                ? PlanModel.stock(input, computing)
                : PlanModel.forecast(
                        input, placement, computing, placement.staysHere() ? 0 : memoryNodes);
    }
}
