// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.NodeSpace;

/**
 * The memory of a node, or its files: what is leased of it, as a leaf of a tree. Guarded by the
 * book.
 */
final class NodeShare {
    private final BookNode node;
    private final boolean isOverflow;
    private final double highWater;
    private long leased;

    // Of the tree that it is in.
    private NodeTree tree;
    private int slot;
    private double pass;

    NodeShare(final BookNode node, final boolean isOverflow, final double highWater) {
        this.node = node;
        this.isOverflow = isOverflow;
        this.highWater = highWater;
    }

    BookNode node() {
        return node;
    }

    /** Whether these are files, for what memory has no room for. */
    boolean isOverflow() {
        return isOverflow;
    }

    /** The bytes that leases may still take of it. */
    long room() {
        final NodeSpace space = node.space();
        final long capacity = isOverflow ? space.overflowCapacity() : space.capacity();
        final long used = isOverflow ? space.overflowUsed() : space.used();
        return (long) (capacity * highWater) - used - leased;
    }

    /** Bytes of leases whose outputs the node has not reported. */
    long leased() {
        return leased;
    }

    void lease(final long difference) {
        leased += difference;
    }

    // ---- of the tree ---------------------------------------------------------------------------

    /** Null where it is in none. */
    NodeTree tree() {
        return tree;
    }

    int slot() {
        return slot;
    }

    void putInto(final NodeTree newTree, final int newSlot) {
        tree = newTree;
        slot = newSlot;
    }

    /** How much it has been given of its share. */
    double pass() {
        return pass;
    }

    void pass(final double newPass) {
        pass = newPass;
    }
}
