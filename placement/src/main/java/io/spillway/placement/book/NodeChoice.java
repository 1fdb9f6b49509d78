// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.LeasePolicy;
import java.util.function.Predicate;

/**
 * Chooses nodes for outputs: one that has memory for it, and only where there is none, one that has
 * files. Guarded by the book.
 */
final class NodeChoice {
    private final TreePair memory = new TreePair();
    private final TreePair overflow = new TreePair();

    /** A node is new, or what it has reported or leased has changed. */
    void update(final BookNode node) {
        memory.update(node.memory());
        overflow.update(node.overflow());
    }

    /** Leases may have changed after the node was removed. */
    void updateIfPresent(final NodeShare share) {
        if (share.tree() != null) {
            share.tree().update(share);
        }
    }

    void remove(final BookNode node) {
        memory.remove(node.memory());
        overflow.remove(node.overflow());
    }

    /**
     * Chooses the node that is next, and counts the output as its.
     *
     * @param version of the table of jobs, which the node has to have applied
     * @return null where none has room
     */
    NodeShare choose(
            final LeasePolicy policy,
            final long bytes,
            final long version,
            final Predicate<BookNode> fits) {
        final NodeShare share = memory.choose(policy, bytes, version, fits);
        return share != null ? share : overflow.choose(policy, bytes, version, fits);
    }
}
