// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import io.spillway.ifile.IndexEntry;
import io.spillway.node.file.IndexPage;

/**
 * Concludes from what is asked for what will be: after a piece of a segment come the following
 * bytes of the same segment; a reducer that asks for one map output will ask for the others; and
 * other reducers will ask for the other segments of that map output. Guarded by the prefetcher's
 * lock.
 *
 * <p>As far ahead as twice of what the job's reducers ask for at a time: one such piece is sent
 * while the next one is read.
 */
final class ReadAheadPlan {
    /** How many requests' worth of bytes are read ahead in a segment. */
    private static final int REQUESTS_AHEAD = 2;

    /** The most bytes read ahead in one segment, however long the requests are. */
    private static final long MAX_AHEAD_BYTES = 4 << 20;

    /** No single segment takes more than this part of the memory. */
    private static final int MIN_STREAMS = 8;

    private final ReadAheadQueue queue;
    private final BlockPool pool;

    ReadAheadPlan(final ReadAheadQueue queue, final BlockPool pool) {
        this.queue = queue;
        this.pool = pool;
    }

    /**
     * A piece was asked for.
     *
     * @param partition its segment
     * @param from where it starts in the file, in bytes
     * @param to where it ends in the file
     * @param missed whether it was not in memory
     */
    void afterRequest(
            final ReadAheadFile file,
            final int partition,
            final long from,
            final long to,
            final boolean missed) {
        final ReadAheadJob job = file.job();
        final boolean isNewReducer = job.noteFetch(partition, (int) (to - from));
        final IndexPage index = file.index();
        if (index != null) {
            final IndexEntry entry = index.entry(partition);
            final long end = entry.startOffset() + entry.partLength();
            final long ahead = Math.min(end, to + aheadBytes(job));
            queue.add(missed ? Urgency.MISSED : Urgency.NEXT, file, to, ahead);
        }
        if (isNewReducer) {
            job.files().forEach(other -> head(other, partition));
        }
        heads(file);
    }

    /**
     * The heads of a map output's segments, when it has just become known: of those of the page
     * that was asked for.
     */
    void heads(final ReadAheadFile file) {
        final IndexPage index = file.index();
        if (index == null || !file.beginHeads()) {
            return;
        }
        file.job().partitions().forEach(partition -> head(file, partition));
        headsForLater(file, index);
    }

    private void head(final ReadAheadFile file, final int partition) {
        final IndexPage index = file.index();
        if (index == null || !index.has(partition)) {
            return;
        }
        final IndexEntry entry = index.entry(partition);
        final long from = entry.startOffset();
        queue.add(Urgency.SOON, file, from, from + headLength(file.job(), entry));
    }

    /** Heads that meet become one range: mostly the whole file does, of small segments. */
    private void headsForLater(final ReadAheadFile file, final IndexPage index) {
        long from = index.entry(index.first()).startOffset();
        long to = from;
        for (int partition = index.first(); partition < index.end(); partition++) {
            final IndexEntry entry = index.entry(partition);
            if (entry.startOffset() > to) {
                queue.add(Urgency.LATER, file, from, to);
                from = entry.startOffset();
            }
            to = Math.max(to, entry.startOffset() + headLength(file.job(), entry));
        }
        queue.add(Urgency.LATER, file, from, to);
    }

    private long headLength(final ReadAheadJob job, final IndexEntry entry) {
        return Math.min(entry.partLength(), aheadBytes(job));
    }

    private long aheadBytes(final ReadAheadJob job) {
        final long share = (long) pool.capacity() * pool.blockBytes() / MIN_STREAMS;
        final long asked = (long) REQUESTS_AHEAD * job.lastLength();
        return Math.max(pool.blockBytes(), Math.min(asked, Math.min(share, MAX_AHEAD_BYTES)));
    }
}
