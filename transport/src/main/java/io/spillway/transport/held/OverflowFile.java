// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * What the outputs of one job have in files: one file, made by the first write. Outputs take long
 * extents of it, so that their pieces lie one behind the other; what is not written of an extent is
 * a hole and takes nothing of the disk. Extents of an output that is gone are used again, as a file
 * cannot be made shorter in its middle; all bytes are free when the last output is. Thread-safe.
 */
final class OverflowFile {
    /** Far more than a fetch asks for at a time. */
    private static final int EXTENT = 4 << 20;

    /** A part of the file. Its bytes that were ever written stay charged. */
    static final class Extent {
        private final long position;
        private final long length;
        private long charged;

        private Extent(final long position, final long length) {
            this.position = position;
            this.length = length;
        }

        long position() {
            return position;
        }

        long length() {
            return length;
        }
    }

    private final String jobId;
    private final OverflowStore store;
    private final OverflowStore.Opener opener;
    private final Object opening = new Object();
    private final List<Extent> free = new ArrayList<>();
    private long end;
    private long charged;
    private FileChannel channel;
    private boolean closed;

    OverflowFile(final String jobId, final OverflowStore store, final OverflowStore.Opener opener) {
        this.jobId = jobId;
        this.store = store;
        this.opener = opener;
    }

    String jobId() {
        return jobId;
    }

    /** Gives this back, once for each time it was had from the store. */
    void release() {
        store.release(this);
    }

    // ---- extents -------------------------------------------------------------------------------

    /** A part of the file that is at least so long. */
    synchronized Extent take(final int least) {
        if (least <= EXTENT && !free.isEmpty()) {
            return free.remove(free.size() - 1);
        }
        final Extent extent = new Extent(end, Math.max(least, EXTENT));
        end += extent.length;
        return extent;
    }

    /** Nothing reads or writes these any more. */
    synchronized void give(final List<Extent> extents) {
        free.addAll(extents);
    }

    /** Counts the first bytes of an extent; returns whether there is room for them. */
    synchronized boolean charge(final Extent extent, final long bytes) {
        final long more = bytes - extent.charged;
        if (more <= 0) {
            return true;
        }
        if (closed || !store.charge(more)) {
            return false;
        }
        extent.charged = bytes;
        charged += more;
        return true;
    }

    // ---- the file ------------------------------------------------------------------------------

    /** The open file, which is made where there is none. May wait for a disk. */
    FileChannel openForWriting() throws IOException {
        // Not under the lock of the extents: threads of connections take that.
        synchronized (opening) {
            final FileChannel open = channel();
            return open == null ? keep(opener.open()) : open;
        }
    }

    private FileChannel keep(final FileChannel opened) throws IOException {
        synchronized (this) {
            if (!closed) {
                channel = opened;
                return opened;
            }
        }
        store.close(opened);
        throw new IOException("the files of " + jobId + " are closed");
    }

    /** The open file; null before the first write. */
    synchronized FileChannel channel() {
        return channel;
    }

    /** Gives the bytes back to the file system. Idempotent. */
    void close() {
        final FileChannel open;
        final long bytes;
        synchronized (this) {
            closed = true;
            open = channel;
            bytes = charged;
            charged = 0;
        }
        store.discharge(bytes);
        if (open != null) {
            store.close(open);
        }
    }
}
