// SPDX-License-Identifier: Apache-2.0
package io.spillway.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class BackoffTest {
    @Test
    void doublesUpToItsBound() {
        final Backoff backoff = Backoff.doubling(100, 3_000);

        assertThat(backoff.after(1)).isEqualTo(100);
        assertThat(backoff.after(2)).isEqualTo(200);
        assertThat(backoff.after(5)).isEqualTo(1_600);
        assertThat(backoff.after(6)).isEqualTo(3_000);
        assertThat(backoff.after(Integer.MAX_VALUE)).isEqualTo(3_000);
        assertThat(backoff.after(0)).isEqualTo(100);
    }

    @Test
    void growsByAFactor() {
        final Backoff backoff = new Backoff(10_000, 60_000, 1.3);

        assertThat(backoff.after(2)).isEqualTo(13_000);
        assertThat(backoff.after(3)).isEqualTo(16_900);
        assertThat(backoff.after(20)).isEqualTo(60_000);
    }

    @Property
    void neitherShrinksNorPassesItsBound(
            @ForAll @LongRange(min = 0, max = 1L << 52) final long first,
            @ForAll @LongRange(min = 0, max = 1L << 52) final long more,
            @ForAll @IntRange(min = 1, max = 10_000) final int failures) {
        final Backoff backoff = Backoff.doubling(first, first + more);

        assertThat(backoff.after(failures)).isBetween(first, first + more);
        assertThat(backoff.after(failures + 1)).isGreaterThanOrEqualTo(backoff.after(failures));
    }

    @Test
    void refusesWhatDoesNotGrow() {
        assertThatThrownBy(() -> Backoff.doubling(2, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("most=1");
        assertThatThrownBy(() -> new Backoff(1, 2, 0.5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("growth=0.5");
    }
}
