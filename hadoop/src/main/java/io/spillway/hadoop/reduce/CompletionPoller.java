package io.spillway.hadoop.reduce;

import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the MRAppMaster for the completion events of the job's maps, until it is interrupted: gently
 * while many maps are still to come, quickly for the last ones, on which the merge waits. Runs on a
 * thread of its own, for the call blocks.
 */
final class CompletionPoller implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionPoller.class);

    private static final int MAX_FAILURES = 10;
    private static final long FAILURE_PAUSE_MILLIS = 5000;

    /** The last maps are this part of all. */
    private static final int LAST_MAPS = 20;

    private static final long QUICK_MILLIS = 100;

    /** All reducers together ask no more often than this. */
    private static final int QUICK_CALLS_PER_SECOND = 2000;

    private final ShuffleSettings settings;
    private final ShuffleThreads threads;
    private final TaskUmbilicalProtocol umbilical;
    private final Consumer<TaskCompletionEvent[]> events;
    private final IntSupplier mapsToCome;
    private final Consumer<Throwable> onFailure;
    private int nextEvent;

    CompletionPoller(
            final ShuffleSettings settings,
            final ShuffleThreads threads,
            final TaskUmbilicalProtocol umbilical,
            final Consumer<TaskCompletionEvent[]> events,
            final IntSupplier mapsToCome,
            final Consumer<Throwable> onFailure) {
        this.settings = settings;
        this.threads = threads;
        this.umbilical = umbilical;
        this.events = events;
        this.mapsToCome = mapsToCome;
        this.onFailure = onFailure;
    }

    @Override
    public void run() {
        try {
            pollUntilInterrupted();
        } catch (final InterruptedException e) {
            LOG.debug("The poller of completion events ends");
        } catch (final IOException | RuntimeException | Error e) {
            onFailure.accept(e);
        }
    }

    private void pollUntilInterrupted() throws IOException, InterruptedException {
        int failures = 0;
        while (!Thread.currentThread().isInterrupted()) {
            try {
                poll();
                failures = 0;
                threads.sleep(pauseMillis(settings, mapsToCome.getAsInt()));
            } catch (final IOException e) {
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
                LOG.info("Exception in getting events", e);
                failures++;
                if (failures >= MAX_FAILURES) {
                    throw new IOException("too many failures downloading events", e);
                }
                threads.sleep(FAILURE_PAUSE_MILLIS);
            }
        }
    }

    /** How long to wait before the next call when so many maps have not ended. */
    static long pauseMillis(final ShuffleSettings settings, final int toCome) {
        if (toCome == 0 || toCome > Math.max(1, settings.numMaps / LAST_MAPS)) {
            return settings.pollMillis;
        }
        final long shared = settings.numReduces * 1000L / QUICK_CALLS_PER_SECOND;
        return Math.min(settings.pollMillis, Math.max(QUICK_MILLIS, shared));
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
