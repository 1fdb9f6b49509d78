package io.spillway.node.prefetch;

import io.spillway.ifile.IndexEntry;
import io.spillway.node.file.OpenFile;
import io.spillway.node.file.OpenOutput;
import io.spillway.thread.DaemonThreads;
import io.spillway.transport.CachedBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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
 * SegmentCache} what leaves for it.
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

    /** The readers, and one for finding map outputs. */
    private static final int THREADS = READERS + 1;

    private static final long THREAD_KEEP_ALIVE_SECONDS = 30;

    private final Object lock = new Object();
    private final BlockPool pool;
    private final Predicate<String> isKnownJob;
    private final Consumer<String> findOutputs;
    private final ThreadPoolExecutor threads = newThreads();
    private final PrefetchCounters counters = new PrefetchCounters();
    private final SegmentCache cache;
    private final ReadAheadQueue queue = new ReadAheadQueue();
    private final ReadAheadPlan plan;
    private final Map<String, ReadAheadJob> jobs = new HashMap<>();
    private final Set<String> searched = new HashSet<>();
    private int readers;
    private int searches;
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
        this.findOutputs = findOutputs;
        this.cache = new SegmentCache(pool, counters);
        this.plan = new ReadAheadPlan(queue, pool);
    }

    private static ThreadPoolExecutor newThreads() {
        final ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        THREADS,
                        THREADS,
                        THREAD_KEEP_ALIVE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        DaemonThreads.numbered("spillway-ahead"));
        executor.allowCoreThreadTimeOut(true);
        return executor;
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
        final IndexEntry entry = output.index().get(partition);
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
        return blocks.isEmpty() ? null : new CachedPiece(file, blocks, from, to);
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
            search(output.jobId());
        }
        return cache.addFile(output, job);
    }

    // ---- map outputs that no one has asked for -------------------------------------------------

    /** A task of the job has ended here. Does not block. */
    public void taskEnded(final String jobId) {
        synchronized (lock) {
            if (jobs.containsKey(jobId)) {
                search(jobId);
            }
        }
    }

    /** One search at a time is enough: what ends during it is found by the next one. */
    private void search(final String jobId) {
        if (closed || !searched.add(jobId)) {
            return;
        }
        if (execute(() -> searchNow(jobId))) {
            searches++;
        }
    }

    private void searchNow(final String jobId) {
        synchronized (lock) {
            searched.remove(jobId);
        }
        try {
            findOutputs.accept(jobId);
        } catch (final RuntimeException e) {
            LOG.warn("Finding map outputs of {} failed", jobId, e);
        } finally {
            synchronized (lock) {
                searches--;
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

    /** A block to read; its memory is reserved. */
    private record Read(ReadAheadFile file, int block, Urgency urgency) {}

    private void startReaders() {
        synchronized (lock) {
            if (closed || readers == READERS || !hasWork()) {
                return;
            }
            readers++;
        }
        if (!execute(this::readAll)) {
            synchronized (lock) {
                readers--;
            }
        }
    }

    private boolean hasWork() {
        return queue.isUrgent() || (pool.hasRoom() && !queue.isEmpty());
    }

    private boolean execute(final Runnable task) {
        try {
            threads.execute(task);
            return true;
        } catch (final RejectedExecutionException e) {
            LOG.debug("The node stops", e);
            return false;
        }
    }

    private void readAll() {
        boolean ended = false;
        try {
            Read read = nextReadOrEnd();
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
    private Read nextReadOrEnd() {
        synchronized (lock) {
            final Read read = closed ? null : nextRead();
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

    private Read nextRead() {
        final Urgency[] urgencies = Urgency.values();
        for (int i = urgencies.length - 1; i >= 0; i--) {
            final Read read = nextRead(urgencies[i]);
            if (read != null) {
                return read;
            }
        }
        return null;
    }

    private Read nextRead(final Urgency urgency) {
        ReadAheadQueue.Range range = queue.first(urgency);
        while (range != null) {
            final ReadAheadFile file = range.file();
            final int block = range.next();
            if (!file.isWanted(block)) {
                cache.raise(file, block, urgency.whenRead());
                queue.advance(urgency);
            } else if (reserve(urgency)) {
                queue.advance(urgency);
                file.reading().set(block);
                return new Read(file, block, urgency.whenRead());
            } else if (urgency.isTransient()) {
                queue.dropFirst(urgency);
            } else {
                return null;
            }
            range = queue.first(urgency);
        }
        return null;
    }

    private boolean reserve(final Urgency urgency) {
        return pool.tryReserve() || (cache.makeRoom(urgency.whenRead()) && pool.tryReserve());
    }

    private void perform(final Read read) {
        final ByteBuffer bytes = pool.take();
        boolean filled = false;
        try {
            filled = bytes != null && fill(read, bytes);
        } finally {
            finish(read, bytes, filled);
        }
    }

    /** Fails quietly: a request for these bytes fails with the reason on its way over the file. */
    private static boolean fill(final Read read, final ByteBuffer bytes) {
        try {
            bytes.limit(read.file().lengthOf(read.block()));
            final long position = read.file().startOf(read.block());
            final boolean filled = read.file().file().readFully(bytes, position);
            bytes.flip();
            return filled;
        } catch (final IOException | RuntimeException e) {
            LOG.debug("Reading a map output ahead failed", e);
            return false;
        }
    }

    private void finish(final Read read, final ByteBuffer bytes, final boolean filled) {
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

    /** A range of a file, with a reference on each of its blocks. */
    private final class CachedPiece implements CachedBytes {
        private final ReadAheadFile file;
        private final List<Block> blocks;
        private final long from;
        private final long to;

        CachedPiece(
                final ReadAheadFile file,
                final List<Block> blocks,
                final long from,
                final long to) {
            this.file = file;
            this.blocks = blocks;
            this.from = from;
            this.to = to;
        }

        @Override
        public List<ByteBuffer> buffers() {
            return blocks.stream().map(block -> block.slice(from, to)).toList();
        }

        @Override
        public void sent() {
            synchronized (lock) {
                cache.markSent(file, from, to);
            }
        }

        @Override
        public void close() {
            blocks.forEach(Block::release);
            startReaders();
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
            return readers == 0 && searches == 0;
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
        threads.shutdown();
        pool.close();
    }
}
