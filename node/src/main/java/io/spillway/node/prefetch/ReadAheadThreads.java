// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import io.spillway.thread.DaemonThreads;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads that find map outputs and read them ahead; none while there is nothing to do. */
final class ReadAheadThreads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReadAheadThreads.class);
    private static final long KEEP_ALIVE_SECONDS = 30;

    private final ThreadPoolExecutor executor;

    /** Starts none yet. */
    ReadAheadThreads(final int threads) {
        executor =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        KEEP_ALIVE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        DaemonThreads.numbered("spillway-ahead"));
        executor.allowCoreThreadTimeOut(true);
    }

    /** Returns false where it is closed. */
    boolean execute(final Runnable task) {
        try {
            executor.execute(task);
            return true;
        } catch (final RejectedExecutionException e) {
            LOG.debug("The node stops", e);
            return false;
        }
    }

    /** Takes no more tasks; those that were taken still run. */
    @Override
    public void close() {
        executor.shutdown();
    }
}
