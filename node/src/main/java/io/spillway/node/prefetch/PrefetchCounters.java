// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

/** Counts for {@link PrefetchStats}. Guarded by the prefetcher's lock. */
final class PrefetchCounters {
    private long hits;
    private long misses;
    private long readAheadBytes;
    private long evictedUnreadBytes;

    void addRequest(final boolean hit) {
        if (hit) {
            hits++;
        } else {
            misses++;
        }
    }

    void addReadAhead(final long bytes) {
        readAheadBytes += bytes;
    }

    void addEvictedUnread(final long bytes) {
        evictedUnreadBytes += bytes;
    }

    PrefetchStats stats(final long currentBytes) {
        return new PrefetchStats(hits, misses, readAheadBytes, evictedUnreadBytes, currentBytes);
    }
}
