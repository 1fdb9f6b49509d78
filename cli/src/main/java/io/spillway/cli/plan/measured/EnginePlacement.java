// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.measured;

import io.spillway.cli.run.Engine;
import io.spillway.conf.Placement;
import java.util.Arrays;
import java.util.Optional;

/** Which placement an engine of a comparison has, as far as the model knows the engine. */
final class EnginePlacement {
    private static final String PROPERTY = "\\+.*placement=([a-z-]+).*";

    private EnginePlacement() {}

    /** The placement of an engine, as a comparison names it; nothing where it is not modelled. */
    static Optional<Placement> of(final String contender) {
        final String name = contender.replaceFirst("[@+].*", "");
        if (!Engine.labels().contains(name)) {
            return Optional.empty();
        }
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
}
