// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.MessageKind;
import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeReport;
import io.spillway.placement.message.NodeSpace;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes that live, by name. Guarded by the book. */
final class BookNodes {
    private static final Logger LOG = LoggerFactory.getLogger(BookNodes.class);

    private final Map<String, BookNode> byName = new HashMap<>();
    private final NodeChoice choice;
    private final BookLedger ledger;
    private final double highWater;
    private final long timeoutNanos;
    private long capacity;
    private int former;

    /** When a node has come, was silent for long, or was given up. */
    private long changedNanos;

    /** A node that was missing when it was asked whether all have reported, or null. */
    private BookNode laggard;

    BookNodes(final NodeChoice choice, final BookLedger ledger, final BookSettings settings) {
        this.choice = choice;
        this.ledger = ledger;
        this.highWater = settings.highWater();
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(settings.nodeTimeoutMillis());
    }

    Collection<BookNode> all() {
        return byName.values();
    }

    /** The capacity of all, memory and files, in bytes. */
    long capacity() {
        return capacity;
    }

    /** Whether a node of the former release is there: old tasks may run, and old nodes serve. */
    boolean hasFormer() {
        return former > 0;
    }

    /** A node that was admitted has reported. */
    void reported(
            final BookNode node, final NodeReport report, final long applied, final long now) {
        final NodeSpace space = report.space();
        final boolean isFormer = report.version() == MessageKind.V2;
        former += (isFormer ? 1 : 0) - (node.isFormer() ? 1 : 0);
        node.former(isFormer);
        capacity += space.total() - node.space().total();
        if (!isAlive(node, now)) {
            changedNanos = now;
        }
        node.reported(space, applied, now);
    }

    /** Whether for so long the same nodes have been there, and none was silent. */
    boolean areSteady(final long now, final long nanos) {
        return now - changedNanos >= nanos;
    }

    /** Whether each node's last report of all jobs was made after the one of that number. */
    boolean haveAllReportedSince(final long number) {
        if (laggard != null && !laggard.hostJobs().isMadeAfter(number)) {
            return false;
        }
        laggard = null;
        for (final BookNode node : byName.values()) {
            if (!node.hostJobs().isMadeAfter(number)) {
                laggard = node;
                return false;
            }
        }
        return true;
    }

    boolean isAlive(final BookNode node, final long now) {
        return node.silentNanos(now) < timeoutNanos;
    }

    /**
     * The node that reports. A younger one takes the place of the one with its name.
     *
     * @param jobs what is known of jobs and their hosts
     * @throws FetchException with {@code CONFLICT} where a younger one of that name lives
     */
    BookNode admit(final NodeReport report, final BookJobs jobs, final long now)
            throws FetchException {
        final NodeIdentity identity = report.node();
        final BookNode current = byName.get(identity.name());
        if (current != null && current.identity().equals(identity)) {
            return current;
        }
        if (current != null
                && isAlive(current, now)
                && identity.epoch() <= current.identity().epoch()) {
            throw new FetchException(
                    Reason.CONFLICT,
                    "node "
                            + identity
                            + ": a younger one of that name reports, "
                            + current.identity().place());
        }
        if (current != null) {
            remove(current, "a younger one of that name reports", now);
        }
        LOG.info("Node {} reports", identity);
        final BookNode node = new BookNode(identity, highWater, jobs.ofHost(identity));
        byName.put(identity.name(), node);
        node.reported(node.space(), 0, now);
        changedNanos = now;
        return node;
    }

    /** Removes the nodes that are silent. */
    void removeSilent(final long now) {
        final List<BookNode> silent = new ArrayList<>();
        for (final BookNode node : byName.values()) {
            if (!isAlive(node, now)) {
                silent.add(node);
            }
        }
        for (final BookNode node : silent) {
            final long millis = TimeUnit.NANOSECONDS.toMillis(timeoutNanos);
            remove(node, "silent for " + millis + " ms", now);
        }
    }

    private void remove(final BookNode node, final String why, final long now) {
        LOG.warn(
                "Node {} is given up: {}; it held {} outputs",
                node.identity(),
                why,
                node.outputs());
        changedNanos = now;
        laggard = laggard == node ? null : laggard;
        byName.remove(node.identity().name());
        former -= node.isFormer() ? 1 : 0;
        capacity -= node.space().total();
        choice.remove(node);
        while (node.first() != null) {
            ledger.remove(node.first());
        }
    }
}
