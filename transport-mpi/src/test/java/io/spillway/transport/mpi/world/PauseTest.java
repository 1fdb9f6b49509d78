package io.spillway.transport.mpi.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class PauseTest {
    private static final long START = 1_000_000_000L;

    private final Pause pause = new Pause();

    private long after(final long micros, final boolean expecting) {
        return pause.nanos(START + TimeUnit.MICROSECONDS.toNanos(micros), expecting);
    }

    @Test
    void theLongerNothingHappensTheLongerItRests() {
        pause.worked(START);
        assertThat(after(10, false)).isZero();
        long last = 0;
        for (final long micros : new long[] {60, 3_000, 2_000_000, 6_000_000}) {
            assertThat(after(micros, false)).isGreaterThan(last);
            last = after(micros, false);
        }
    }

    @Test
    void whileBytesAreUnderWayItLooksOften() {
        pause.worked(START);
        assertThat(after(500_000, true)).isEqualTo(after(60, true)).isLessThan(100_000);
    }

    @Test
    void aRankThatHasNothingToDoLooksFiftyTimesASecond() {
        pause.worked(START);
        assertThat(after(5_000_000, true)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
        pause.worked(START + TimeUnit.SECONDS.toNanos(5));
        assertThat(after(5_000_001, false)).isZero();
    }
}
