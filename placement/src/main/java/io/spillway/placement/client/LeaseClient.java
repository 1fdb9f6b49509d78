// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.client;

import io.spillway.frame.MalformedFrameException;
import io.spillway.placement.message.LeaseAnswer;
import io.spillway.placement.message.LeasePolicy;
import io.spillway.placement.message.LeaseRequest;
import io.spillway.placement.message.NodeSpace;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.Transport;
import java.util.List;

/** Leases places for the output of a task. One thread. */
public final class LeaseClient implements AutoCloseable {
    /**
     * What a memory node keeps about an output beside its bytes: about a hundredth, at least this.
     */
    private static final long OVERHEAD = 64 << 10;

    private static final int OVERHEAD_PART = 64;

    /** YARN tells its containers the name of their host. */
    private static final String HOST_VARIABLE = "NM_HOST";

    private final ServiceClient service;
    private final LeasePolicy policy;
    private final int copies;

    /** Opens no connection yet. */
    public LeaseClient(
            final Transport transport,
            final NodeAddress service,
            final JobCredentials credentials,
            final LeasePolicy policy,
            final int copies) {
        this.service = new ServiceClient(transport, service, credentials);
        this.policy = policy;
        this.copies = copies;
    }

    /**
     * Asks for places for an output.
     *
     * @param exclude nodes that are not wanted
     * @return none where there is no room
     * @throws FetchException where the service cannot be reached, or refuses
     */
    public List<SegmentPlace> lease(
            final String output, final long expectedBytes, final List<NodeAddress> exclude)
            throws FetchException, InterruptedException {
        final long bytes = expectedBytes + expectedBytes / OVERHEAD_PART + OVERHEAD;
        final LeaseRequest request =
                new LeaseRequest(
                        output,
                        Math.min(bytes, NodeSpace.MAX_BYTES),
                        copies,
                        policy,
                        System.getenv().getOrDefault(HOST_VARIABLE, "unknown"),
                        exclude);
        try {
            return LeaseAnswer.decode(service.ask(request.encode())).places();
        } catch (final MalformedFrameException e) {
            throw new FetchException(Reason.PROTOCOL, service + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        service.close();
    }
}
