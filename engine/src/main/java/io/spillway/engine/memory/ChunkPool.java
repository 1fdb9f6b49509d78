package io.spillway.engine.memory;

import io.spillway.engine.fetch.FetchPlanner;
import io.spillway.engine.settings.WindowLength;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The fixed memory of one reducer's shuffle: equal chunks, allocated lazily, recycled, never more
 * than the budget. Owned by the loop's thread; only {@link #peakBytes} may be read elsewhere.
 *
 * <p>What is allocated never exceeds the budget: {@code slabs + trimmed copies <= capacity}, in
 * chunks. A chunk can always be cut for a claim that may take one: as the chunks out of the pool
 * and the trimmed copies are then fewer than the capacity, either one of the slabs' chunks is idle
 * or there is room for another slab.
 *
 * <p>Each stream has a {@link Claim}. The pool keeps, at all times, {@code free >= sum of
 * reserves}. A claim takes a chunk out of its own reserve, which leaves the difference of both
 * sides as it was, or out of the surplus, which is that difference.
 *
 * <ul>
 *   <li>While copying, a claim's reserve is what it lacks of {@value #WINDOW} chunks, or of what
 *       was committed to it if that is more; it may take what was committed, at first one chunk:
 *       the head.
 *   <li>While streaming by demand, its reserve is what it lacks of one chunk; a claim that is to
 *       have the surplus is the {@link FetchPlanner}'s decision.
 *   <li>While streaming with static windows, its reserve is what it lacks of {@value #WINDOW}
 *       chunks, and the surplus is shared evenly.
 * </ul>
 *
 * <p>So a claim that holds nothing and wants more always gets a chunk. The merge gives a stream's
 * chunk back before it waits for the next one: this is why a merge over any number of streams
 * cannot deadlock on memory.
 */
public final class ChunkPool {
    /** The chunks set aside for each stream: one being consumed, one being fetched. */
    static final int WINDOW = WindowLength.WINDOWS;

    /** The chunks of a segment of which only the beginning is fetched while maps run. */
    private static final int HEAD = 1;

    /** The demand of a claim whose segment's length is not known yet. */
    static final int UNKNOWN = Integer.MAX_VALUE;

    /** One stream's part of the pool. Its state is the pool's. */
    public static final class Claim {
        private int held;
        private int demand = UNKNOWN;

        /** May be taken, and is set aside. */
        private int quota = HEAD;

        /** Is set aside, whether it may be taken now or not. */
        private int floor = WINDOW;

        private boolean settled;

        /** Demand that counts once chunks come back which requests in flight still hold. */
        private int deferred;

        private Claim() {}

        private int reserve() {
            final int lacking = Math.max(0, Math.max(quota, floor) - held);
            return settled ? Math.min(lacking, demand) : lacking;
        }

        /** The chunks it has out of the pool. */
        public int held() {
            return held;
        }

        /** The chunks still to be taken, or {@link #UNKNOWN}. */
        public int demand() {
            return demand;
        }
    }

    private final int chunkSize;
    private int capacity;
    private final boolean sharesEvenly;
    private final ChunkSlabs slabs;
    private final Deque<Chunk> idle = new ArrayDeque<>();
    private final List<Claim> claims = new ArrayList<>();

    private int out;
    private long trimmedBytes;
    private long reserved;
    private boolean streaming;
    private int activeClaims;
    private long heldByComplete;
    private volatile long peakBytes;

    /**
     * Creates a pool that has allocated nothing.
     *
     * @param sharesEvenly whether windows are static: chunks without an owner are shared evenly
     */
    public ChunkPool(final int chunkSize, final int capacity, final boolean sharesEvenly) {
        this.chunkSize = chunkSize;
        this.capacity = capacity;
        this.sharesEvenly = sharesEvenly;
        this.slabs = new ChunkSlabs(chunkSize, (long) capacity * chunkSize);
    }

    /**
     * Lowers the capacity, as far as memory is neither allocated nor set aside: slabs are not given
     * back.
     *
     * @param chunks what is wanted; a higher capacity than the present one changes nothing
     */
    public void limit(final int chunks) {
        final long unused = Math.min(surplus(), capacity - slabs.chunks() - trimmedChunks());
        capacity -= (int) Math.max(0, Math.min(capacity - chunks, unused));
    }

    /** The size of a chunk in bytes. */
    public int chunkSize() {
        return chunkSize;
    }

    /**
     * The most memory that was in use at a time: chunks out of the pool and trimmed copies. Slabs
     * may have room for some chunks more. Any thread.
     */
    public long peakBytes() {
        return peakBytes;
    }

    /** The memory that is allocated: slabs and trimmed copies. Never more than the budget. */
    public long allocatedBytes() {
        return (long) slabs.chunks() * chunkSize + trimmedBytes;
    }

    /**
     * A claim on {@value #WINDOW} chunks.
     *
     * @throws IllegalStateException when the pool is too small for another claim
     */
    public Claim claim() {
        final Claim claim = new Claim();
        if (surplus() < claim.reserve()) {
            throw new IllegalStateException(
                    "claims="
                            + claims.size()
                            + " capacity="
                            + capacity
                            + ", expected a capacity of two chunks a claim");
        }
        claims.add(claim);
        attach(claim);
        return claim;
    }

    /** Whether the claim may take a chunk of what is its own. */
    public boolean canTake(final Claim claim) {
        return claim.demand > 0
                && (claim.held < claim.quota
                        || (streaming
                                && sharesEvenly
                                && surplus() > 0
                                && claim.held < fairShare()));
    }

    /** Whether there is a chunk without an owner, and the claim has use for it. */
    public boolean canTakeSurplus(final Claim claim) {
        return streaming && claim.demand > 0 && surplus() > 0;
    }

    /** Takes a chunk. Only when {@link #canTake} or {@link #canTakeSurplus}. */
    public Chunk take(final Claim claim) {
        if (!canTake(claim) && !canTakeSurplus(claim)) {
            throw new IllegalStateException("held=" + claim.held + " demand=" + claim.demand);
        }
        detach(claim);
        claim.held++;
        if (claim.demand != UNKNOWN) {
            claim.demand--;
        }
        out++;
        attach(claim);
        notePeak();
        final Chunk idleChunk = idle.pollLast();
        final Chunk chunk =
                idleChunk == null
                        ? slabs.cut(capacity - slabs.chunks() - trimmedChunks())
                        : idleChunk;
        chunk.out = true;
        return chunk;
    }

    /**
     * Takes a chunk back whose bytes are of no more use.
     *
     * @throws IllegalStateException when it is in the pool: two would write into it later
     */
    public void giveBack(final Claim claim, final Chunk chunk) {
        if (!chunk.isPooled()) {
            trimmedBytes -= chunk.capacity();
            return;
        }
        if (!chunk.out) {
            throw new IllegalStateException("a chunk was given back twice");
        }
        chunk.out = false;
        detach(claim);
        claim.held--;
        out--;
        attach(claim);
        idle.addLast(chunk);
        if (claim.deferred > 0) {
            demandAgain(claim, claim.demand + claim.deferred);
        }
    }

    /** Takes a chunk back whose fetch failed and will be tried again. */
    public void giveBackUnfilled(final Claim claim, final Chunk chunk) {
        giveBack(claim, chunk);
        if (claim.demand != UNKNOWN) {
            demand(claim, claim.demand + 1);
        }
    }

    /** Sets how many chunks the claim still has to take. */
    public void demand(final Claim claim, final int chunks) {
        detach(claim);
        claim.demand = chunks;
        attach(claim);
    }

    /**
     * Sets how many chunks the claim has to take once more, while some of its chunks are still held
     * by requests in flight that are of no use any more. Where there is no other memory for them,
     * the claim waits for those to come back.
     */
    public void demandAgain(final Claim claim, final int chunks) {
        claim.deferred = 0;
        demand(claim, chunks);
        if (surplus() < 0) {
            final int covered = Math.max(0, (int) (claim.reserve() + surplus()));
            demand(claim, covered);
            claim.deferred = chunks - covered;
        }
    }

    /**
     * Reserves all of the claim's demand, if every other reserve stays untouched.
     *
     * @return false when the surplus is too small; nothing has changed then
     */
    public boolean commitWhole(final Claim claim) {
        return commit(claim, claim.demand);
    }

    /**
     * Sets aside so many chunks of the claim's demand, if every other reserve stays untouched.
     *
     * @return false when the surplus is too small; nothing has changed then
     */
    public boolean commit(final Claim claim, final int chunks) {
        final int lacking = Math.max(Math.min(chunks, claim.demand), claim.floor - claim.held);
        if ((long) lacking - claim.reserve() > surplus()) {
            return false;
        }
        detach(claim);
        claim.quota = Math.max(claim.quota, claim.held + Math.min(chunks, claim.demand));
        attach(claim);
        return true;
    }

    /**
     * Puts the claim back to where it was before anything was known of its segment. Its chunks in
     * flight still count, until they are given back; another head may be fetched meanwhile.
     */
    public void restart(final Claim claim) {
        detach(claim);
        claim.demand = UNKNOWN;
        claim.deferred = 0;
        claim.quota = claim.held < claim.floor ? claim.held + HEAD : HEAD;
        attach(claim);
    }

    /** Ends the possibility of a restart: from here on nothing beyond the demand is reserved. */
    public void settle(final Claim claim) {
        detach(claim);
        claim.settled = true;
        attach(claim);
    }

    /**
     * Replaces a chunk that is at most half full by a copy of the right size, which counts with
     * that size. The chunk stays where the slabs leave no room for the copy, and where the claim is
     * not settled: for one that may restart, the chunk would be set aside in addition to the copy.
     */
    public Chunk trim(final Claim claim, final Chunk chunk) {
        if (!chunk.isPooled()
                || !claim.settled
                || chunk.length() > chunkSize / 2
                || slabs.chunks() + chunksOf(trimmedBytes + chunk.length()) > capacity) {
            return chunk;
        }
        final Chunk small = chunk.trimmed();
        trimmedBytes += small.capacity();
        notePeak();
        giveBack(claim, chunk);
        return small;
    }

    /** Starts the merge: every claim is settled, and may take the chunks that are its own. */
    public void startStreaming() {
        final int own = sharesEvenly ? WINDOW : HEAD;
        for (final Claim claim : claims) {
            detach(claim);
            claim.settled = true;
            claim.quota = own;
            claim.floor = own;
            attach(claim);
        }
        streaming = true;
    }

    /** The chunks out of the pool, trimmed copies not among them. */
    public int chunksOut() {
        return out;
    }

    /**
     * Verifies what the pool promises: that its books agree with its claims', that every chunk is
     * either out or idle, and that there is a free chunk for everything that is set aside.
     *
     * @throws IllegalStateException when they do not
     */
    public void verify() {
        final long held = claims.stream().mapToLong(Claim::held).sum();
        final long setAside = claims.stream().mapToLong(Claim::reserve).sum();
        final boolean counted = held == out && setAside == reserved;
        if (!counted || out + idle.size() > slabs.chunks() || surplus() < 0 || trimmedBytes < 0) {
            throw new IllegalStateException(
                    "held=" + held + " setAside=" + setAside + ", expected " + this);
        }
    }

    @Override
    public String toString() {
        return "capacity="
                + capacity
                + " out="
                + out
                + " idle="
                + idle.size()
                + " reserved="
                + reserved
                + " trimmedBytes="
                + trimmedBytes
                + " surplus="
                + surplus();
    }

    /** The chunks that no reserve needs. */
    public long surplus() {
        return capacity - out - trimmedChunks() - reserved;
    }

    private long trimmedChunks() {
        return chunksOf(trimmedBytes);
    }

    private long chunksOf(final long bytes) {
        return (bytes + chunkSize - 1) / chunkSize;
    }

    private long fairShare() {
        return Math.max(
                WINDOW, (capacity - heldByComplete - trimmedChunks()) / Math.max(1, activeClaims));
    }

    private void notePeak() {
        final long used = (long) out * chunkSize + trimmedBytes;
        if (used > peakBytes) {
            setPeak(used);
        }
    }

    private void setPeak(final long used) {
        peakBytes = used;
    }

    private void detach(final Claim claim) {
        reserved -= claim.reserve();
        if (claim.demand > 0) {
            activeClaims--;
        } else {
            heldByComplete -= claim.held;
        }
    }

    private void attach(final Claim claim) {
        reserved += claim.reserve();
        if (claim.demand > 0) {
            activeClaims++;
        } else {
            heldByComplete += claim.held;
        }
    }
}
