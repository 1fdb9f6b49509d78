// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

import java.util.Locale;

/**
 * One sample and what it is of. Immutable.
 *
 * @param way over which
 * @param what was done: fetch, or put by processes that are young or steady
 * @param bytes of a message
 * @param window messages in flight; 0 where the sender decides
 * @param repeat from 1
 */
record NetRow(String way, What what, long bytes, int window, int repeat, Sample sample) {
    /** The names of the columns. */
    static final String HEAD =
            "way,bytes,window,repeat,messages,seconds,mb_per_second,median_us,client_cpu_seconds,"
                    + "server_cpu_seconds,proxy_cpu_seconds,what";

    private static final double NANOS = 1e9;
    private static final double MEGA = 1e6;

    /** What is done with messages. */
    enum What {
        /** One side asks, the other answers. */
        FETCH,
        /** The first bytes of two processes, connecting included, into memory never used. */
        YOUNG_PUT,
        /** After a warm-up, into memory that was used before. */
        STEADY_PUT
    }

    private double gigas() {
        return sample.messages() * bytes / NANOS;
    }

    /** Gigabytes a second. */
    double gigabytesPerSecond() {
        return gigas() * NANOS / sample.nanos();
    }

    /** Microseconds from a request to its answer. */
    double medianMicros() {
        return sample.medianMicros();
    }

    /** CPU seconds for a gigabyte of the process that asks or puts. */
    double clientCpu() {
        return sample.clientCpuNanos() / NANOS / gigas();
    }

    /** The same of the process that serves or takes. */
    double serverCpu() {
        return sample.serverCpuNanos() / NANOS / gigas();
    }

    /** The same of the rank between them. */
    double proxyCpu() {
        return sample.proxyCpuNanos() / NANOS / gigas();
    }

    /** All fields, in the order of {@link #HEAD}. */
    String csv() {
        return String.format(
                Locale.ROOT,
                "%s,%d,%d,%d,%d,%.6f,%.2f,%s,%.4f,%.4f,%.4f,%s",
                way,
                bytes,
                window,
                repeat,
                sample.messages(),
                sample.nanos() / NANOS,
                gigabytesPerSecond() * NANOS / MEGA,
                Double.isNaN(medianMicros())
                        ? ""
                        : String.format(Locale.ROOT, "%.2f", medianMicros()),
                sample.clientCpuNanos() / NANOS,
                sample.serverCpuNanos() / NANOS,
                sample.proxyCpuNanos() / NANOS,
                what);
    }
}
