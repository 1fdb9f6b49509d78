package io.spillway.transport.ucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Optional;

/** Whether this host has UCX. */
final class Ucx {
    private static final String REQUIRED = "spillway.test.ucx.required";
    private static final String REQUIRED_VARIABLE = "SPILLWAY_TEST_UCX_REQUIRED";

    private Ucx() {}

    /**
     * Skips what needs UCX where it is missing; fails it where a property or the environment says
     * that it is not.
     */
    static void require() {
        final Optional<String> obstacle = new UcxProvider().obstacle(name -> null);
        if (Boolean.getBoolean(REQUIRED)
                || Boolean.parseBoolean(System.getenv(REQUIRED_VARIABLE))) {
            assertThat(obstacle).isEmpty();
        }
        assumeTrue(obstacle.isEmpty(), obstacle.orElse(""));
    }
}
