package io.spillway.transport.mpi;

import io.spillway.stream.server.StreamServer;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.mpi.channel.MpiAddress;
import io.spillway.transport.mpi.world.World;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.ServerStats;

/** Serves streams of other ranks' tasks. Thread-safe. */
public final class MpiSegmentServer implements SegmentServer {
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
    public void dropJob(final String jobId) {
        server.dropJob(jobId);
    }

    @Override
    public void close() {
        world.unserve(service);
        server.close();
    }
}
