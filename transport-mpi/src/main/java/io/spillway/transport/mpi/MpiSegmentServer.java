// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.stream.server.StreamServer;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.mpi.channel.MpiAddress;
import io.spillway.transport.mpi.world.World;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.ServerStats;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Serves streams of other ranks' tasks. Thread-safe. */
class MpiSegmentServer implements SegmentServer {
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final World world;
    private final int service;
    private final StreamServer server;
    private final MpiAddress address;

    /**
     * Begins to serve.
     *
     * @param service the server's number within the rank
     * @param server of the streams; closed with this object
     * @param memory grants what its streams allocate outside the heap
     */
    MpiSegmentServer(
            final World world,
            final int service,
            final StreamServer server,
            final DirectMemory memory) {
        this.world = world;
        this.service = service;
        this.server = server;
        this.address = world.serve(service, server::newConnection, memory);
    }

    @Override
    public String transport() {
        return MpiTransport.NAME;
    }

    @Override
    public NodeAddress address() {
        return address.toNodeAddress();
    }

    @Override
    public ServerStats stats() {
        return server.stats();
    }

    @Override
    public void addJobsInUse(final Set<String> jobs) {
        server.addJobsInUse(jobs);
    }

    @Override
    public void dropJob(final String jobId) {
        server.dropJob(jobId);
    }

    /** Returns when its streams have ended, after a moment at most. */
    @Override
    public void close() {
        world.unserve(service);
        server.close();
        if (!world.loop().inEventLoop()) {
            awaitStreams();
        }
    }

    private void awaitStreams() {
        final long deadline = System.nanoTime() + STOP_NANOS;
        while (server.connectionCount() > 0 && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        // What their ends have left to the thread is done when this is.
        world.loop().submit(() -> {}).awaitUninterruptibly(STOP_NANOS, TimeUnit.NANOSECONDS);
    }
}
