// SPDX-License-Identifier: Apache-2.0
package io.spillway.thread;

import java.io.IOException;

/**
 * Lets work on a task's own thread go on when that thread is interrupted. A job's code may leave
 * the flag set, which ends a wait at once and closes a file channel for good; Hadoop's own code
 * waits for nothing there, and reads and writes by streams, which an interrupt does not touch. The
 * flag is set again afterwards: it is the job's. Static; any thread.
 */
public final class Uninterrupted {
    private Uninterrupted() {}

    /** A call that uses channels. */
    @FunctionalInterface
    public interface Operation<T> {
        T run() throws IOException;
    }

    /** A wait. */
    @FunctionalInterface
    public interface Wait<T, E extends Exception> {
        /** Waits; called again after an interrupt. */
        T run() throws E, InterruptedException;
    }

    /**
     * Runs an operation without the flag. An interrupt of another thread at that very moment may
     * still end it, so that only short operations belong here.
     */
    public static <T> T call(final Operation<T> operation) throws IOException {
        final boolean interrupted = Thread.interrupted();
        try {
            return operation.run();
        } finally {
            restore(interrupted);
        }
    }

    /** Waits until the wait ends by itself. */
    public static <T, E extends Exception> T await(final Wait<T, E> wait) throws E {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.run();
                } catch (final InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            restore(interrupted);
        }
    }

    private static void restore(final boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
