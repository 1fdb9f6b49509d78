// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.memory;

/**
 * The fixed memory of one reducer's shuffle: equal chunks, allocated lazily, recycled, never more
 * than the budget. Owned by the loop's thread; only {@link #peakBytes} may be read elsewhere.
 *
 * <p>What is allocated never exceeds the budget: {@code slabs + trimmed copies <= capacity}, in
 * chunks. A chunk can always be cut for a claim that may take one: as the chunks out of the pool
 * and the trimmed copies are then fewer than the capacity, either one of the slabs' chunks is idle
 * or there is room for another slab.
 *
 * <p>Each stream has a {@link Claim}, and all merges in memory one. The pool keeps, at all times,
 * {@code free >= sum of reserves}. A claim takes a chunk out of its own reserve, which leaves the
 * difference of both sides as it was, or out of the surplus, which is that difference.
 *
 * <ul>
 *   <li>While copying, a claim's reserve is what it lacks of {@value Claim#WINDOW} chunks, or of
 *       what was committed to it if that is more; it may take what was committed, at first one
 *       chunk: the head.
 *   <li>While streaming by demand, its reserve is what it lacks of one chunk; a claim that is to
 *       have the surplus is the {@code FetchPlanner}'s decision.
 *   <li>While streaming with static windows, its reserve is what it lacks of {@value Claim#WINDOW}
 *       chunks, and the surplus is shared evenly.
 * </ul>
 *
 * <p>So a claim that holds nothing and wants more always gets a chunk. The merge gives a stream's
 * chunk back before it waits for the next one: this is why a merge over any number of streams
 * cannot deadlock on memory.
 */
public final class ChunkPool {
    private final int chunkSize;
    private int capacity;
    private final boolean sharesEvenly;
    private final ChunkStock stock;
    private final ClaimBooks books = new ClaimBooks();

    private int out;
    private boolean streaming;
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
        this.stock = new ChunkStock(chunkSize, (long) capacity * chunkSize);
    }

    /**
     * Lowers the capacity, as far as memory is neither allocated nor set aside: slabs are not given
     * back.
     *
     * @param chunks what is wanted; a higher capacity than the present one changes nothing
     */
    public void limit(final int chunks) {
        final long unused = Math.min(surplus(), capacity - stock.allocatedChunks());
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
        return stock.allocatedBytes();
    }

    /**
     * A claim on {@value Claim#WINDOW} chunks.
     *
     * @throws IllegalStateException when the pool is too small for another claim
     */
    public Claim claim() {
        final Claim claim = Claim.ofStream();
        if (surplus() < claim.reserve()) {
            throw new IllegalStateException(
                    "claims="
                            + books.claims().size()
                            + " capacity="
                            + capacity
                            + ", expected a capacity of two chunks a claim");
        }
        return books.add(claim);
    }

    /**
     * A claim for which nothing is set aside: it takes what was committed to it, and is never
     * restarted.
     */
    public Claim claimWithoutReserve() {
        return books.add(Claim.withoutReserve());
    }

    /** A chunk changes hands. A trimmed copy counts for no claim. */
    public void transfer(final Claim from, final Claim to, final Chunk chunk) {
        if (!chunk.isPooled()) {
            return;
        }
        if (!chunk.out) {
            throw new IllegalStateException("a chunk of the pool is no claim's");
        }
        books.detach(from);
        books.detach(to);
        from.held--;
        to.held++;
        books.attach(from);
        books.attach(to);
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
        books.detach(claim);
        claim.held++;
        if (claim.demand != Claim.UNKNOWN) {
            claim.demand--;
        }
        out++;
        books.attach(claim);
        notePeak();
        return stock.take(capacity);
    }

    /**
     * Takes a chunk back whose bytes are of no more use.
     *
     * @throws IllegalStateException when it is in the pool: two would write into it later
     */
    public void giveBack(final Claim claim, final Chunk chunk) {
        if (!chunk.isPooled()) {
            stock.forget(chunk);
            return;
        }
        stock.giveBack(chunk);
        books.detach(claim);
        claim.held--;
        out--;
        books.attach(claim);
        if (claim.deferred > 0) {
            demandAgain(claim, claim.demand + claim.deferred);
        }
    }

    /** Takes a chunk back whose fetch failed and will be tried again. */
    public void giveBackUnfilled(final Claim claim, final Chunk chunk) {
        giveBack(claim, chunk);
        if (claim.demand != Claim.UNKNOWN) {
            demand(claim, claim.demand + 1);
        }
    }

    /** Sets how many chunks the claim still has to take. */
    public void demand(final Claim claim, final int chunks) {
        books.detach(claim);
        claim.demand = chunks;
        books.attach(claim);
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
        books.detach(claim);
        claim.quota = Math.max(claim.quota, claim.held + Math.min(chunks, claim.demand));
        books.attach(claim);
        return true;
    }

    /**
     * Puts the claim back to where it was before anything was known of its segment. Its chunks in
     * flight still count, until they are given back; another head may be fetched meanwhile.
     */
    public void restart(final Claim claim) {
        books.detach(claim);
        claim.demand = Claim.UNKNOWN;
        claim.deferred = 0;
        claim.quota = claim.held < claim.floor ? claim.held + Claim.HEAD : Claim.HEAD;
        books.attach(claim);
    }

    /** Ends the possibility of a restart: from here on nothing beyond the demand is reserved. */
    public void settle(final Claim claim) {
        books.detach(claim);
        claim.settled = true;
        books.attach(claim);
    }

    /**
     * Replaces a chunk that is at most half full by a copy of the right size, which counts with
     * that size. The chunk stays where the slabs leave no room for the copy, and where the claim is
     * not settled: for one that may restart, the chunk would be set aside in addition to the copy.
     */
    public Chunk trim(final Claim claim, final Chunk chunk) {
        if (!chunk.isPooled() || !claim.settled || chunk.length() > chunkSize / 2) {
            return chunk;
        }
        final Chunk small = stock.trimmed(chunk, capacity);
        if (small == null) {
            return chunk;
        }
        notePeak();
        giveBack(claim, chunk);
        return small;
    }

    /** Starts the merge: every claim is settled, and may take the chunks that are its own. */
    public void startStreaming() {
        final int own = sharesEvenly ? Claim.WINDOW : Claim.HEAD;
        for (final Claim claim : books.claims()) {
            books.detach(claim);
            claim.settled = true;
            claim.quota = own;
            claim.floor = own;
            books.attach(claim);
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
        if (!books.agreeWith(out) || !stock.agreesWith(out) || surplus() < 0) {
            final long held = books.claims().stream().mapToLong(Claim::held).sum();
            final long setAside = books.claims().stream().mapToLong(Claim::reserve).sum();
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
                + " "
                + stock
                + " reserved="
                + books.reserved()
                + " surplus="
                + surplus();
    }

    /** The chunks that no reserve needs. */
    public long surplus() {
        return capacity - out - stock.trimmedChunks() - books.reserved();
    }

    private long fairShare() {
        return Math.max(
                Claim.WINDOW,
                (capacity - books.heldByComplete() - stock.trimmedChunks())
                        / Math.max(1, books.active()));
    }

    private void notePeak() {
        final long used = (long) out * chunkSize + stock.trimmedBytes();
        if (used > peakBytes) {
            setPeak(used);
        }
    }

    private void setPeak(final long used) {
        peakBytes = used;
    }
}
