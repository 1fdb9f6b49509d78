// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Optional;

/** Whether this host has UCX. */
public final class Ucx {
    private Ucx() {}

    /** Skips what needs UCX where it is missing. */
    public static void require() {
        final Optional<String> obstacle = new UcxProvider().obstacle(name -> null);
        assumeTrue(obstacle.isEmpty(), obstacle.orElse(""));
    }
}
