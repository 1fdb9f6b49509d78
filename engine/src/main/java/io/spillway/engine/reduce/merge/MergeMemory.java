// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.memory.Claim;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * The memory of one merge in memory: chunks that its inputs have been consumed from are written to
 * again. Belongs to the merging thread, and then to the thread that takes the merge over.
 *
 * <p>Why a merge never has to ask for more: at its beginning it borrows what its inputs can be
 * behind with giving back, {@link #chunksAhead}. An input is behind by the chunk that it is being
 * read from, or by all of its bytes if these are but a small copy. Hence at any time the bytes
 * written are at most the capacity of the chunks that were borrowed or consumed, as long as the
 * output is no longer than the input. A merge only permutes its input. A combiner could make it
 * longer; what does not fit then goes to memory beyond the budget, and as {@link #isExceeded} ends
 * the merge's input, that is no more than the combiner had taken in before.
 */
final class MergeMemory {
    private final int chunkSize;
    private final Deque<Chunk> free;
    private final List<Chunk> consumedCopies = new ArrayList<>();
    private Consumer<Chunk> successor;
    private boolean exceeded;

    /**
     * Creates the memory of a merge.
     *
     * @param borrowed chunks of the pool
     */
    MergeMemory(final int chunkSize, final Collection<Chunk> borrowed) {
        this.chunkSize = chunkSize;
        this.free = new ArrayDeque<>(borrowed);
    }

    /** The chunks that a merge of these inputs has to borrow. */
    static int chunksAhead(
            final List<MemoryRun> inputs, final boolean compressed, final int chunkSize) {
        long behind = 0;
        for (final MemoryRun input : inputs) {
            // A compressed input gives back less than is written of it.
            final boolean shrunk = compressed && input.isSegment();
            behind += shrunk ? input.rawLength() : Math.min(input.rawLength(), chunkSize);
        }
        return (int) Math.min(Integer.MAX_VALUE, (behind + chunkSize - 1) / chunkSize + 1);
    }

    /**
     * Borrows chunks from what no fetch has reserved. Loop's thread.
     *
     * @param claim of the merges
     * @return null when there are not as many
     */
    static List<Chunk> borrow(final ChunkPool pool, final Claim claim, final int count) {
        pool.demand(claim, count);
        if (!pool.commitWhole(claim)) {
            pool.demand(claim, 0);
            return null;
        }
        final List<Chunk> borrowed = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            borrowed.add(pool.take(claim));
        }
        return borrowed;
    }

    /** A chunk to write to. */
    Chunk take() {
        final Chunk chunk = free.pollLast();
        if (chunk != null) {
            return chunk;
        }
        exceeded = true;
        return Chunk.unpooled(chunkSize);
    }

    /** Whether chunks had to be taken from beyond the budget. */
    boolean isExceeded() {
        return exceeded;
    }

    /** Takes a chunk whose content is of no more use. */
    void consumed(final Chunk chunk) {
        if (successor != null) {
            successor.accept(chunk);
        } else if (chunk.isPooled()) {
            free.addLast(chunk);
        } else {
            consumedCopies.add(chunk);
        }
    }

    /**
     * Ends the writing.
     *
     * @param next takes what is consumed from here on
     * @return all chunks that are of no use any more
     */
    List<Chunk> end(final Consumer<Chunk> next) {
        successor = next;
        final List<Chunk> unused = new ArrayList<>(free);
        unused.addAll(consumedCopies);
        free.clear();
        consumedCopies.clear();
        return unused;
    }
}
