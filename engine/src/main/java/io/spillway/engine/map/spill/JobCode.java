// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the interrupt flag of the mapper's thread apart from what a spill or the flush does on that
 * thread. The mapper's flag is put aside, so that no file and no wait is disturbed. Stock spills in
 * a thread of its own: what the job's comparator, combiner or codec leaves of the flag does not get
 * to the mapper, so it is dropped. An interrupt by another thread means the mapper, and is kept for
 * it. One thread at a time.
 */
final class JobCode {
    private static final Logger LOG = LoggerFactory.getLogger(JobCode.class);

    /** What calls code of the job. */
    @FunctionalInterface
    interface Code<T> {
        T run() throws IOException, InterruptedException, ClassNotFoundException;
    }

    /**
     * The flag does not say who has set it. But the JDK closes the channel that a thread is using
     * when another thread interrupts it, and does not when it interrupts itself. So this is a
     * channel that does nothing. Where the code uses a channel itself, that ends the use of this
     * one: an interrupt after that counts as the code's.
     */
    private static final class Use extends AbstractInterruptibleChannel {
        void start() {
            begin();
        }

        /** Whether another thread has interrupted this one; clears the flag in any case. */
        boolean endedByAnother() {
            // Before the end of the use: an interrupt by another thread from here on is not lost.
            Thread.interrupted();
            try {
                end(true);
                return false;
            } catch (final AsynchronousCloseException e) {
                LOG.debug("The mapper's thread was interrupted while it spilled", e);
                return true;
            }
        }

        @Override
        protected void implCloseChannel() {}
    }

    /** Whether the mapper's thread is to be interrupted again. */
    private boolean interrupted;

    /** Puts the mapper's flag aside. {@link #restore} is to follow, on the same thread. */
    void putAside() {
        interrupted |= Thread.interrupted();
    }

    /** Runs what calls code of the job. */
    <T> T call(final Code<T> code)
            throws IOException, InterruptedException, ClassNotFoundException {
        putAside();
        final Use use = new Use();
        use.start();
        try {
            return code.run();
        } finally {
            interrupted |= use.endedByAnother();
        }
    }

    /** Gives the mapper its flag back. */
    void restore() {
        if (interrupted) {
            interrupted = false;
            Thread.currentThread().interrupt();
        }
    }
}
