// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.ReportPart;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The jobs of a node's host, as its reports tell: each whole report has all of them, in one part or
 * several. Guarded by the book.
 */
final class HostJobs {
    private final Set<String> jobs;

    /** The jobs in the parts of the report that has begun; null where a part is missing. */
    private Set<String> begun;

    private int nextPart;
    private long last;
    private long lastButOne;

    /**
     * Begins.
     *
     * @param known what the same process has reported before it was silent
     */
    HostJobs(final Set<String> known) {
        jobs = new HashSet<>(known);
    }

    /**
     * Takes the jobs of a part.
     *
     * @return whether it ends a whole report
     */
    boolean takes(final ReportPart part, final List<String> ofPart) {
        jobs.addAll(ofPart);
        if (part.number() == 0) {
            begun = new HashSet<>();
            nextPart = 0;
        }
        if (begun == null || part.number() != nextPart) {
            begun = null;
            return false;
        }
        begun.addAll(ofPart);
        nextPart++;
        return !part.more();
    }

    /**
     * A whole report has come.
     *
     * @param number grows with each whole report of any node
     * @return the jobs that the host had before and has no more
     */
    Set<String> dropped(final long number) {
        lastButOne = last;
        last = number;
        final Set<String> dropped = new HashSet<>(jobs);
        dropped.removeAll(begun);
        jobs.retainAll(begun);
        begun = null;
        return dropped;
    }

    /**
     * Whether the last whole report was made after the one of that number had come: a node makes a
     * report when it has the answer to the one before, so the one before has to be as young.
     */
    boolean isMadeAfter(final long number) {
        return lastButOne >= number;
    }
}
