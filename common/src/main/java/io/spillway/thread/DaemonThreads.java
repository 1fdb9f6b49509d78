// SPDX-License-Identifier: Apache-2.0
package io.spillway.thread;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/** Makes threads that no process waits for when it ends. Thread-safe. */
public final class DaemonThreads {
    private DaemonThreads() {}

    /** A thread that is not started yet. */
    public static Thread of(final String name, final Runnable task) {
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Threads with a name and a number behind it, from 0 on. */
    public static ThreadFactory numbered(final String name) {
        final AtomicLong next = new AtomicLong();
        return task -> of(name + "-" + next.getAndIncrement(), task);
    }
}
