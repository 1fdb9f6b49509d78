// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.SealedJob;
import io.spillway.placement.message.TableChanges;
import io.spillway.placement.message.TableVersion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The jobs that nodes have to know, as a log of changes: the last one of each job, by the table's
 * version. Of jobs that have ended or were given up the last {@value #MAX_GONE} are kept; a node
 * that is further behind gets the list of all jobs. Guarded by the book, but for {@link #sealed}.
 */
final class JobTable {
    static final int MAX_GONE = 1024;

    private enum State {
        RUNS,
        KEPT,
        SILENT,
        ENDED
    }

    /** The last change of a job; {@code sealed} is there for one that runs. */
    private record Change(String jobId, State state, SealedJob sealed) {}

    private final long incarnation;
    private final TreeMap<Long, Change> changes = new TreeMap<>();
    private final Map<String, Long> versions = new HashMap<>();

    /** Those that run; read without the book's lock. */
    private final Map<String, SealedJob> running = new ConcurrentHashMap<>();

    private final Deque<Long> gone = new ArrayDeque<>();
    private long version;

    /** The last version whose change is not kept any more. */
    private long floor;

    private boolean settled;

    /**
     * Creates an empty table.
     *
     * @param incarnation another number for each start of the service
     */
    JobTable(final long incarnation) {
        this.incarnation = incarnation;
    }

    /** The hosts have had their time to report: now a job that is not known has ended. */
    void settle() {
        settled = true;
    }

    boolean isSettled() {
        return settled;
    }

    /** Adds a job; the version that has it. */
    long runs(final SealedJob job) {
        return change(new Change(job.id(), State.RUNS, job));
    }

    /** A job that runs, as it was added; null where none of that id does. Any thread. */
    SealedJob sealed(final String jobId) {
        return running.get(jobId);
    }

    /** Adds a job whose secret is not known yet. */
    void kept(final String jobId) {
        change(new Change(jobId, State.KEPT, null));
    }

    /** All hosts that had the job have it no more. */
    void ended(final String jobId) {
        gone(new Change(jobId, State.ENDED, null));
    }

    /** The job's hosts are silent: nodes decide by its users how long they keep what they hold. */
    void silent(final String jobId) {
        gone(new Change(jobId, State.SILENT, null));
    }

    private void gone(final Change last) {
        gone.add(change(last));
        if (gone.size() > MAX_GONE) {
            forget(gone.remove());
        }
    }

    private long change(final Change change) {
        version++;
        final Long former = versions.put(change.jobId(), version);
        if (former != null) {
            changes.remove(former);
        }
        changes.put(version, change);
        if (change.state() == State.RUNS) {
            running.put(change.jobId(), change.sealed());
        } else {
            running.remove(change.jobId());
        }
        return version;
    }

    /** Nothing to do where the job has come back meanwhile. */
    private void forget(final Long ofVersion) {
        final Change change = changes.remove(ofVersion);
        if (change != null) {
            versions.remove(change.jobId());
            floor = ofVersion;
        }
    }

    /** The version that a node has applied, 0 where it is one of another table. */
    long appliedOf(final TableVersion reported) {
        final boolean isOwn =
                reported.table() == incarnation || reported.table() == incarnation + 1;
        return isOwn && reported.version() <= version ? reported.version() : 0;
    }

    /** Whether a job has ended and the node does not know that yet. */
    boolean hasEndedSince(final TableVersion reported, final String jobId) {
        final Long last = versions.get(jobId);
        return last != null
                && last > appliedOf(reported)
                && changes.get(last).state() == State.ENDED;
    }

    private long table() {
        return settled ? incarnation + 1 : incarnation;
    }

    /** What a node has to apply next, as much as fits into a message. */
    TableChanges changesFor(final TableVersion reported) {
        final boolean reset =
                reported.table() != table()
                        || reported.version() > version
                        || Math.max(reported.version(), reported.base()) < floor;
        final long base = reset ? version : reported.base();
        final List<SealedJob> jobs = new ArrayList<>();
        final List<String> keptJobs = new ArrayList<>();
        final List<String> endedJobs = new ArrayList<>();
        long last = reset ? 0 : reported.version();
        for (final Map.Entry<Long, Change> entry : changes.tailMap(last, false).entrySet()) {
            final Change change = entry.getValue();
            final boolean fits =
                    switch (change.state()) {
                        case RUNS -> addIfFits(jobs, change.sealed(), TableChanges.MAX_JOBS);
                        case KEPT, SILENT ->
                                addIfFits(keptJobs, change.jobId(), TableChanges.MAX_IDS);
                        case ENDED -> addIfFits(endedJobs, change.jobId(), TableChanges.MAX_IDS);
                    };
            if (!fits) {
                final TableVersion next = new TableVersion(table(), last, base);
                return new TableChanges(next, reset, settled, true, jobs, keptJobs, endedJobs);
            }
            last = entry.getKey();
        }
        final TableVersion next = new TableVersion(table(), version, base);
        return new TableChanges(next, reset, settled, false, jobs, keptJobs, endedJobs);
    }

    private static <T> boolean addIfFits(final List<T> list, final T entry, final int max) {
        return list.size() < max && list.add(entry);
    }
}
