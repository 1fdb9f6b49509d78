// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;

/** What regions have in common: references, of which Netty asks for each kind of call. */
abstract class ProgressRegion extends AbstractReferenceCounted implements FileRegion {
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
