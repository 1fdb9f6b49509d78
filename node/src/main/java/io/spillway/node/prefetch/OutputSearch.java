// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds map outputs of jobs that no reducer has asked for. Guarded by the prefetcher's lock. */
final class OutputSearch {
    private static final Logger LOG = LoggerFactory.getLogger(OutputSearch.class);

    private final Object lock;
    private final ReadAheadThreads threads;
    private final Consumer<String> findOutputs;

    /** The jobs whose search has not begun. */
    private final Set<String> waiting = new HashSet<>();

    /** The searches that have not ended. */
    private int searches;

    /**
     * Creates a search.
     *
     * @param lock held by all callers
     * @param findOutputs finds the map outputs of a job; called without the lock
     */
    OutputSearch(
            final Object lock, final ReadAheadThreads threads, final Consumer<String> findOutputs) {
        this.lock = lock;
        this.threads = threads;
        this.findOutputs = findOutputs;
    }

    /** One search at a time is enough: what ends during it is found by the next one. */
    void begin(final String jobId) {
        if (waiting.add(jobId) && threads.execute(() -> search(jobId))) {
            searches++;
        }
    }

    boolean isIdle() {
        return searches == 0;
    }

    private void search(final String jobId) {
        synchronized (lock) {
            waiting.remove(jobId);
        }
        try {
            findOutputs.accept(jobId);
        } catch (final RuntimeException e) {
            LOG.warn("Finding map outputs of {} failed", jobId, e);
        } finally {
            synchronized (lock) {
                searches--;
            }
        }
    }
}
