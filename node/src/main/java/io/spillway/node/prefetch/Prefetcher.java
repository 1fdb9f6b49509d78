// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import io.spillway.ifile.IndexEntry;
import io.spillway.node.file.OpenFile;
import io.spillway.node.file.OpenOutput;
import io.spillway.transport.CachedBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads map outputs on disk ahead of the reducers' requests, as the serving side of RDMA-based
 * MapReduce (HPDIC'13) and HOMR (ICS'14) does. Thread-safe: one lock guards all that it decides by,
 * and no file is touched under it.
 *
 * <p>{@link ReadAheadPlan} says what to read, {@link ReadAheadQueue} in which order, {@link
 * SegmentCache} what leaves for it, {@link ReadChoice} what is read next; {@link OutputSearch}
 * finds what no reducer has asked for.
 *
 * <p>Unlike in the papers nothing is read before the job's first reducer has come to this node.
 * Until then no reducer waits, the page cache holds what a map has just written, and whether the
 * job wants it is not known. From then on a map output is read ahead as soon as its task has ended.
 *
 * <p>A request never waits: what is not in memory is sent from the file, as it would be without.
 */
public final class Prefetcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Prefetcher.class);

    /** Two: one waits for a disk while another one's bytes arrive; more would compete with maps. */
    private static final int READERS = 2;

    private final Object lock = new Object();
    private final BlockPool pool;
    private final Predicate<String> isKnownJob;
    private final OutputSearch search;
    private final ReadAheadThreads threads = new ReadAheadThreads(READERS + 1);
    private final PrefetchCounters counters = new PrefetchCounters();
    private final SegmentCache cache;
    private final ReadAheadQueue queue = new ReadAheadQueue();
    private final ReadAheadPlan plan;
    private final ReadChoice choice;
    private final Map<String, ReadAheadJob> jobs = new HashMap<>();
    private int readers;
    private boolean closed;

    /**
     * Creates a prefetcher that has no memory and no thread yet.
     *
     * @param pool its memory
     * @param isKnownJob whether a job has not ended
     * @param findOutputs finds the map outputs of a job and calls {@link #announce} with each; run
     *     by a thread of this object
     */
    public Prefetcher(
            final BlockPool pool,
            final Predicate<String> isKnownJob,
            final Consumer<String> findOutputs) {
        this.pool = pool;
        this.isKnownJob = isKnownJob;
        this.search = new OutputSearch(lock, threads, findOutputs);
        this.cache = new SegmentCache(pool, counters);
        this.plan = new ReadAheadPlan(queue, pool);
        this.choice = new ReadChoice(queue, cache, pool);
    }

    // ---- what is asked for ---------------------------------------------------------------------

    /**
     * A piece of a segment is about to be sent.
     *
     * @param output on disk; the caller holds a reference on its file
     * @param partition the segment
     * @param offset where the piece starts in it, in bytes
     * @param length of the piece in bytes, at least 1
     * @return null when it is not in memory
     */
    public CachedBytes request(
            final OpenOutput output, final int partition, final long offset, final int length) {
        if (pool.capacity() == 0) {
            return null;
        }
        final IndexEntry entry = output.index().entry(partition);
        final long from = entry.startOffset() + offset;
        final long to = from + length;
        final ReadAheadFile file;
        final List<Block> blocks;
        synchronized (lock) {
            file = fileOf(output, true);
            if (file == null) {
                return null;
            }
            blocks = cache.lookUp(file, from, to);
            count(file.job(), !blocks.isEmpty());
            if (blocks.isEmpty()) {
                cache.markSent(file, from, to);
            }
            plan.afterRequest(file, partition, from, to, blocks.isEmpty());
        }
        dropIfEnded(output.jobId());
        startReaders();
        return blocks.isEmpty() ? null : new CachedPiece(this, file, blocks, from, to);
    }

    private void count(final ReadAheadJob job, final boolean hit) {
        counters.addRequest(hit);
        job.counters().addRequest(hit);
    }

    /**
     * A job may have ended after the caller found it, and {@link #dropJob} may have come before.
     */
    private void dropIfEnded(final String jobId) {
        if (!isKnownJob.test(jobId)) {
            dropJob(jobId);
        }
    }

    private ReadAheadFile fileOf(final OpenOutput output, final boolean mayBeginJob) {
        final ReadAheadFile file = cache.file(output.file());
        if (file != null) {
            file.setIndex(output.index());
            return file;
        }
        if (closed || !output.file().mayBeReadAhead()) {
            return null;
        }
        ReadAheadJob job = jobs.get(output.jobId());
        if (job == null) {
            if (!mayBeginJob) {
                return null;
            }
            job = new ReadAheadJob(output.jobId());
            jobs.put(output.jobId(), job);
            search.begin(output.jobId());
        }
        return cache.addFile(output, job);
    }

    // ---- map outputs that no one has asked for -------------------------------------------------

    /** The partition of a job's reducer that has asked last; 0 where none has. */
    public int lastPartition(final String jobId) {
        synchronized (lock) {
            final ReadAheadJob job = jobs.get(jobId);
            return job == null ? 0 : job.lastPartition();
        }
    }

    /** A task of the job has ended here. Does not block. */
    public void taskEnded(final String jobId) {
        synchronized (lock) {
            if (!closed && jobs.containsKey(jobId)) {
                search.begin(jobId);
            }
        }
    }

    /**
     * Whether a map output that was found would be read. More than one for two blocks would only
     * drive other files out of the cache of open files.
     */
    public boolean wants(final String jobId, final String attempt) {
        synchronized (lock) {
            final ReadAheadJob job = jobs.get(jobId);
            return job != null
                    && !job.attempts().contains(attempt)
                    && pool.hasRoom()
                    && 2 * cache.fileCount() <= pool.capacity();
        }
    }

    /** A map output was found; the caller holds a reference on its file. */
    public void announce(final OpenOutput output) {
        synchronized (lock) {
            final ReadAheadFile file = fileOf(output, false);
            if (file == null) {
                return;
            }
            plan.heads(file);
        }
        dropIfEnded(output.jobId());
        startReaders();
    }

    // ---- reading -------------------------------------------------------------------------------

    /** Starts a reader where there is something to read, and room for it. */
    void startReaders() {
        synchronized (lock) {
            if (closed || readers == READERS || !choice.hasWork()) {
                return;
            }
            readers++;
        }
        if (!threads.execute(this::readAll)) {
            synchronized (lock) {
                readers--;
            }
        }
    }

    private void readAll() {
        boolean ended = false;
        try {
            BlockRead read = nextReadOrEnd();
            while (read != null) {
                perform(read);
                read = nextReadOrEnd();
            }
            ended = true;
        } finally {
            if (!ended) {
                readerFailed();
            }
        }
    }

    /** Null ends the reader, in the same step: who adds work after it starts another one. */
    private BlockRead nextReadOrEnd() {
        synchronized (lock) {
            final BlockRead read = closed ? null : choice.next();
            if (read == null) {
                readers--;
            }
            return read;
        }
    }

    /** Its place is free for another reader; why it failed is for its thread to say. */
    private void readerFailed() {
        synchronized (lock) {
            readers--;
        }
    }

    private void perform(final BlockRead read) {
        final ByteBuffer bytes = pool.take();
        boolean filled = false;
        try {
            filled = bytes != null && read.fill(bytes);
        } finally {
            finish(read, bytes, filled);
        }
    }

    private void finish(final BlockRead read, final ByteBuffer bytes, final boolean filled) {
        synchronized (lock) {
            final ReadAheadFile file = read.file();
            file.reading().clear(read.block());
            if (filled) {
                counters.addReadAhead(bytes.remaining());
                file.job().counters().addReadAhead(bytes.remaining());
            } else if (bytes != null && !file.isDropped()) {
                file.file().forbidReadAhead();
                cache.drop(file);
            }
            if (filled && !closed && file.isWanted(read.block())) {
                cache.install(new Block(file, read.block(), bytes, pool, read.urgency()));
                return;
            }
        }
        if (bytes != null) {
            pool.give(bytes);
        }
    }

    // ---- sending -------------------------------------------------------------------------------

    /** The bytes of a piece that was in memory have left. */
    void sent(final ReadAheadFile file, final long from, final long to) {
        synchronized (lock) {
            cache.markSent(file, from, to);
        }
    }

    // ---- ends ----------------------------------------------------------------------------------

    /** The file is not kept open any more: who opens it again has another one. */
    public void forget(final OpenFile closing) {
        synchronized (lock) {
            closing.forbidReadAhead();
            final ReadAheadFile file = cache.file(closing);
            if (file != null) {
                cache.drop(file);
            }
        }
    }

    /** Frees all that is held for a job, and logs what it was good for. */
    public void dropJob(final String jobId) {
        final PrefetchStats stats;
        synchronized (lock) {
            final ReadAheadJob job = jobs.remove(jobId);
            if (job == null) {
                return;
            }
            new ArrayList<>(job.files()).forEach(cache::drop);
            queue.dropStale();
            stats = job.counters().stats(0);
        }
        LOG.info(
                "{} read ahead: {} bytes, hits={}, misses={}, evicted unread: {} bytes",
                jobId,
                stats.readAheadBytes(),
                stats.hits(),
                stats.misses(),
                stats.evictedUnreadBytes());
    }

    /** The node's figures since its start. */
    public PrefetchStats stats() {
        synchronized (lock) {
            return counters.stats(pool.usedBytes());
        }
    }

    /** Whether there is nothing left to do before the next request. */
    public boolean isIdle() {
        synchronized (lock) {
            return readers == 0 && search.isIdle();
        }
    }

    /** The files of which it knows something. */
    public int fileCount() {
        synchronized (lock) {
            return cache.fileCount();
        }
    }

    /** The blocks in memory. */
    public int blockCount() {
        synchronized (lock) {
            return cache.blockCount();
        }
    }

    /**
     * Frees everything. What is being read is finished first, by its thread: an interrupt would
     * close the file.
     */
    @Override
    public void close() {
        final List<String> left;
        synchronized (lock) {
            closed = true;
            left = new ArrayList<>(jobs.keySet());
        }
        left.forEach(this::dropJob);
        threads.close();
        pool.close();
    }
}
