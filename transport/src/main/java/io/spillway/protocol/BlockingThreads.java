// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.thread.DaemonThreads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of a server that may wait for a disk, so that those of its connections need not. */
public final class BlockingThreads {
    private static final Logger LOG = LoggerFactory.getLogger(BlockingThreads.class);
    private static final long KEEP_ALIVE_SECONDS = 30;
    private static final long STOP_SECONDS = 5;

    private BlockingThreads() {}

    /**
     * Creates daemon threads, which end when they have nothing to do for a while. The queue has no
     * bound of its own: who hands over tasks bounds them.
     *
     * @param name of the threads, before their number
     * @param threads the most at a time, at least 1
     */
    public static ThreadPoolExecutor newPool(final String name, final int threads) {
        final ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        KEEP_ALIVE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        DaemonThreads.numbered(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Takes no more tasks, and waits a moment for those handed over: what they have opened is
     * closed then. Not for one of these threads.
     */
    public static void stop(final ExecutorService pool) {
        pool.shutdown();
        try {
            if (!pool.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("Threads that read map outputs did not end within {} s", STOP_SECONDS);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
