// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.SealedJob;
import io.spillway.placement.message.TableVersion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The jobs that hosts know or nodes hold outputs of, and their users. Guarded by the book. */
final class BookJobs {
    private static final Logger LOG = LoggerFactory.getLogger(BookJobs.class);

    /** Some milliseconds of work. */
    static final int OUTPUTS_AT_A_TIME = 4096;

    private final Map<String, BookJob> jobs = new HashMap<>();
    private final Map<String, BookUser> users = new HashMap<>();
    private final JobTable table;
    private final BookLedger ledger;

    /** The outputs of jobs that have ended, whose places are still entered. */
    private final Deque<Iterator<BookOutput>> leftovers = new ArrayDeque<>();

    private boolean sharesSecrets;

    BookJobs(final JobTable table, final BookLedger ledger) {
        this.table = table;
        this.ledger = ledger;
    }

    /** Null where it is not known. */
    BookJob find(final String jobId) {
        return jobs.get(jobId);
    }

    /** The jobs that the host of a node had when that very process was heard last. */
    Set<String> ofHost(final NodeIdentity node) {
        return jobs.values().stream()
                .filter(job -> job.hasHost(node))
                .map(BookJob::id)
                .collect(Collectors.toSet());
    }

    Collection<BookJob> all() {
        return jobs.values();
    }

    Collection<BookUser> users() {
        return users.values();
    }

    /**
     * Whether nodes with memory get the secrets of jobs, and not keys of their own. A job that was
     * there beside a node of the former release goes on so: it may have old tasks to its end.
     */
    void shareSecrets(final boolean shared) {
        final boolean begins = shared && !sharesSecrets;
        sharesSecrets = shared;
        if (begins) {
            jobs.values().stream()
                    .filter(BookJob::isAnnounced)
                    .forEach(job -> job.version(table.runs(shared(job))));
        }
    }

    private SealedJob shared(final BookJob job) {
        return table.sealed(job.id()).with(keyOfNodes());
    }

    private SealedJob.Key keyOfNodes() {
        return sharesSecrets ? SealedJob.Key.SECRET : SealedJob.Key.OF_NODE;
    }

    /** A host knows a job, and tells its user and secret. */
    void announced(final SealedJob sealed, final long now) {
        BookJob job = jobs.get(sealed.id());
        if (job == null) {
            job = new BookJob(sealed.id(), now);
            jobs.put(sealed.id(), job);
        }
        job.reported(now);
        if (!job.isAnnounced()) {
            final BookUser user = users.computeIfAbsent(sealed.user(), BookUser::new);
            user.jobBegan();
            job.announce(user, table.runs(sealed.with(keyOfNodes())));
        } else if (!job.user().name().equals(sealed.user())) {
            LOG.warn(
                    "{}: user={}, expected {}, as another host has told",
                    sealed.id(),
                    sealed.user(),
                    job.user().name());
        }
    }

    /** A host knows a job, and takes it for one that is announced. */
    void known(final String jobId, final long now) {
        findOrKeep(jobId, now).reported(now);
    }

    /** A job that a node holds outputs of. */
    BookJob findOrKeep(final String jobId, final long now) {
        return jobs.computeIfAbsent(jobId, id -> keep(id, now));
    }

    private BookJob keep(final String jobId, final long now) {
        table.kept(jobId);
        return new BookJob(jobId, now);
    }

    /** Whether a job has ended and the node does not know that yet. */
    boolean hasEndedSince(final TableVersion reported, final String jobId) {
        return table.hasEndedSince(reported, jobId);
    }

    /**
     * Forgets the jobs that no host has reported for so long. Where all their hosts have reported
     * without them they have ended; else silence is no sign of their end, and nodes keep what users
     * of such a job still fetch.
     */
    void giveUpSilent(final DroppedJobs dropped, final long now, final long nanos) {
        final List<BookJob> silent = new ArrayList<>();
        for (final BookJob job : jobs.values()) {
            if (now - job.reportedNanos() >= nanos) {
                silent.add(job);
            }
        }
        for (final BookJob job : silent) {
            if (dropped.contains(job.id())) {
                end(job.id());
                continue;
            }
            LOG.warn(
                    "{} is given up: no host has reported it for {} s, nor its end; {} outputs of"
                            + " {} bytes are not located any more",
                    job.id(),
                    TimeUnit.NANOSECONDS.toSeconds(now - job.reportedNanos()),
                    job.outputs().size(),
                    job.bytes());
            remove(job);
            table.silent(job.id());
        }
    }

    /** Ends a job, where it is known. */
    void end(final String jobId) {
        final BookJob job = jobs.get(jobId);
        if (job == null) {
            return;
        }
        LOG.info(
                "{} has ended: no host has it; {} outputs of {} bytes are given up",
                job.id(),
                job.outputs().size(),
                job.bytes());
        remove(job);
        table.ended(job.id());
    }

    private void remove(final BookJob job) {
        jobs.remove(job.id());
        if (job.isAnnounced() && job.user().jobEnded()) {
            users.remove(job.user().name());
        }
        leftovers.add(job.end());
    }

    /**
     * Removes places of jobs that have ended, at most so many outputs' at a time: the book does
     * nothing else meanwhile, and a job may have a million. None of them is located any more.
     */
    void removeLeftovers() {
        int left = OUTPUTS_AT_A_TIME;
        while (left > 0 && !leftovers.isEmpty()) {
            final Iterator<BookOutput> outputs = leftovers.element();
            for (; left > 0 && outputs.hasNext(); left--) {
                removePlaces(outputs.next());
            }
            if (!outputs.hasNext()) {
                leftovers.remove();
            }
        }
    }

    private void removePlaces(final BookOutput output) {
        while (output.first() != null) {
            ledger.remove(output.first());
        }
    }
}
