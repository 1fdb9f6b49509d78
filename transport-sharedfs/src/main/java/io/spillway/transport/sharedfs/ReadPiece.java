// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import io.spillway.transport.FetchException;
import io.spillway.transport.FetchReply;
import io.spillway.transport.SegmentId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A piece of a segment that is to be read. Whoever {@linkplain #take takes} it first ends it: the
 * reader that has its bytes, or who waits for it no longer.
 */
abstract class ReadPiece {
    private final SegmentId segment;
    private final long offset;
    private final int length;
    private final AtomicBoolean taken = new AtomicBoolean();

    /** A piece of {@code length} bytes from {@code offset} of its segment on. */
    ReadPiece(final SegmentId segment, final long offset, final int length) {
        this.segment = segment;
        this.offset = offset;
        this.length = length;
    }

    final SegmentId segment() {
        return segment;
    }

    final long offset() {
        return offset;
    }

    final int length() {
        return length;
    }

    final long end() {
        return offset + length;
    }

    /** Whether the caller is the one that ends it. */
    final boolean take() {
        return taken.compareAndSet(false, true);
    }

    final boolean isTaken() {
        return taken.get();
    }

    /** Its bytes are what remains of a buffer of the reader's. Only when taken, as all others. */
    abstract void arrived(ByteBuffer bytes, FetchReply reply);

    /** The output does not lie on the shared file system. */
    abstract void notThere();

    /** The output has no such partition, run or offset. */
    abstract void refused(FetchException cause);

    /** The output could not be opened or read. */
    abstract void failed(IOException cause);
}
