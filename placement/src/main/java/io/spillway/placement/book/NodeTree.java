// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.Predicate;

/**
 * Stride scheduling: of the nodes that an output fits, the one with the lowest pass is next, and
 * its pass grows by the output's bytes over the node's free bytes. So nodes get bytes in proportion
 * to what is free, and those that began together stay equally full.
 *
 * <p>The nodes are the leaves of a binary tree. Each inner vertex has the lowest pass, the most
 * free bytes and the highest version of the table of jobs below it, so that a search leaves out
 * whole branches: it looks at a few vertices a level, and at all of them only where many nodes with
 * low passes fit the output by these three and yet are refused. Guarded by the book.
 */
final class NodeTree {
    private static final int FIRST_LEAVES = 16;
    private static final int ROOT = 1;
    private static final int NONE = 0;

    /** What an output counts at least, in bytes: so that empty ones are spread too. */
    static final long LEAST_CHARGE = 4096;

    private int leaves = FIRST_LEAVES;
    private NodeShare[] shares = new NodeShare[FIRST_LEAVES];
    private double[] pass = new double[2 * FIRST_LEAVES];
    private long[] room = new long[2 * FIRST_LEAVES];
    private long[] applied = new long[2 * FIRST_LEAVES];
    private final Deque<Integer> vacant = new ArrayDeque<>();
    private int slots;
    private long totalRoom;

    /** The pass of the last node that was chosen, before it was charged. */
    private double lastPass;

    NodeTree() {
        Arrays.fill(pass, Double.POSITIVE_INFINITY);
    }

    /** The bytes that leases may still take of all nodes. */
    long totalRoom() {
        return totalRoom;
    }

    void add(final NodeShare share) {
        if (vacant.isEmpty() && slots == leaves) {
            grow();
        }
        final int slot = vacant.isEmpty() ? slots++ : vacant.pop();
        shares[slot] = share;
        share.putInto(this, slot);
        update(share);
    }

    void remove(final NodeShare share) {
        final int slot = share.slot();
        shares[slot] = null;
        share.putInto(null, 0);
        vacant.push(slot);
        set(leaves + slot, Double.POSITIVE_INFINITY, 0, 0);
    }

    /**
     * A node has more or less room, or applied another version. One that had no room begins with
     * the lowest pass of the others: it is owed nothing for that time.
     */
    void update(final NodeShare share) {
        final int leaf = leaves + share.slot();
        if (share.room() <= 0) {
            set(leaf, Double.POSITIVE_INFINITY, 0, 0);
            return;
        }
        if (pass[leaf] == Double.POSITIVE_INFINITY) {
            share.pass(Math.max(share.pass(), leastPass()));
        }
        set(leaf, share.pass(), share.room(), share.node().applied());
    }

    private double leastPass() {
        return pass[ROOT] == Double.POSITIVE_INFINITY ? lastPass : pass[ROOT];
    }

    private void set(
            final int leaf, final double newPass, final long newRoom, final long newApplied) {
        totalRoom += newRoom - room[leaf];
        pass[leaf] = newPass;
        room[leaf] = newRoom;
        applied[leaf] = newApplied;
        for (int vertex = leaf >> 1; vertex >= ROOT; vertex >>= 1) {
            combine(vertex);
        }
    }

    private void combine(final int vertex) {
        final int left = 2 * vertex;
        final int right = left + 1;
        pass[vertex] = Math.min(pass[left], pass[right]);
        room[vertex] = Math.max(room[left], room[right]);
        applied[vertex] = Math.max(applied[left], applied[right]);
    }

    private void grow() {
        final int wasLeaves = leaves;
        final double[] wasPass = pass;
        final long[] wasRoom = room;
        final long[] wasApplied = applied;
        leaves = 2 * wasLeaves;
        shares = Arrays.copyOf(shares, leaves);
        pass = new double[2 * leaves];
        room = new long[2 * leaves];
        applied = new long[2 * leaves];
        Arrays.fill(pass, Double.POSITIVE_INFINITY);
        System.arraycopy(wasPass, wasLeaves, pass, leaves, wasLeaves);
        System.arraycopy(wasRoom, wasLeaves, room, leaves, wasLeaves);
        System.arraycopy(wasApplied, wasLeaves, applied, leaves, wasLeaves);
        for (int vertex = leaves - 1; vertex >= ROOT; vertex--) {
            combine(vertex);
        }
    }

    /**
     * The node that is next, of those with so much room that have applied a version.
     *
     * @return null where there is none
     */
    NodeShare next(final long bytes, final long version, final Predicate<BookNode> fits) {
        final int leaf = search(ROOT, NONE, bytes, version, fits);
        return leaf == NONE ? null : shares[leaf - leaves];
    }

    /** The leaf with the lowest pass of those below a vertex and the best one so far. */
    private int search(
            final int vertex,
            final int best,
            final long bytes,
            final long version,
            final Predicate<BookNode> fits) {
        if (room[vertex] < bytes
                || applied[vertex] < version
                || pass[vertex] >= (best == NONE ? Double.POSITIVE_INFINITY : pass[best])) {
            return best;
        }
        if (vertex >= leaves) {
            return fits.test(shares[vertex - leaves].node()) ? vertex : best;
        }
        final int left = 2 * vertex;
        final int nearer = pass[left] <= pass[left + 1] ? left : left + 1;
        final int found = search(nearer, best, bytes, version, fits);
        return search(nearer ^ 1, found, bytes, version, fits);
    }

    /** A node gets an output; its room still is what it was before. */
    void charge(final NodeShare share, final long bytes) {
        lastPass = share.pass();
        share.pass(lastPass + (double) Math.max(bytes, LEAST_CHARGE) / share.room());
        update(share);
    }
}
