// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
    private static final long REST = TimeUnit.SECONDS.toNanos(30);
    private static final long BRIEF = TimeUnit.SECONDS.toNanos(1);

    private long now = 1000;
    private final CircuitBreaker trust = new CircuitBreaker(REST, () -> now);

    @Test
    void restsTwiceAsLongAfterEachFailureUpTo32Times() {
        long rest = REST;
        for (int failure = 0; failure < 8; failure++) {
            trust.failed("no route");
            assertThat(trust.isResting()).isTrue();
            now += rest - 1;
            assertThat(trust.isResting()).isTrue();
            now += 1;
            assertThat(trust.isResting()).isFalse();
            rest = Math.min(2 * rest, 32 * REST);
        }
        assertThat(trust.why()).isEqualTo("no route");
    }

    @Test
    void forgivesOneLossAndNotTheNext() {
        assertThat(trust.lost("reset", BRIEF)).isFalse();
        assertThat(trust.isResting()).isFalse();
        assertThat(trust.lost("reset", BRIEF)).isTrue();
        assertThat(trust.isResting()).isTrue();
    }

    @Test
    void lossesFarApartDoNotAddUp() {
        for (int i = 0; i < 5; i++) {
            assertThat(trust.lost("reset", TimeUnit.MINUTES.toNanos(2))).isFalse();
        }
        assertThat(trust.isResting()).isFalse();
    }
}
