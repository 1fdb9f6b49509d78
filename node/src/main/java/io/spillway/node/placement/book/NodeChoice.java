package io.spillway.node.placement.book;

import io.spillway.node.placement.message.LeasePolicy;
import java.util.function.Predicate;

/**
 * Chooses nodes for outputs: {@link NodeTree} among nodes that only store and among other hosts.
 * Outputs that may go to both are shared out between the two by the same rule, and what dedicated
 * outputs take of the first does not count there. Guarded by the book.
 */
final class NodeChoice {
    private final NodeTree memoryNodes = new NodeTree();
    private final NodeTree hosts = new NodeTree();
    private double memoryNodesPass;
    private double hostsPass;

    /** A node is new, or what it has reported or leased has changed. */
    void update(final BookNode node) {
        final NodeTree tree = node.space().memoryOnly() ? memoryNodes : hosts;
        if (node.tree() == tree) {
            tree.update(node);
            return;
        }
        remove(node);
        tree.add(node);
    }

    /** Leases may have changed after the node was removed. */
    void updateIfPresent(final BookNode node) {
        if (node.tree() != null) {
            node.tree().update(node);
        }
    }

    void remove(final BookNode node) {
        if (node.tree() != null) {
            node.tree().remove(node);
        }
    }

    /**
     * Chooses the node that is next, and counts the output as its.
     *
     * @param version of the table of jobs, which the node has to have applied
     * @return null where none has room
     */
    BookNode choose(
            final LeasePolicy policy,
            final long bytes,
            final long version,
            final Predicate<BookNode> fits) {
        final BookNode node =
                policy == LeasePolicy.DEDICATED
                        ? memoryNodes.next(bytes, version, fits)
                        : nextOfBoth(bytes, version, fits);
        if (node != null) {
            node.tree().charge(node, bytes);
        }
        return node;
    }

    private BookNode nextOfBoth(
            final long bytes, final long version, final Predicate<BookNode> fits) {
        final boolean isMemory = memoryNodesPass < hostsPass;
        final NodeTree first = isMemory ? memoryNodes : hosts;
        final NodeTree second = isMemory ? hosts : memoryNodes;
        BookNode node = first.next(bytes, version, fits);
        if (node == null) {
            node = second.next(bytes, version, fits);
        }
        if (node != null) {
            chargeTree(node.tree(), bytes, node.tree() == second);
        }
        return node;
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
