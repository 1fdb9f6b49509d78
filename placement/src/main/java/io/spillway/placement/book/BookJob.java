// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.NodeIdentity;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/** A job: its outputs, and the bytes of all their copies. Guarded by the book. */
final class BookJob {
    private final String id;
    private final Map<String, BookOutput> outputs = new HashMap<>();

    /** The names of nodes whose hosts have it, or had it when they were heard last; epochs. */
    private final Map<String, Long> hosts = new HashMap<>();

    /** Null while no host has told the job's user and secret. */
    private BookUser user;

    private long version;
    private long reportedNanos;
    private long bytes;
    private int leases;
    private long refused;
    private boolean ended;

    BookJob(final String id, final long now) {
        this.id = id;
        this.reportedNanos = now;
    }

    String id() {
        return id;
    }

    /** A host knows it. */
    void reported(final long now) {
        reportedNanos = now;
    }

    /** When a host has reported it last, or the book has learned of it. */
    long reportedNanos() {
        return reportedNanos;
    }

    /** The host of a node of this name has it. */
    void addHost(final NodeIdentity node) {
        hosts.put(node.name(), node.epoch());
    }

    /** Whether the host of a node had it when that very process was heard last. */
    boolean hasHost(final NodeIdentity node) {
        final Long epoch = hosts.get(node.name());
        return epoch != null && epoch == node.epoch();
    }

    /** The host of a node of this name does not have it any more; whether it was the last one. */
    boolean removeHost(final String node) {
        return hosts.remove(node) != null && hosts.isEmpty();
    }

    /** Its user and secret are known, since this version of the table. */
    void announce(final BookUser owner, final long tableVersion) {
        user = owner;
        version = tableVersion;
        owner.charge(bytes);
    }

    boolean isAnnounced() {
        return user != null;
    }

    /** Null while it is not announced. */
    BookUser user() {
        return user;
    }

    void version(final long tableVersion) {
        version = tableVersion;
    }

    /** Nodes that have applied this version of the table know the job. */
    long version() {
        return version;
    }

    /** Bytes leased and held. */
    long bytes() {
        return bytes;
    }

    void charge(final long difference) {
        bytes += difference;
        if (user != null) {
            user.charge(difference);
        }
    }

    /** Places that are leased, and not held. */
    int leases() {
        return leases;
    }

    void leased(final int difference) {
        leases += difference;
    }

    /** Places that it was not given because of a quota. */
    long refused() {
        return refused;
    }

    void refused(final int places) {
        refused += places;
    }

    /** Null where there is none. */
    BookOutput find(final String output) {
        return outputs.get(output);
    }

    BookOutput findOrAdd(final String output) {
        return outputs.computeIfAbsent(output, name -> new BookOutput(this, name));
    }

    /** It has no place any more. */
    void remove(final BookOutput output) {
        if (!ended) {
            outputs.remove(output.name());
        }
    }

    /** It is no job of its user any more; its outputs, whose places are still entered. */
    Iterator<BookOutput> end() {
        ended = true;
        if (user != null) {
            user.charge(-bytes);
            user = null;
        }
        return outputs.values().iterator();
    }

    Collection<BookOutput> outputs() {
        return outputs.values();
    }
}
