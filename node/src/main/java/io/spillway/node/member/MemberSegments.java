// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.member;

import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentAnswer;
import io.spillway.transport.SegmentId;
import io.spillway.transport.held.MemorySegments;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.NodeService;
import io.spillway.transport.serve.PutMemory;
import io.spillway.transport.serve.SegmentSink;
import io.spillway.transport.serve.SegmentSource;
import java.util.Optional;

/**
 * What a node process serves: the outputs that were put into its memory, and those of its host's
 * NodeManagers. Thread-safe.
 */
final class MemberSegments implements SegmentSource {
    private final SegmentSource host;
    private final JobSecrets jobsOfHost;
    private final MemorySegments memory;
    private final SegmentSink sink;
    private final NodeService service;
    private final PutMemory putMemory;

    /**
     * Creates the source.
     *
     * @param host the outputs of this host
     * @param jobsOfHost their jobs
     * @param memoryOrNull the outputs of any host
     * @param sinkOrNull where these are put
     * @param serviceOrNull answers calls
     * @param putMemory of all transports together
     */
    MemberSegments(
            final SegmentSource host,
            final JobSecrets jobsOfHost,
            final MemorySegments memoryOrNull,
            final SegmentSink sinkOrNull,
            final NodeService serviceOrNull,
            final PutMemory putMemory) {
        this.host = host;
        this.jobsOfHost = jobsOfHost;
        this.memory = memoryOrNull;
        this.sink = sinkOrNull;
        this.service = serviceOrNull;
        this.putMemory = putMemory;
    }

    @Override
    public SegmentAnswer open(final String jobId, final SegmentId segment) throws FetchException {
        return isInMemory(jobId, segment) ? memory.open(jobId, segment) : host.open(jobId, segment);
    }

    @Override
    public SegmentAnswer openIfCached(final String jobId, final SegmentId segment)
            throws FetchException {
        return isInMemory(jobId, segment)
                ? memory.openIfCached(jobId, segment)
                : host.openIfCached(jobId, segment);
    }

    /** Also where neither has it, and the job is none of this host's: memory says so then. */
    private boolean isInMemory(final String jobId, final SegmentId segment) {
        return memory != null
                && (memory.holds(jobId, segment.output()) || jobsOfHost.secretOf(jobId) == null);
    }

    @Override
    public Optional<SegmentSink> sink() {
        return Optional.ofNullable(sink);
    }

    @Override
    public Optional<NodeService> service() {
        return Optional.ofNullable(service);
    }

    @Override
    public Optional<PutMemory> putMemory() {
        return Optional.of(putMemory);
    }
}
