// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSink;
import io.spillway.transport.serve.SegmentSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outputs of clients in a bounded amount of memory outside the heap: takes them as a sink, and
 * serves them once they are committed, until {@link #dropJob}. The bytes of a put are received
 * where they stay: no copy is made of them here. Thread-safe.
 *
 * <p>Where there is an {@link OverflowStore}, pieces that find no room in memory go to files: then
 * they arrive in memory that is kept free for them, and are acknowledged when they are written. A
 * put that finds no room is refused ({@code FULL}); nothing that was taken ever leaves before its
 * job's end, but by an abort, or where it is not whole and nothing more comes. What is kept about
 * bytes is on an account of the heap: a put or a commit that finds no room there is refused too.
 */
public final class MemorySegments implements SegmentSource, SegmentSink {
    /** The usual length of chunks: an output wastes half of one on average. */
    public static final int CHUNK_BYTES = 64 << 10;

    /** After which an output that is not whole is dropped, if nothing comes for it. */
    static final int IDLE_MINUTES = 10;

    private static final Logger LOG = LoggerFactory.getLogger(MemorySegments.class);

    /** What an output without segments takes of the heap, its part of a report included. */
    private static final int OUTPUT_OVERHEAD = 1024;

    /** From here on no place should be leased: the rest is for outputs that have begun. */
    private static final int FULL_PERCENT = 95;

    /** Of the memory, what outputs do not keep where there are files. */
    private static final int WAY_PART = 20;

    private static final int MOST_WAY_PART = 4;

    /** As much as a server receives at a time. */
    private static final long WAY_BYTES = 128L << 20;

    private final SegmentMemory memory;
    private final HeapAccount heap;
    private final OverflowStore overflow;
    private final JobSecrets jobs;
    private final Listener listener;
    private final long jobLimit;
    private final Map<String, HeldJob> held = new HashMap<>();
    private volatile boolean draining;

    /** Learns which outputs are visible. */
    @FunctionalInterface
    public interface Listener {
        /**
         * An output is whole; also called where it was before, and is committed again. Does not
         * block.
         *
         * @param bytes that it takes of memory and files
         */
        void committed(String jobId, String output, long bytes);

        /** An output that was visible was withdrawn by its map. Does not block. */
        default void withdrawn() {}
    }

    /**
     * Creates a store that holds nothing, and allocates nothing yet.
     *
     * @param capacity the most bytes held
     * @param chunkBytes the unit in which an output takes memory, 1 to 16 MiB
     * @param jobs knows the jobs that may put; one has to be unknown there before {@link #dropJob}
     * @param direct grants the memory
     */
    public MemorySegments(
            final long capacity,
            final int chunkBytes,
            final JobSecrets jobs,
            final DirectMemory direct) {
        this(
                capacity,
                chunkBytes,
                jobs,
                direct,
                HeapAccount.ofThisProcess(),
                Long.MAX_VALUE,
                (jobId, output, bytes) -> {},
                null);
    }

    /**
     * As the other one.
     *
     * @param heap has what is kept about bytes
     * @param jobLimit what one job may take of memory, files and heap together, in bytes
     * @param listener learns of commits
     * @param overflowOrNull takes what the memory has no room for; closed by the caller
     */
    public MemorySegments(
            final long capacity,
            final int chunkBytes,
            final JobSecrets jobs,
            final DirectMemory direct,
            final HeapAccount heap,
            final long jobLimit,
            final Listener listener,
            final OverflowStore overflowOrNull) {
        this.memory =
                new SegmentMemory(
                        overflowOrNull == null ? capacity : capacity - way(capacity),
                        capacity,
                        chunkBytes,
                        direct,
                        heap);
        this.heap = heap;
        this.overflow = overflowOrNull;
        this.jobs = jobs;
        this.jobLimit = jobLimit;
        this.listener = listener;
    }

    /** The memory for pieces on their way to files. */
    private static long way(final long capacity) {
        return Math.max(capacity / WAY_PART, Math.min(capacity / MOST_WAY_PART, WAY_BYTES));
    }

    /**
     * Starts the drain: refuses new outputs ({@code FULL}). Outputs that have begun continue to
     * their commit. False ends the drain.
     */
    public void drain(final boolean isDraining) {
        draining = isDraining;
    }

    /**
     * The capacity for outputs in bytes. It is the number of used bytes once the heap is full, and
     * during a drain. It is at least 1, because 0 means that this is no store for outputs: empty
     * outputs fill the heap alone, and a drained store still serves its outputs.
     */
    public long capacity() {
        return takesNoMore() ? Math.max(1, memory.used()) : memory.mark();
    }

    private boolean takesNoMore() {
        return draining || heap.used() >= heap.limit() / 100 * FULL_PERCENT;
    }

    /** The bytes of memory in use; with files, more than the capacity for moments. */
    public long used() {
        return memory.used();
    }

    /** The most bytes of files, as {@link OverflowStore#capacity}; 0 without files. */
    public long overflowCapacity() {
        if (overflow == null) {
            return 0;
        }
        return takesNoMore() ? overflow.used() : overflow.capacity();
    }

    /** The bytes of the heap that are counted for outputs. */
    public long heapUsed() {
        return heap.used();
    }

    /** The bytes of files in use. */
    public long overflowUsed() {
        return overflow == null ? 0 : overflow.used();
    }

    /** The outputs of a job, committed or not. */
    public synchronized int outputsOf(final String jobId) {
        final HeldJob job = held.get(jobId);
        return job == null ? 0 : job.outputs().size();
    }

    /** The outputs of all jobs, committed or not. */
    public synchronized int outputs() {
        return held.values().stream().mapToInt(job -> job.outputs().size()).sum();
    }

    /** Returns the outputs of each job, committed or not; jobs without outputs are left out. */
    public synchronized List<JobHolding> holdings() {
        return held.entrySet().stream()
                .filter(job -> !job.getValue().outputs().isEmpty())
                .map(job -> job.getValue().holding(job.getKey()))
                .sorted(Comparator.comparing(JobHolding::jobId))
                .toList();
    }

    private synchronized HeldOutput find(final String jobId, final String name) {
        final HeldJob job = held.get(jobId);
        return job == null ? null : job.outputs().get(name);
    }

    /** Whether an output is visible here. */
    public boolean holds(final String jobId, final String output) {
        final HeldOutput found = find(jobId, output);
        return found != null && found.isCommitted();
    }

    /** The outputs that are visible here, with the bytes that each takes, by job. */
    public Map<String, Map<String, Long>> committed() {
        final Map<String, Map<String, Long>> committed = new HashMap<>();
        all().forEach(
                        (jobId, outputs) ->
                                outputs.forEach(
                                        (name, output) -> {
                                            if (output.isCommitted()) {
                                                committed
                                                        .computeIfAbsent(
                                                                jobId, key -> new HashMap<>())
                                                        .put(name, output.used());
                                            }
                                        }));
        return committed;
    }

    /** A copy: what is done with many outputs does not keep others waiting. */
    private synchronized Map<String, Map<String, HeldOutput>> all() {
        final Map<String, Map<String, HeldOutput>> all = new HashMap<>();
        held.forEach((jobId, job) -> all.put(jobId, new HashMap<>(job.outputs())));
        return all;
    }

    /** Forgets a job. Its memory is free again when what is on its way in or out has ended. */
    public void dropJob(final String jobId) {
        final HeldJob dropped;
        synchronized (this) {
            dropped = held.remove(jobId);
        }
        if (dropped != null) {
            dropped.outputs().values().forEach(this::drop);
        }
    }

    /**
     * Forgets outputs that are not committed and for which nothing has come for {@value
     * #IDLE_MINUTES} minutes: their maps are gone. To be called from time to time.
     *
     * @param nowNanos of {@link System#nanoTime}
     */
    public void dropIdle(final long nowNanos) {
        final long since = nowNanos - TimeUnit.MINUTES.toNanos(IDLE_MINUTES);
        all().forEach(
                        (jobId, outputs) ->
                                outputs.forEach(
                                        (name, output) -> dropIdle(jobId, name, output, since)));
    }

    private void dropIdle(
            final String jobId, final String name, final HeldOutput output, final long since) {
        // Before the lock that all wait for: a commit of very many segments may be at work on it.
        if (!output.isIdleSince(since)) {
            return;
        }
        final boolean removed;
        synchronized (this) {
            final HeldJob job = held.get(jobId);
            removed =
                    output.isIdleSince(since) && job != null && job.outputs().remove(name, output);
        }
        if (removed) {
            LOG.info(
                    "{} of {}: nothing has come for {} minutes, and it is not whole: dropped",
                    name,
                    jobId,
                    IDLE_MINUTES);
            drop(output);
        }
    }

    private void drop(final HeldOutput output) {
        output.drop();
        heap.discharge(OUTPUT_OVERHEAD);
    }

    // ---- in ------------------------------------------------------------------------------------

    @Override
    public Optional<SegmentSink> sink() {
        return Optional.of(this);
    }

    @Override
    public Piece begin(
            final String jobId,
            final SegmentId segment,
            final long offset,
            final int length,
            final int checksum)
            throws FetchException {
        final HeldOutput output = listed(jobId, segment.output());
        try {
            return output.begin(segment, offset, length, checksum);
        } finally {
            release(jobId, segment.output(), output);
        }
    }

    @Override
    public void commit(
            final String jobId, final OutputSummary summary, final Completion completion) {
        try {
            final HeldOutput output = listed(jobId, summary.output());
            try {
                if (output.commit(summary)) {
                    listener.committed(jobId, summary.output(), output.used());
                }
            } finally {
                release(jobId, summary.output(), output);
            }
        } catch (final FetchException e) {
            completion.failed(e);
            return;
        }
        completion.done();
    }

    @Override
    public void abort(final String jobId, final String output, final Completion completion) {
        final HeldOutput aborted;
        synchronized (this) {
            final HeldJob job = held.get(jobId);
            aborted = job == null ? null : job.outputs().remove(output);
        }
        if (aborted != null) {
            final boolean wasVisible = aborted.isCommitted();
            drop(aborted);
            if (wasVisible) {
                listener.withdrawn();
            }
        }
        completion.done();
    }

    /** The output of this name, a new one where there is none, with a reference. */
    private synchronized HeldOutput listed(final String jobId, final String name)
            throws FetchException {
        if (jobs.secretOf(jobId) == null) {
            throw new FetchException(Reason.UNKNOWN_JOB, jobId + " is not known here");
        }
        HeldOutput output = find(jobId, name);
        if (output == null) {
            if (draining) {
                throw new FetchException(
                        Reason.FULL, name + ": the node is drained, and takes no new outputs");
            }
            if (!heap.charge(OUTPUT_OVERHEAD)) {
                throw new FetchException(
                        Reason.FULL,
                        name
                                + ": no room for another output: heap used="
                                + heap.used()
                                + " of limit="
                                + heap.limit());
            }
            final HeldJob job = held.computeIfAbsent(jobId, id -> new HeldJob(jobLimit));
            output = new HeldOutput(job, jobId, name, memory, overflow);
            job.outputs().put(name, output);
        }
        output.retain();
        return output;
    }

    /** What was refused at once leaves no trace. */
    private void release(final String jobId, final String name, final HeldOutput output) {
        output.release();
        final boolean removed;
        synchronized (this) {
            final HeldJob job = held.get(jobId);
            // Its job may have been dropped meanwhile, and the output with it.
            removed = job != null && output.isUnused() && job.outputs().remove(name, output);
        }
        if (removed) {
            drop(output);
        }
    }

    // ---- out -----------------------------------------------------------------------------------

    @Override
    public ServedSegment open(final String jobId, final SegmentId segment) throws FetchException {
        final HeldOutput output = find(jobId, segment.output());
        if (output == null) {
            throw new FetchException(Reason.NOT_FOUND, segment.output() + " is not here");
        }
        return output.open(segment);
    }

    @Override
    public ServedSegment openIfCached(final String jobId, final SegmentId segment)
            throws FetchException {
        return open(jobId, segment);
    }
}
