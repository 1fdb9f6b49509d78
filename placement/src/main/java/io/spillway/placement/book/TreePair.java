// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.LeasePolicy;
import java.util.function.Predicate;

/**
 * A tree of nodes that only store, and one of other hosts. Outputs that may go to both are shared
 * out between the two by the rule of {@link NodeTree}, and what dedicated outputs take of the first
 * does not count there. Guarded by the book.
 */
final class TreePair {
    private final NodeTree memoryNodes = new NodeTree();
    private final NodeTree hosts = new NodeTree();
    private double memoryNodesPass;
    private double hostsPass;

    /** A node is new, or what it has reported has changed. */
    void update(final NodeShare share) {
        final NodeTree tree = share.node().space().memoryOnly() ? memoryNodes : hosts;
        if (share.tree() == tree) {
            tree.update(share);
            return;
        }
        remove(share);
        tree.add(share);
    }

    void remove(final NodeShare share) {
        if (share.tree() != null) {
            share.tree().remove(share);
        }
    }

    /** As {@link NodeChoice#choose}. */
    NodeShare choose(
            final LeasePolicy policy,
            final long bytes,
            final long version,
            final Predicate<BookNode> fits) {
        final NodeShare share =
                policy == LeasePolicy.DEDICATED
                        ? memoryNodes.next(bytes, version, fits)
                        : nextOfBoth(bytes, version, fits);
        if (share != null) {
            share.tree().charge(share, bytes);
        }
        return share;
    }

    private NodeShare nextOfBoth(
            final long bytes, final long version, final Predicate<BookNode> fits) {
        final boolean isMemory = memoryNodesPass < hostsPass;
        final NodeTree first = isMemory ? memoryNodes : hosts;
        final NodeTree second = isMemory ? hosts : memoryNodes;
        NodeShare share = first.next(bytes, version, fits);
        if (share == null) {
            share = second.next(bytes, version, fits);
        }
        if (share != null) {
            chargeTree(share.tree(), bytes, share.tree() == second);
        }
        return share;
    }

    /** A tree that had its turn and no node for the output is owed nothing for that. */
    private void chargeTree(final NodeTree tree, final long bytes, final boolean instead) {
        final double charge = (double) Math.max(bytes, NodeTree.LEAST_CHARGE) / tree.totalRoom();
        if (tree == memoryNodes) {
            memoryNodesPass += charge;
            hostsPass = instead ? Math.max(hostsPass, memoryNodesPass) : hostsPass;
        } else {
            hostsPass += charge;
            memoryNodesPass = instead ? Math.max(memoryNodesPass, hostsPass) : memoryNodesPass;
        }
    }
}
