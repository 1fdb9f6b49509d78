// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/** Hears what failed a job: LocalJobRunner only logs it, under the job's id. Thread-safe. */
final class FailureLog extends AppenderSkeleton {
    private static final FailureLog INSTANCE = new FailureLog();

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Map<String, Throwable> failures = new HashMap<>();

    static {
        final Logger logger = Logger.getLogger("org.apache.hadoop.mapred.LocalJobRunner");
        logger.setLevel(Level.WARN);
        logger.addAppender(INSTANCE);
        // Jobs fail here on purpose; the test report shows the failures that matter.
        logger.setAdditivity(false);
    }

    private FailureLog() {}

    static FailureLog get() {
        return INSTANCE;
    }

    /**
     * The chain of what failed the job, outermost first, and forgets it. LocalJobRunner calls a job
     * failed a moment before it logs why: waits for that.
     */
    List<String> await(final String jobId) throws InterruptedException {
        final Throwable failure;
        synchronized (failures) {
            final long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (!failures.containsKey(jobId)) {
                final long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0) {
                    throw new IllegalStateException(jobId + " failed, but no reason was logged");
                }
                failures.wait(left);
            }
            failure = failures.remove(jobId);
        }
        final List<String> chain = new ArrayList<>();
        for (Throwable t = failure; t != null; t = t.getCause()) {
            chain.add(t.getClass().getName() + ": " + t.getMessage());
        }
        return chain;
    }

    @Override
    protected void append(final LoggingEvent event) {
        if (event.getThrowableInformation() != null) {
            synchronized (failures) {
                failures.put(
                        String.valueOf(event.getMessage()),
                        event.getThrowableInformation().getThrowable());
                failures.notifyAll();
            }
        }
    }

    @Override
    public void close() {
        // Holds no resource.
    }

    @Override
    public boolean requiresLayout() {
        return false;
    }
}
