// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.recovery;

import io.spillway.engine.spi.OutputId;
import java.util.HashMap;
import java.util.Map;

/**
 * The attempts whose outputs are gone while others are copied: since when the framework has been
 * asked to run their maps again. Until it has, a failure to fetch them says nothing of this reducer
 * and counts neither towards its end nor its penalties. Owned by the loop's thread. Times are in
 * milliseconds of one monotonic clock.
 */
final class LostOutputs {
    private static final long REPORT_AGAIN_MILLIS = 10_000;

    private final long waitMillis;
    private final Map<OutputId, Reports> reported = new HashMap<>();

    /** When an attempt was reported. */
    private record Reports(long firstMillis, long lastMillis) {}

    /**
     * Nothing is lost yet.
     *
     * @param waitMillis how long to wait for a map that runs again
     */
    LostOutputs(final long waitMillis) {
        this.waitMillis = waitMillis;
    }

    /** Whether the attempt is to be reported now; if so, it counts as reported. */
    boolean report(final OutputId attempt, final long nowMillis) {
        final Reports before = reported.get(attempt);
        if (before != null && nowMillis - before.lastMillis < REPORT_AGAIN_MILLIS) {
            return false;
        }
        final long firstMillis = before == null ? nowMillis : before.firstMillis;
        reported.put(attempt, new Reports(firstMillis, nowMillis));
        return true;
    }

    /** Whether the attempt was reported, and there is still time for its map to run again. */
    boolean isAwaited(final OutputId attempt, final long nowMillis) {
        final Reports reports = reported.get(attempt);
        return reports != null && nowMillis - reports.firstMillis < waitMillis;
    }
}
