// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import io.spillway.conf.WireTier;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.SegmentAnswer;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.TestSegments;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/** What a source has, as a directory; counts what is opened. */
final class ServedDirectory implements OutputDirectory {
    private final AtomicInteger opens = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private volatile SegmentSource source;
    private volatile boolean fails;

    /** From now on it has what this source has; returns whether it had nothing. */
    boolean has(final SegmentSource outputs) {
        final boolean isFirst = source == null;
        source = outputs;
        return isFirst;
    }

    /** From now on reads fail, or no more. */
    void fail(final boolean now) {
        fails = now;
    }

    int opens() {
        return opens.get();
    }

    int open() {
        return open.get();
    }

    @Override
    public int tier() {
        return WireTier.MEMORY.code();
    }

    @Override
    public OpenOutput open(final String jobId, final String host, final String output)
            throws IOException {
        opens.incrementAndGet();
        if (!jobId.equals(TestSegments.JOB)) {
            return null;
        }
        try {
            final SegmentAnswer answer = source.open(jobId, new SegmentId(output, 0));
            if (!(answer instanceof ServedSegment segment)) {
                return null;
            }
            segment.close();
        } catch (final FetchException e) {
            if (e.reason() == Reason.NOT_FOUND) {
                return null;
            }
            throw e;
        }
        open.incrementAndGet();
        return new Opened(jobId, output);
    }

    private final class Opened implements OpenOutput {
        private final String jobId;
        private final String output;

        Opened(final String jobId, final String output) {
            this.jobId = jobId;
            this.output = output;
        }

        @Override
        public ServedSegment segment(final int partition, final int run) throws FetchException {
            if (fails) {
                throw new IllegalStateException("a test has the file system fail");
            }
            return (ServedSegment) source.open(jobId, new SegmentId(output, partition, run));
        }

        @Override
        public long position(final int partition) {
            return 1000L * partition;
        }

        @Override
        public void close() {
            open.decrementAndGet();
        }
    }
}
