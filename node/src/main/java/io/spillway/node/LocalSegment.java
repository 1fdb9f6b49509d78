// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import io.spillway.ifile.IndexEntry;
import io.spillway.node.file.OpenOutput;
import io.spillway.node.prefetch.Prefetcher;
import io.spillway.store.tier.Tier;
import io.spillway.transport.CachedBytes;
import io.spillway.transport.SegmentFile;
import io.spillway.transport.ServedSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A segment in a local file; holds one reference on it. */
final class LocalSegment implements ServedSegment {
    private static final Logger LOG = LoggerFactory.getLogger(LocalSegment.class);

    private final OpenOutput output;
    private final int partition;
    private final IndexEntry entry;
    private final Prefetcher prefetcher;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Takes over a reference on the file of {@code output}. */
    LocalSegment(final OpenOutput output, final int partition, final Prefetcher prefetcher) {
        this.output = output;
        this.partition = partition;
        this.entry = output.index().entry(partition);
        this.prefetcher = prefetcher;
    }

    OpenOutput output() {
        return output;
    }

    @Override
    public long partLength() {
        return entry.partLength();
    }

    @Override
    public long rawLength() {
        return entry.rawLength();
    }

    @Override
    public int runs() {
        return output.index().runs();
    }

    @Override
    public long records() {
        return output.index().records(partition);
    }

    @Override
    public long checksum(final long offset, final int length) {
        return output.index().checksum(partition, offset, length);
    }

    @Override
    public Tier tier() {
        return output.file().tier();
    }

    @Override
    public void read(final long offset, final ByteBuffer destination) throws IOException {
        try {
            file().read(offset, destination);
        } catch (final IOException e) {
            fileFailed(e);
            throw e;
        }
    }

    @Override
    public void fileFailed(final IOException cause) {
        if (output.file().readFailed()) {
            LOG.warn(
                    "Reading {} failed; the next fetch opens it anew: {}",
                    output.attempt(),
                    cause.toString());
        }
    }

    @Override
    public SegmentFile file(final long offset, final int length) {
        return file();
    }

    private SegmentFile file() {
        return new SegmentFile(output.file().channel(), entry.startOffset());
    }

    /** Whatever goes wrong with the memory, the bytes are still in the file. */
    @Override
    public CachedBytes cached(final long offset, final int length) {
        if (!output.file().mayBeReadAhead()) {
            return null;
        }
        try {
            return prefetcher.request(output, partition, offset, length);
        } catch (final RuntimeException e) {
            LOG.warn("Reading {} ahead failed", output.attempt(), e);
            return null;
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            output.file().release();
        }
    }
}
