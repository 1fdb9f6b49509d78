// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.thread;

import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * The threads of one shuffle, its clock, its chance, and the ways in which its threads wait. The
 * shuffle starts no thread, reads no time that a decision depends on, and waits for nothing but
 * through this: an implementation decides what runs when. Requests over stock HTTP are the one
 * exception: they read sockets. Thread-safe.
 */
public interface ShuffleThreads {
    /** The time that all deadlines are in. */
    long nowMillis();

    /** What is left to chance. Thread-safe. */
    Random random();

    /** The one thread of the shuffle's state. After its shutdown it drops what it is given. */
    ScheduledExecutorService loop(String name);

    /** Threads for calls that block. After its shutdown it drops what it is given. */
    ExecutorService blocking(String name, int count);

    /** A daemon thread that is not started yet. */
    Thread thread(String name, Runnable body);

    /** Lets the calling thread do nothing for a while. */
    void sleep(long millis) throws InterruptedException;

    /**
     * Waits until a condition holds, but not for longer than {@code millis}.
     *
     * @param monitor guards the condition, and is notified when it may have changed
     * @return whether it holds
     */
    boolean await(Object monitor, BooleanSupplier condition, long millis)
            throws InterruptedException;

    /** Waits for a result, as {@link Future#get(long, java.util.concurrent.TimeUnit)} does. */
    <T> T get(Future<T> result, long millis)
            throws InterruptedException, ExecutionException, TimeoutException;
}
