// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import io.spillway.node.file.OpenFile;
import io.spillway.node.file.OpenOutput;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which blocks of which open map output files are in memory, and which of them goes when there is
 * no room. Guarded by the prefetcher's lock.
 *
 * <p>Blocks are aligned in the file, not in its segments: where segments are small, one read serves
 * several reducers. A block leaves as soon as all of its bytes have been sent. When room is needed
 * for a block, one that is less urgent goes, the least recently used first; one that is as urgent
 * goes only when it has not been used for long, as that of a reducer that has died: streams that
 * are more than fit must not drive out each other's blocks before they are read.
 */
final class SegmentCache {
    /** A block that so many requests for each block of the pool have passed by is stale. */
    private static final long STALE_REQUESTS_PER_BLOCK = 8;

    private final BlockPool pool;
    private final PrefetchCounters counters;
    private final Map<OpenFile, ReadAheadFile> files = new HashMap<>();
    private final Map<Urgency, Set<Block>> leastRecentlyUsed = new EnumMap<>(Urgency.class);
    private long requests;

    /**
     * Creates an empty cache.
     *
     * @param counters the node's, which count what is evicted, beside those of the job
     */
    SegmentCache(final BlockPool pool, final PrefetchCounters counters) {
        this.pool = pool;
        this.counters = counters;
        for (final Urgency urgency : Urgency.values()) {
            leastRecentlyUsed.put(urgency, new LinkedHashSet<>());
        }
    }

    // ---- files ---------------------------------------------------------------------------------

    /** What is known of exactly this open file, or null. */
    ReadAheadFile file(final OpenFile file) {
        return files.get(file);
    }

    ReadAheadFile addFile(final OpenOutput output, final ReadAheadJob job) {
        final ReadAheadFile added = new ReadAheadFile(output, job, pool.blockBytes());
        files.put(output.file(), added);
        job.files().add(added);
        job.attempts().add(output.attempt());
        return added;
    }

    /** Forgets a file with its blocks; what is being sent still goes out. */
    void drop(final ReadAheadFile file) {
        file.markDropped();
        files.remove(file.file());
        file.job().files().remove(file);
        new ArrayList<>(file.blocks().values()).forEach(this::evict);
    }

    int fileCount() {
        return files.size();
    }

    int blockCount() {
        return leastRecentlyUsed.values().stream().mapToInt(Set::size).sum();
    }

    // ---- blocks --------------------------------------------------------------------------------

    /**
     * The blocks that hold a range of a file, each with a reference for the caller; none unless all
     * are there.
     */
    List<Block> lookUp(final ReadAheadFile file, final long from, final long to) {
        requests++;
        final List<Block> found = new ArrayList<>();
        for (int number = file.blockOf(from); number <= file.blockOf(to - 1); number++) {
            final Block block = file.block(number);
            if (block == null) {
                return List.of();
            }
            found.add(block);
        }
        for (final Block block : found) {
            block.retain();
            use(block, Urgency.NEXT);
        }
        return found;
    }

    /** Takes over a block that was read. */
    void install(final Block block) {
        block.file().blocks().put(block.number(), block);
        block.setLastUse(requests);
        leastRecentlyUsed.get(block.urgency()).add(block);
    }

    /** Makes a block that is in memory at least as urgent as this. */
    void raise(final ReadAheadFile file, final int number, final Urgency urgency) {
        final Block block = file.block(number);
        if (block != null && block.urgency().compareTo(urgency) < 0) {
            use(block, urgency);
        }
    }

    private void use(final Block block, final Urgency urgency) {
        leastRecentlyUsed.get(block.urgency()).remove(block);
        block.setUrgency(urgency);
        block.setLastUse(requests);
        leastRecentlyUsed.get(urgency).add(block);
    }

    /** Notes that bytes of a file went out; blocks of which that were the last ones leave. */
    void markSent(final ReadAheadFile file, final long from, final long to) {
        for (int number = file.blockOf(from); number <= file.blockOf(to - 1); number++) {
            file.addSent(number, from, to);
            final Block block = file.block(number);
            if (block != null && file.isSent(number)) {
                evict(block);
            }
        }
    }

    /**
     * Makes the least useful block leave.
     *
     * @param urgency of the block that needs its memory
     * @return whether there is room now
     */
    boolean makeRoom(final Urgency urgency) {
        for (final Urgency other : Urgency.values()) {
            for (final Block block : leastRecentlyUsed.get(other)) {
                if (other.compareTo(urgency) >= 0 && !isStale(block)) {
                    break;
                }
                if (!block.isBeingSent()) {
                    evict(block);
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isStale(final Block block) {
        return requests - block.lastUse() > STALE_REQUESTS_PER_BLOCK * pool.capacity();
    }

    private void evict(final Block block) {
        final ReadAheadFile file = block.file();
        file.blocks().remove(block.number());
        leastRecentlyUsed.get(block.urgency()).remove(block);
        final int unread = file.unsentBytes(block.number());
        counters.addEvictedUnread(unread);
        file.job().counters().addEvictedUnread(unread);
        block.release();
    }
}
