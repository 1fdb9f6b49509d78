package io.spillway.memory;

import io.spillway.store.tier.Tier;
import io.spillway.store.tier.Tiers;
import io.spillway.transport.CachedBytes;
import io.spillway.transport.SegmentFile;
import io.spillway.transport.ServedSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A committed segment, open for serving; holds a reference on its output. */
final class ServedOutput implements ServedSegment {
    private static final Tier MEMORY = Tiers.named("memory");
    private static final Tier DISK = Tiers.named("disk");

    private final HeldOutput output;
    private final HeldOutput.Whole whole;

    /** Takes over a reference on {@code output}. */
    ServedOutput(final HeldOutput output, final HeldOutput.Whole whole) {
        this.output = output;
        this.whole = whole;
    }

    @Override
    public long partLength() {
        return whole.summary().partLength();
    }

    @Override
    public long rawLength() {
        return whole.summary().rawLength();
    }

    @Override
    public int runs() {
        return whole.runs();
    }

    @Override
    public long records() {
        return whole.summary().records();
    }

    @Override
    public Tier tier() {
        return whole.bytes().isInFile() ? DISK : MEMORY;
    }

    @Override
    public long checksum(final long offset, final int length) {
        return whole.bytes().checksum(offset, length);
    }

    @Override
    public void read(final long offset, final ByteBuffer destination) throws IOException {
        whole.bytes().read(offset, destination);
    }

    @Override
    public SegmentFile file(final long offset, final int length) {
        return whole.bytes().file(offset, length);
    }

    @Override
    public CachedBytes cached(final long offset, final int length) {
        final List<ByteBuffer> bytes = whole.bytes().bytes(offset, length);
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
