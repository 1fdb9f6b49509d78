// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.reduce.thread.ShuffleThreads;
import io.spillway.engine.spi.EventNeed;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the MRAppMaster for the completion events of the job's maps, until no event can matter any
 * more or its thread is interrupted: quickly for the last maps, on which the merge waits, seldom
 * while the merge's sources answer. All reducers of a job together make no more than {@value
 * #CALLS_PER_SECOND} calls a second, whatever their number. Runs on a thread of its own, for the
 * call blocks.
 */
final class CompletionPoller implements Runnable {
    /** What {@link #advance} gives when no event can matter any more. */
    static final long NEVER = -1;

    /** All reducers together ask no more often than this. */
    static final int CALLS_PER_SECOND = 2000;

    private static final Logger LOG = LoggerFactory.getLogger(CompletionPoller.class);

    private static final int MAX_FAILURES = 10;
    private static final long FAILURE_PAUSE_MILLIS = 5000;
    private static final long QUICK_MILLIS = 100;
    private static final long SELDOM_MILLIS = 5000;

    /** Calls of reducers in the merge phase leave the most of the MRAppMaster to others. */
    private static final int SELDOM_FACTOR = 4;

    /** A need that changes is noticed after so long at most. */
    private static final long LOOK_MILLIS = 100;

    private final JobSettings settings;
    private final ShuffleThreads threads;
    private final TaskUmbilicalProtocol umbilical;
    private final Consumer<TaskCompletionEvent[]> events;
    private final Supplier<EventNeed> need;
    private final Consumer<Throwable> onFailure;
    private boolean hasAsked;
    private long askedMillis;
    private int nextEvent;
    private int failures;

    CompletionPoller(
            final JobSettings settings,
            final ShuffleThreads threads,
            final TaskUmbilicalProtocol umbilical,
            final Consumer<TaskCompletionEvent[]> events,
            final Supplier<EventNeed> need,
            final Consumer<Throwable> onFailure) {
        this.settings = settings;
        this.threads = threads;
        this.umbilical = umbilical;
        this.events = events;
        this.need = need;
        this.onFailure = onFailure;
    }

    @Override
    public void run() {
        try {
            long pause = advance(threads.nowMillis());
            while (pause != NEVER && !Thread.currentThread().isInterrupted()) {
                threads.sleep(pause);
                pause = advance(threads.nowMillis());
            }
        } catch (final InterruptedException e) {
            LOG.debug("The poller of completion events ends");
        } catch (final IOException | RuntimeException | Error e) {
            onFailure.accept(e);
        }
    }

    /**
     * Asks, if it is time to.
     *
     * @return the milliseconds after which to call this again, at least 1; or {@link #NEVER}
     * @throws IOException after so many failures in a row that there seems to be no MRAppMaster
     */
    long advance(final long nowMillis) throws IOException {
        final EventNeed now = need.get();
        if (now == EventNeed.NOTHING) {
            return NEVER;
        }
        final long pause = failures == 0 ? pauseMillis(now) : FAILURE_PAUSE_MILLIS;
        if (!hasAsked || nowMillis - askedMillis >= pause) {
            ask(nowMillis, pause);
            return 1;
        }
        return Math.max(1, Math.min(LOOK_MILLIS, askedMillis + pause - nowMillis));
    }

    /**
     * The second call comes after a part of the pause by chance: so the calls of reducers that
     * start together are spread over time.
     */
    private void ask(final long nowMillis, final long pause) throws IOException {
        askedMillis = hasAsked ? nowMillis : nowMillis - threads.random().nextLong(pause);
        hasAsked = true;
        try {
            poll();
            failures = 0;
        } catch (final IOException e) {
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            LOG.info("Exception in getting events", e);
            askedMillis = nowMillis;
            failures++;
            if (failures >= MAX_FAILURES) {
                throw new IOException("too many failures downloading events", e);
            }
        }
    }

    private long pauseMillis(final EventNeed now) {
        final long shared = settings.numReduces * 1000L / CALLS_PER_SECOND;
        return switch (now) {
            case LAST_MAPS -> Math.max(shared, Math.min(settings.pollMillis, QUICK_MILLIS));
            case STREAMS ->
                    Math.max(SELDOM_FACTOR * shared, Math.max(settings.pollMillis, SELDOM_MILLIS));
            default -> Math.max(shared, settings.pollMillis);
        };
    }

    private void poll() throws IOException {
        TaskCompletionEvent[] batch;
        do {
            final MapTaskCompletionEventsUpdate update =
                    umbilical.getMapCompletionEvents(
                            settings.reduceId.getJobID(),
                            nextEvent,
                            settings.maxEvents,
                            settings.reduceId);
            batch = update.getMapTaskCompletionEvents();
            nextEvent += batch.length;
            if (batch.length > 0) {
                events.accept(batch);
            }
        } while (batch.length == settings.maxEvents);
    }
}
