// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import io.spillway.ifile.HeadMemoryException;
import io.spillway.ifile.RecordCursor;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * Merges sorted runs: a tree of losers with the prefix of each run's current key. One thread.
 *
 * <p>Equal keys come in the order of their runs.
 *
 * <p>Of each run but the key of its next record has to be in memory, and a record's value only when
 * it is current. Where there is no memory for a key, {@link #next} throws {@link
 * HeadMemoryException} and may be called again; or {@link #runs} are merged by other queues from
 * there on.
 */
public final class MergeQueue implements Closeable {
    private static final int NONE = -1;

    /** Prefixes are kept with their sign bit flipped, so that a signed comparison orders them. */
    private static final long FLIP = Long.MIN_VALUE;

    /** An ended run loses against every other one; its ties are settled by {@link #ended}. */
    private static final long LAST = Long.MAX_VALUE;

    private final RecordCursor[] cursors;
    private final KeyOrder order;
    private final boolean totalPrefixes;
    private final long[] prefixes;
    private final boolean[] ended;

    /** The loser at each inner node; node n has the children 2n and 2n + 1, leaves follow. */
    private final int[] losers;

    /** The prefix of the loser at each inner node. */
    private final long[] loserPrefixes;

    private int winner = NONE;
    private boolean started;

    /** The runs that are at their first record. */
    private int opened;

    /**
     * Creates a queue; nothing is read yet.
     *
     * @param cursors belong to the queue from here on; one that is at a record already goes on with
     *     that
     */
    public MergeQueue(final List<? extends RecordCursor> cursors, final KeyOrder order) {
        this.cursors = cursors.toArray(new RecordCursor[0]);
        this.order = order;
        this.totalPrefixes = order.strength() == KeyOrder.Strength.TOTAL;
        final int runs = this.cursors.length;
        this.prefixes = new long[runs];
        this.ended = new boolean[runs];
        this.losers = new int[runs];
        this.loserPrefixes = new long[runs];
    }

    private void start() throws IOException {
        while (opened < cursors.length) {
            open(opened);
            opened++;
        }
        started = true;
        if (cursors.length > 0) {
            winner = cursors.length == 1 ? 0 : play(1);
        }
    }

    private void open(final int run) throws IOException {
        if (cursors[run].hasRecord()) {
            notePrefix(run);
        } else {
            advance(run);
        }
    }

    private void advance(final int run) throws IOException {
        if (cursors[run].nextHead()) {
            notePrefix(run);
        } else {
            prefixes[run] = LAST;
            ended[run] = true;
        }
    }

    private void notePrefix(final int run) {
        final RecordCursor cursor = cursors[run];
        prefixes[run] = order.prefix(cursor.buffer(), cursor.keyStart(), cursor.keyLength()) ^ FLIP;
    }

    /**
     * Goes to the next record of all runs. The run that gave the last one is advanced only now.
     *
     * @return false when every run has ended
     * @throws HeadMemoryException when there is no memory for a run's next key; nothing has changed
     * @throws IOException when a run is lost or corrupt
     */
    public boolean next() throws IOException {
        if (!started) {
            start();
        } else if (winner != NONE && !ended[winner]) {
            advance(winner);
            replay(winner);
        }
        if (winner == NONE || ended[winner]) {
            return false;
        }
        cursors[winner].completeRecord();
        return true;
    }

    /** Plays the whole tree below a node once. */
    private int play(final int node) {
        if (node >= cursors.length) {
            return node - cursors.length;
        }
        final int left = play(2 * node);
        final int right = play(2 * node + 1);
        final boolean leftWins = beats(left, right);
        losers[node] = leftWins ? right : left;
        loserPrefixes[node] = prefixes[losers[node]];
        return leftWins ? left : right;
    }

    /** Plays the way from a run's leaf to the root again. */
    private void replay(final int run) {
        int champion = run;
        long prefix = prefixes[run];
        for (int node = (run + losers.length) >>> 1; node > 0; node >>>= 1) {
            final int loser = losers[node];
            final long other = loserPrefixes[node];
            final long swap =
                    other == prefix
                            ? (beatsInTie(loser, champion) ? -1L : 0L)
                            : allOnesIfLess(other, prefix);
            final long prefixChange = (other ^ prefix) & swap;
            final int runChange = (loser ^ champion) & (int) swap;
            loserPrefixes[node] = other ^ prefixChange;
            prefix ^= prefixChange;
            losers[node] = loser ^ runChange;
            champion ^= runChange;
        }
        winner = champion;
    }

    /** Without a branch: which run wins is unpredictable, and a mispredicted branch costs more. */
    private static long allOnesIfLess(final long a, final long b) {
        final long difference = a - b;
        return (difference ^ ((a ^ b) & (difference ^ a))) >> 63;
    }

    private boolean beats(final int a, final int b) {
        final long prefixA = prefixes[a];
        final long prefixB = prefixes[b];
        return prefixA == prefixB ? beatsInTie(a, b) : prefixA < prefixB;
    }

    private boolean beatsInTie(final int a, final int b) {
        if (ended[a] || ended[b]) {
            return !ended[a];
        }
        final int compared = totalPrefixes ? 0 : compareKeys(cursors[a], cursors[b]);
        return compared == 0 ? a < b : compared < 0;
    }

    private int compareKeys(final RecordCursor a, final RecordCursor b) {
        return order.compare(
                a.buffer(), a.keyStart(), a.keyLength(), b.buffer(), b.keyStart(), b.keyLength());
    }

    /** The run whose record is the current one, after {@link #next} returned true. */
    public RecordCursor current() {
        return cursors[winner];
    }

    /**
     * The runs in their order, to be merged by others. Only before the first {@link #next}, or
     * right after one for which there was no memory.
     */
    public List<RecordCursor> runs() {
        return List.of(cursors);
    }

    /** Closes every run. Idempotent where the runs are. */
    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (final RecordCursor cursor : cursors) {
            try {
                cursor.close();
            } catch (final IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
