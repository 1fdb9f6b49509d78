package io.spillway.memory;

import io.spillway.store.tier.Tier;
import io.spillway.store.tier.Tiers;
import io.spillway.transport.CachedBytes;
import io.spillway.transport.ServedSegment;
import java.nio.ByteBuffer;
import java.util.List;

/** A committed segment, open for serving; holds a reference on its output. */
final class ServedOutput implements ServedSegment {
    private static final Tier MEMORY = Tiers.named("memory");

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
    public Tier tier() {
        return MEMORY;
    }

    @Override
    public long checksum(final long offset, final int length) {
        return whole.bytes().checksum(offset, length);
    }

    @Override
    public void read(final long offset, final ByteBuffer destination) {
        whole.bytes().bytes(offset, destination.remaining()).forEach(destination::put);
    }

    @Override
    public CachedBytes cached(final long offset, final int length) {
        output.retain();
        return new Lent(output, whole.bytes().bytes(offset, length));
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
