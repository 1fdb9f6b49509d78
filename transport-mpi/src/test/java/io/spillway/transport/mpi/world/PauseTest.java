// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class PauseTest {
    private static final long START = 1_000_000_000L;

    private static final long LONG_WORK = TimeUnit.MILLISECONDS.toNanos(10);

    private final Pause pause = new Pause(START - LONG_WORK);

    private long after(final long micros, final boolean expecting) {
        return pause.nanos(START + TimeUnit.MICROSECONDS.toNanos(micros), expecting);
    }

    @Test
    void theLongerNothingHappensTheLongerItRests() {
        pause.worked(START);
        assertThat(after(10, false)).isZero();
        long last = 0;
        for (final long micros : new long[] {600, 3_000, 2_000_000, 6_000_000}) {
            assertThat(after(micros, false)).isGreaterThan(last);
            last = after(micros, false);
        }
    }

    @Test
    void afterMuchWorkItLooksLongerWithoutARest() {
        pause.worked(START);
        assertThat(after(400, false)).isZero();
        assertThat(after(600, false)).isPositive();
    }

    @Test
    void afterLittleWorkItRestsSoon() {
        pause.rested(START);
        pause.worked(START + 1_000);
        assertThat(after(40, false)).isZero();
        assertThat(after(60, false)).isPositive();
    }

    @Test
    void whatItHasLookedForIsNotAddedToTheNextLooks() {
        pause.worked(START);
        assertThat(after(600, false)).isPositive();
        pause.worked(START + TimeUnit.MICROSECONDS.toNanos(601));
        assertThat(after(640, false)).isZero();
        assertThat(after(660, false)).isPositive();
    }

    @Test
    void whileBytesAreUnderWayItLooksOften() {
        pause.worked(START);
        final long soon = after(600, true);
        assertThat(after(500_000, true)).isEqualTo(soon).isBetween(1L, 100_000L);
    }

    @Test
    void aRankThatHasNothingToDoLooksFiftyTimesASecond() {
        pause.worked(START);
        assertThat(after(5_000_000, true)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
        pause.worked(START + TimeUnit.SECONDS.toNanos(5));
        assertThat(after(5_000_001, false)).isZero();
    }
}
