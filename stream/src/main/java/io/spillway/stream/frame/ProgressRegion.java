package io.spillway.stream.frame;

import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import java.io.IOException;
import java.nio.ByteBuffer;

/** What regions have in common: references, of which Netty asks for each kind of call. */
public abstract class ProgressRegion extends AbstractReferenceCounted implements FileRegion {
    /**
     * Copies bytes, as many as there are or {@code target} takes.
     *
     * @param position of the first in the region
     */
    public abstract void read(ByteBuffer target, long position) throws IOException;

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // Netty's own name, which it still calls.
    public final long transfered() {
        return transferred();
    }

    @Override
    public final FileRegion retain() {
        super.retain();
        return this;
    }

    @Override
    public final FileRegion retain(final int increment) {
        super.retain(increment);
        return this;
    }

    @Override
    public final FileRegion touch() {
        return this;
    }

    @Override
    public final FileRegion touch(final Object hint) {
        return this;
    }
}
