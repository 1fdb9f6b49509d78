// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import io.spillway.conf.TierName;
import io.spillway.conf.WireTier;
import io.spillway.transport.CachedBytes;
import io.spillway.transport.SegmentFile;
import io.spillway.transport.ServedSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A committed segment, open for serving; holds a reference on its output. */
final class ServedOutput implements ServedSegment {
    private final HeldOutput output;
    private final HeldSegments segments;
    private final int index;

    /** Takes over a reference on {@code output}, whose segment has this index. */
    ServedOutput(final HeldOutput output, final HeldSegments segments, final int index) {
        this.output = output;
        this.segments = segments;
        this.index = index;
    }

    @Override
    public long partLength() {
        return segments.partLength(index);
    }

    @Override
    public long rawLength() {
        return segments.rawLength(index);
    }

    @Override
    public int runs() {
        return segments.runs(index);
    }

    @Override
    public long records() {
        return segments.records(index);
    }

    @Override
    public TierName tier() {
        return segments.isInFile(index) ? WireTier.DISK : WireTier.MEMORY;
    }

    @Override
    public long checksum(final long offset, final int length) {
        return segments.checksum(index, offset, length);
    }

    @Override
    public void read(final long offset, final ByteBuffer destination) throws IOException {
        segments.read(index, offset, destination);
    }

    @Override
    public SegmentFile file(final long offset, final int length) {
        return output.sendsFile() ? segments.file(index, offset, length) : null;
    }

    @Override
    public void fileFailed(final IOException cause) {
        output.fileFailed();
    }

    @Override
    public CachedBytes cached(final long offset, final int length) {
        final List<ByteBuffer> bytes = segments.bytes(index, offset, length);
        if (bytes == null) {
            return null;
        }
        output.retain();
        return new Lent(output, bytes);
    }

    @Override
    public void close() {
        output.release();
    }

    /** Bytes on their way out. */
    private record Lent(HeldOutput output, List<ByteBuffer> buffers) implements CachedBytes {
        @Override
        public void sent() {
            // They stay until the job ends.
        }

        @Override
        public void close() {
            output.release();
        }
    }
}
