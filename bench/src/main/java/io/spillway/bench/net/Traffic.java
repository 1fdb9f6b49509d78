package io.spillway.bench.net;

import java.io.IOException;

/** One open way, over which pieces of the benchmark's data come. Used by one thread. */
interface Traffic extends AutoCloseable {
    /**
     * Keeps {@code window} requests for {@code bytes} each in flight for a while.
     *
     * @param nanos how long requests go out
     * @throws IOException when the way breaks
     */
    Sample run(int bytes, int window, long nanos) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;

    /**
     * What came.
     *
     * @param messages pieces
     * @param nanos from the first request to the last answer
     * @param medianMicros from a request to its answer; NaN where several were in flight
     * @param clientCpuNanos of this process, or of UCX's test
     * @param serverCpuNanos of the other process
     * @param proxyCpuNanos of the rank that an MPI world has on the client's host, else 0
     */
    record Sample(
            long messages,
            long nanos,
            double medianMicros,
            long clientCpuNanos,
            long serverCpuNanos,
            long proxyCpuNanos) {
        Sample withCpu(final long client, final long server, final long proxy) {
            return new Sample(messages, nanos, medianMicros, client, server, proxy);
        }
    }
}
