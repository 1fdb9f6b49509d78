// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A region whose bytes can be encrypted on their way out. */
public abstract class ReadableRegion extends ProgressRegion {
    /**
     * Copies bytes, as many as there are or {@code target} takes.
     *
     * @param position of the first in the region
     */
    public abstract void read(ByteBuffer target, long position) throws IOException;
}
