// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

/**
 * What came in one measurement. Immutable.
 *
 * @param messages pieces
 * @param nanos from the first request to the last answer
 * @param medianMicros from a request to its answer; NaN where several were in flight
 * @param clientCpuNanos of the process that asks or puts
 * @param serverCpuNanos of the process that serves or takes
 * @param proxyCpuNanos of the rank that an MPI world has on the client's host, else 0
 */
record Sample(
        long messages,
        long nanos,
        double medianMicros,
        long clientCpuNanos,
        long serverCpuNanos,
        long proxyCpuNanos) {
    private static final int FIELDS = 6;

    /** As a process prints it. */
    String text() {
        return messages
                + " "
                + nanos
                + " "
                + medianMicros
                + " "
                + clientCpuNanos
                + " "
                + serverCpuNanos
                + " "
                + proxyCpuNanos;
    }

    /** Reads what {@link #text} gave. */
    static Sample parse(final String text) {
        final String[] fields = text.split(" ", -1);
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException("sample '" + text + "': expected 6 fields");
        }
        return new Sample(
                Long.parseLong(fields[0]),
                Long.parseLong(fields[1]),
                Double.parseDouble(fields[2]),
                Long.parseLong(fields[3]),
                Long.parseLong(fields[4]),
                Long.parseLong(fields[5]));
    }
}
