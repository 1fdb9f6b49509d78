// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.reduce.thread.StallClock;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a wait that nothing can end. The loop looks from time to time whether what is waited for can
 * still come ({@link WaitCheck}); the task thread, while it waits, whether the loop still does.
 * Either fails the attempt when that has not been so for the whole time of the setting, and logs
 * the shuffle's state.
 *
 * <p>Time counts only as it is seen to pass, look by look: a process that was stopped for an hour
 * has not waited for an hour.
 */
public final class Watchdog {
    private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);

    private static final int LOOKS = 12;
    private static final long MOST_BETWEEN_LOOKS = 5000;

    /** For so long the loop may be busy beyond the pause between its looks. */
    private static final long SILENCE = 5 * StallClock.HEARTBEAT_MILLIS;

    private final long limitMillis;
    private final long pauseMillis;
    private final ShuffleLoop loop;
    private final WaitCheck check;
    private final ShuffleDump dump;

    // ---- owned by the loop's thread ----
    private WaitCheck.DeadWait dead;
    private long lastLookMillis;
    private long deadMillis;

    // ---- shared ----
    private final AtomicLong looks = new AtomicLong();
    private volatile boolean stalled;

    // ---- owned by the task thread ----
    private long seenLooks;
    private long lastAskedMillis;
    private long silentMillis;

    /**
     * Creates a watchdog that sleeps.
     *
     * @param limitMillis how long a wait may last that nothing can end; 0 for ever
     */
    Watchdog(
            final long limitMillis,
            final ShuffleLoop loop,
            final WaitCheck check,
            final ShuffleDump dump) {
        this.limitMillis = limitMillis;
        this.pauseMillis =
                limitMillis == 0
                        ? MOST_BETWEEN_LOOKS
                        : Math.max(1, Math.min(MOST_BETWEEN_LOOKS, limitMillis / LOOKS));
        this.loop = loop;
        this.check = check;
        this.dump = dump;
        this.lastAskedMillis = loop.nowMillis();
    }

    // ---- the loop's thread ---------------------------------------------------------------------

    /** Begins to look, as long as the shuffle runs. */
    void start() {
        lastLookMillis = loop.nowMillis();
        loop.schedule(LoopMessage.WATCHDOG_LOOK, pauseMillis, this::look);
    }

    private void look() {
        final long now = loop.nowMillis();
        final WaitCheck.DeadWait found = check.find(now);
        if (found == null || !found.isSameAs(dead)) {
            deadMillis = 0;
        } else {
            deadMillis += passed(lastLookMillis, now, pauseMillis);
        }
        dead = found;
        lastLookMillis = now;
        stalled = deadMillis > 0 || check.waitsForCombiner();
        looks.incrementAndGet();
        if (limitMillis > 0 && deadMillis >= limitMillis) {
            fail(found.why() + ", for " + deadMillis + " ms");
        } else {
            loop.schedule(LoopMessage.WATCHDOG_LOOK, pauseMillis, this::look);
        }
    }

    private static long passed(final long from, final long to, final long expected) {
        return Math.min(to - from, 2 * expected);
    }

    private void fail(final String why) {
        final String text =
                "The shuffle waits in vain: "
                        + why
                        + " (spillway.shuffle.watchdog.ms="
                        + limitMillis
                        + "); its state is in this task's log";
        LOG.error("{}\n{}", text, dump.text(dead));
        loop.fail(new IOException(text));
    }

    // ---- the task thread -----------------------------------------------------------------------

    /**
     * Whether something can end the caller's wait. To be called about once in {@link
     * StallClock#HEARTBEAT_MILLIS} while it waits.
     */
    boolean lives() {
        final long now = loop.nowMillis();
        final long nowLooks = looks.get();
        if (nowLooks != seenLooks) {
            seenLooks = nowLooks;
            silentMillis = 0;
        } else {
            silentMillis += passed(lastAskedMillis, now, StallClock.HEARTBEAT_MILLIS);
        }
        lastAskedMillis = now;
        if (limitMillis > 0 && silentMillis >= Math.max(limitMillis, SILENCE) + pauseMillis) {
            failSilent();
        }
        return !stalled && silentMillis <= SILENCE + pauseMillis;
    }

    private void failSilent() {
        final String text =
                "The shuffle's loop does not run: it has not looked after what is waited for, for "
                        + silentMillis
                        + " ms (spillway.shuffle.watchdog.ms="
                        + limitMillis
                        + "); its threads are in this task's log";
        LOG.error("{}; its message is {}\n{}", text, loop.running(), ShuffleDump.threads());
        loop.fail(new IOException(text));
    }
}
