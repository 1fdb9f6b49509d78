// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

/**
 * Chooses the block that is read next: the most urgent one of the queue that there is memory for.
 * Guarded by the prefetcher's lock.
 */
final class ReadChoice {
    private final ReadAheadQueue queue;
    private final SegmentCache cache;
    private final BlockPool pool;

    ReadChoice(final ReadAheadQueue queue, final SegmentCache cache, final BlockPool pool) {
        this.queue = queue;
        this.cache = cache;
        this.pool = pool;
    }

    /** Whether it is worth starting a reader. */
    boolean hasWork() {
        return queue.isUrgent() || (pool.hasRoom() && !queue.isEmpty());
    }

    /** The next block, with its memory reserved; null where there is none, or no memory. */
    BlockRead next() {
        final Urgency[] urgencies = Urgency.values();
        for (int i = urgencies.length - 1; i >= 0; i--) {
            final BlockRead read = next(urgencies[i]);
            if (read != null) {
                return read;
            }
        }
        return null;
    }

    private BlockRead next(final Urgency urgency) {
        ReadAheadQueue.Range range = queue.first(urgency);
        while (range != null) {
            final ReadAheadFile file = range.file();
            final int block = range.next();
            if (!file.isWanted(block)) {
                cache.raise(file, block, urgency.whenRead());
                queue.advance(urgency);
            } else if (reserve(urgency)) {
                queue.advance(urgency);
                file.reading().set(block);
                return new BlockRead(file, block, urgency.whenRead());
            } else if (urgency.isTransient()) {
                queue.dropFirst(urgency);
            } else {
                return null;
            }
            range = queue.first(urgency);
        }
        return null;
    }

    private boolean reserve(final Urgency urgency) {
        return pool.tryReserve() || (cache.makeRoom(urgency.whenRead()) && pool.tryReserve());
    }
}
