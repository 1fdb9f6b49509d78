// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.file;

import io.spillway.store.tier.Tier;
import io.spillway.store.tier.Tiers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open map output file, shared by the cache and the segments being served; the last one to
 * release it closes it. Thread-safe.
 */
public final class OpenFile {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFile.class);

    private final FileChannel channel;
    private final long size;
    private final Tier tier;
    private final AtomicInteger references = new AtomicInteger(1);
    private volatile boolean mayBeReadAhead;
    private volatile boolean failed;

    /**
     * Takes over {@code channel}, with one reference.
     *
     * @param tier where it lies: a file in memory or NVM is served in place, not read ahead
     */
    public OpenFile(final FileChannel channel, final Tier tier) throws IOException {
        this.channel = channel;
        this.size = channel.size();
        this.tier = tier;
        this.mayBeReadAhead = tier == Tiers.DISK;
    }

    /** Whether it is worth reading ahead: it lies on a disk, and stays open. */
    public boolean mayBeReadAhead() {
        return mayBeReadAhead;
    }

    /** The file is about to be closed, or another one has taken its place. */
    public void forbidReadAhead() {
        mayBeReadAhead = false;
    }

    /**
     * Says that a read has failed. The next fetch opens the file anew: where its file system is
     * mounted again, the old descriptor stays useless.
     *
     * @return whether this is the first failure
     */
    public boolean readFailed() {
        final boolean first = !failed;
        failed = true;
        return first;
    }

    /** Where it lies. */
    public Tier tier() {
        return tier;
    }

    /** The open file; closed with the last reference. */
    public FileChannel channel() {
        return channel;
    }

    /** The file's length when it was opened; a committed map output does not change. */
    public long size() {
        return size;
    }

    /**
     * Takes a reference.
     *
     * @return false when the file is closed, was closed by an interrupt of some thread in it, or
     *     cannot be read
     */
    public boolean retain() {
        int current = references.get();
        while (current > 0 && !references.compareAndSet(current, current + 1)) {
            current = references.get();
        }
        if (current > 0 && (failed || !channel.isOpen())) {
            release();
            return false;
        }
        return current > 0;
    }

    /**
     * Fills a buffer from a position of the file on.
     *
     * @return false when the file is closed, or has become shorter
     */
    public boolean readFully(final ByteBuffer bytes, final long position) throws IOException {
        if (!retain()) {
            return false;
        }
        try {
            final long start = position - bytes.position();
            int count = 0;
            while (count >= 0 && bytes.hasRemaining()) {
                count = channel.read(bytes, start + bytes.position());
            }
            return count >= 0;
        } catch (final IOException e) {
            readFailed();
            throw e;
        } finally {
            release();
        }
    }

    /** Gives a reference back; the last one closes the file. */
    public void release() {
        if (references.decrementAndGet() > 0) {
            return;
        }
        try {
            channel.close();
        } catch (final IOException e) {
            LOG.debug("Closing a map output file failed", e);
        }
    }
}
