// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.conf.TierName;
import io.spillway.transport.CachedBytes;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentAnswer;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.NodeService;
import io.spillway.transport.serve.PutMemory;
import io.spillway.transport.serve.SegmentSink;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A source whose segments are read into memory, by threads that may wait for a disk: MPI sends from
 * memory, and the one thread of a rank must not wait. Thread-safe.
 */
final class MemorySource implements SegmentSource {
    private final SegmentSource source;

    MemorySource(final SegmentSource source) {
        this.source = source;
    }

    @Override
    public SegmentAnswer open(final String jobId, final SegmentId segment) throws FetchException {
        return inMemory(source.open(jobId, segment));
    }

    @Override
    public SegmentAnswer openIfCached(final String jobId, final SegmentId segment)
            throws FetchException {
        return inMemory(source.openIfCached(jobId, segment));
    }

    private static SegmentAnswer inMemory(final SegmentAnswer answer) {
        return answer instanceof ServedSegment segment ? new WithoutFile(segment) : answer;
    }

    @Override
    public Optional<NodeService> service() {
        return source.service();
    }

    @Override
    public Optional<SegmentSink> sink() {
        return source.sink();
    }

    @Override
    public Optional<PutMemory> putMemory() {
        return source.putMemory();
    }

    private record WithoutFile(ServedSegment segment) implements ServedSegment {
        @Override
        public long partLength() {
            return segment.partLength();
        }

        @Override
        public long rawLength() {
            return segment.rawLength();
        }

        @Override
        public int runs() {
            return segment.runs();
        }

        @Override
        public long records() {
            return segment.records();
        }

        @Override
        public void read(final long offset, final ByteBuffer destination) throws IOException {
            segment.read(offset, destination);
        }

        @Override
        public long checksum(final long offset, final int length) {
            return segment.checksum(offset, length);
        }

        @Override
        public TierName tier() {
            return segment.tier();
        }

        @Override
        public CachedBytes cached(final long offset, final int length) {
            return segment.cached(offset, length);
        }

        @Override
        public void close() {
            segment.close();
        }
    }
}
