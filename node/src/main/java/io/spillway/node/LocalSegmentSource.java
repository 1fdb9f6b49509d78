// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import io.spillway.conf.MemoryBounds;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.node.file.IndexPage;
import io.spillway.node.file.OpenFile;
import io.spillway.node.file.OpenOutput;
import io.spillway.node.file.RunPages;
import io.spillway.node.prefetch.BlockPool;
import io.spillway.node.prefetch.PrefetchStats;
import io.spillway.node.prefetch.Prefetcher;
import io.spillway.store.tier.StoreKeys;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.SegmentAnswer;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.serve.SegmentSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the map outputs in a host's local directories, and names the node of those that their maps
 * have put elsewhere. Keeps open files, pages of indices and such names, the ones used last; never
 * that something is missing, for it may come. Has outputs on disk read ahead where its memory and
 * the client allow that. Thread-safe.
 */
public final class LocalSegmentSource implements SegmentSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalSegmentSource.class);

    /** What is read ahead at a time: long for a disk's seek, short beside the memory for it. */
    private static final int PREFETCH_BLOCK_BYTES = 256 << 10;

    /** What an index takes beside its entries: objects, the cache's entry and its key. */
    private static final int INDEX_OVERHEAD_BYTES = 256;

    /** The part of the memory for indices that is for the checksums of pages: a KiB for 100,000. */
    private static final int PART_OF_PAGED = 8;

    /** What the name of another node takes, with the cache's entry and its key, about. */
    private static final int AWAY_BYTES = 768;

    private final MapOutputLayout layout;
    private final MapOutputFiles files;
    private final UnaryOperator<String> userOfJob;
    private final LruCache<RunKey, OpenFile> openFiles;
    private final DescriptorShortage shortage;
    private final LruCache<Key, Known> known;

    /**
     * Of runs whose index has several pages. Apart from the pages: where these leave all the time,
     * an index that was forgotten too would be read whole for each.
     */
    private final LruCache<RunKey, RunPages> paged;

    private final Prefetcher prefetcher;

    /**
     * Creates a source.
     *
     * @param layout where the framework's outputs lie, and how it spells ids
     * @param locator finds files
     * @param storeRoots folders in which a map output may lie to which a link leads
     * @param userOfJob the user that a job runs as; null when the job is not known, or has ended
     * @param settings returns the text of a property, or null where it is not set
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public LocalSegmentSource(
            final MapOutputLayout layout,
            final MapOutputLocator locator,
            final List<Path> storeRoots,
            final UnaryOperator<String> userOfJob,
            final Function<String, String> settings) {
        this(
                layout,
                locator,
                storeRoots,
                userOfJob,
                settings,
                new BlockPool(prefetchBytes(settings), PREFETCH_BLOCK_BYTES));
    }

    LocalSegmentSource(
            final MapOutputLayout layout,
            final MapOutputLocator locator,
            final List<Path> storeRoots,
            final UnaryOperator<String> userOfJob,
            final Function<String, String> settings,
            final BlockPool memory) {
        this.layout = layout;
        this.files =
                new MapOutputFiles(
                        layout,
                        locator,
                        storeRoots,
                        StoreKeys.STORE_LUSTRE_DIR.get(settings).path().map(SharedOutputs::new));
        this.userOfJob = Objects.requireNonNull(userOfJob, "userOfJob");
        final int mostFiles = NodeKeys.NODE_OPEN_FILES.get(settings);
        this.openFiles = new LruCache<>(mostFiles, f -> 1, this::closing);
        this.shortage = new DescriptorShortage(openFiles, mostFiles);
        final long indexBytes = indexBytes(settings);
        final long ofPaged = indexBytes / PART_OF_PAGED;
        this.known = new LruCache<>(indexBytes - ofPaged, Known::weight, what -> {});
        this.paged = new LruCache<>(ofPaged, run -> INDEX_OVERHEAD_BYTES + run.memory(), run -> {});
        this.prefetcher =
                new Prefetcher(memory, jobId -> userOfJob.apply(jobId) != null, this::findOutputs);
    }

    /**
     * Refuses sizes that neither the host nor the heap has, before there is a source.
     *
     * @throws io.spillway.conf.InvalidSettingException that names the setting and what would fit
     */
    public static void requireMemory(final Function<String, String> settings) {
        final long unused = prefetchBytes(settings) + indexBytes(settings);
    }

    private static long prefetchBytes(final Function<String, String> settings) {
        return MemoryBounds.requireInHost(
                NodeKeys.NODE_PREFETCH_BYTES, NodeKeys.NODE_PREFETCH_BYTES.get(settings));
    }

    /** The default fits every heap: it is less where the heap is small. */
    private static long indexBytes(final Function<String, String> settings) {
        final long heap = Runtime.getRuntime().maxMemory();
        final long bytes = NodeKeys.NODE_INDEX_BYTES.get(settings);
        return bytes == NodeKeys.NODE_INDEX_BYTES.defaultValue()
                ? Math.min(bytes, heap / 2)
                : MemoryBounds.requireInHeap(NodeKeys.NODE_INDEX_BYTES, bytes, heap, heap / 2);
    }

    private void closing(final OpenFile file) {
        prefetcher.forget(file);
        file.release();
    }

    /** What something is known of. */
    private sealed interface Key permits RunKey, PageKey {
        String jobId();
    }

    /** Names one run of a map output. */
    private record RunKey(String jobId, String output, int run) implements Key {
        RunKey ofFirstRun() {
            return new RunKey(jobId, output, 0);
        }

        PageKey pageOf(final int partition) {
            return new PageKey(this, RunPages.pageOf(partition));
        }
    }

    /** Names one page of the index of a run that has several. */
    private record PageKey(RunKey run, int page) implements Key {
        @Override
        public String jobId() {
            return run.jobId();
        }
    }

    /** What word a map has left of a run of its output. */
    private sealed interface Known permits Page, Away {
        /** What it takes of memory, with the cache's entry and its key, in bytes. */
        long weight();
    }

    /** Segments of a run: all, or those of a page. */
    private record Page(IndexPage index) implements Known {
        @Override
        public long weight() {
            return INDEX_OVERHEAD_BYTES + index.memory();
        }
    }

    /** An output at other nodes, with all of its runs. */
    private record Away(SegmentPlaces places) implements Known {
        @Override
        public long weight() {
            return AWAY_BYTES;
        }
    }

    /** The page of a segment where it is known; else null. */
    private IndexPage knownPage(final RunKey key, final int partition) {
        final Known found = known.get(paged.get(key) == null ? key : key.pageOf(partition));
        return found instanceof Page page ? page.index() : null;
    }

    @Override
    public SegmentAnswer openIfCached(final String jobId, final SegmentId segment)
            throws FetchException {
        check(jobId, segment);
        final RunKey key = key(jobId, segment);
        if (known.get(key.ofFirstRun()) instanceof Away away) {
            return away.places();
        }
        final IndexPage page = knownPage(key, segment.partition());
        final OpenFile file = page == null ? null : retained(key);
        return file == null ? null : serveOrRelease(jobId, file, page, segment);
    }

    @Override
    public SegmentAnswer open(final String jobId, final SegmentId segment) throws FetchException {
        final SegmentAnswer cached = openIfCached(jobId, segment);
        if (cached != null) {
            return cached;
        }
        return shortage.retrying(() -> openUncached(jobId, segment));
    }

    private SegmentAnswer openUncached(final String jobId, final SegmentId segment)
            throws FetchException {
        final String user = check(jobId, segment);
        try {
            final OutputFinding found = files.find(user, jobId, segment);
            if (found instanceof OutputFinding.Elsewhere placed) {
                known.put(key(jobId, segment).ofFirstRun(), new Away(placed.places()));
                return placed.places();
            }
            return openHere(user, jobId, segment, (OutputFinding.Here) found);
        } finally {
            dropIfEnded(jobId);
        }
    }

    private LocalSegment openHere(
            final String user,
            final String jobId,
            final SegmentId segment,
            final OutputFinding.Here names)
            throws FetchException {
        final OpenFile open = retained(key(jobId, segment));
        final OpenFile file = open == null ? openFile(user, jobId, segment, names) : open;
        final IndexPage page = pageOrRelease(user, jobId, segment, names, file);
        return serveOrRelease(jobId, file, page, segment);
    }

    /** What is cached belongs to a job: no other job finds it, whatever names it asks for. */
    private static RunKey key(final String jobId, final SegmentId segment) {
        return new RunKey(jobId, segment.output(), segment.run());
    }

    private String check(final String jobId, final SegmentId segment) throws FetchException {
        final String user = userOfJob.apply(jobId);
        if (user == null) {
            throw new FetchException(Reason.UNKNOWN_JOB, jobId + " is not known here");
        }
        if (!layout.isOutputOf(jobId, segment.output())) {
            throw new FetchException(
                    Reason.UNAUTHORIZED,
                    "output=" + segment.output() + ", expected a map output of " + jobId);
        }
        return user;
    }

    /** The cached file with a reference for the caller, or null. */
    private OpenFile retained(final RunKey key) {
        final OpenFile file = openFiles.get(key);
        return file != null && file.retain() ? file : null;
    }

    private OpenFile openFile(
            final String user,
            final String jobId,
            final SegmentId segment,
            final OutputFinding.Here names)
            throws FetchException {
        final OpenFile file = files.openData(user, jobId, segment.output(), names.data());
        file.retain();
        openFiles.put(key(jobId, segment), file);
        return file;
    }

    private IndexPage pageOrRelease(
            final String user,
            final String jobId,
            final SegmentId segment,
            final OutputFinding.Here names,
            final OpenFile file)
            throws FetchException {
        final IndexPage cached = knownPage(key(jobId, segment), segment.partition());
        if (cached != null) {
            return cached;
        }
        try {
            final RunFiles run = files.runFiles(user, jobId, segment.output(), names, file.size());
            final IndexPage again = readAgain(key(jobId, segment), run, segment.partition());
            return again == null ? readWhole(key(jobId, segment), run, segment) : again;
        } catch (final FetchException | RuntimeException e) {
            file.release();
            throw e;
        }
    }

    /** A page of an index that was read whole before; null where the whole files have to decide. */
    private IndexPage readAgain(final RunKey key, final RunFiles run, final int partition) {
        final RunPages cached = paged.get(key);
        if (cached == null || RunPages.pageOf(partition) >= cached.count()) {
            return null;
        }
        try {
            final IndexPage page = run.read(cached, RunPages.pageOf(partition));
            known.put(key.pageOf(partition), new Page(page));
            return page;
        } catch (final FetchException e) {
            LOG.debug("{} is read whole again", key, e);
            return null;
        }
    }

    private IndexPage readWhole(final RunKey key, final RunFiles run, final SegmentId segment)
            throws FetchException {
        final RunFiles.Whole whole = run.readWhole();
        final RunPages pages = whole.pages();
        final int number = RunPages.pageOf(segment.partition());
        if (number >= pages.count()) {
            throw outOfRange(segment, whole.partitions());
        }
        final IndexPage page = whole.page(number);
        if (pages.count() == 1) {
            known.put(key, new Page(page));
        } else {
            paged.put(key, pages);
            known.put(key.pageOf(segment.partition()), new Page(page));
        }
        return page;
    }

    private LocalSegment serveOrRelease(
            final String jobId, final OpenFile file, final IndexPage page, final SegmentId segment)
            throws FetchException {
        try {
            return serve(jobId, file, page, segment);
        } catch (final FetchException | RuntimeException e) {
            file.release();
            throw e;
        }
    }

    private LocalSegment serve(
            final String jobId, final OpenFile file, final IndexPage page, final SegmentId segment)
            throws FetchException {
        if (!page.has(segment.partition())) {
            throw outOfRange(segment, page.partitions());
        }
        final IndexEntry entry = page.entry(segment.partition());
        if (entry.startOffset() + entry.partLength() > file.size()) {
            throw new FetchException(
                    Reason.SOURCE_FAILED,
                    "map output of "
                            + segment.output()
                            + ": length="
                            + file.size()
                            + ", expected at least "
                            + (entry.startOffset() + entry.partLength()));
        }
        final OpenOutput output = new OpenOutput(jobId, segment.output(), file, page);
        return new LocalSegment(output, segment.partition(), prefetcher);
    }

    private static FetchException outOfRange(final SegmentId segment, final int partitions) {
        return new FetchException(
                Reason.OUT_OF_RANGE,
                "partition="
                        + segment.partition()
                        + " of "
                        + segment.output()
                        + ", expected 0 to "
                        + (partitions - 1));
    }

    /**
     * Closes the files that are kept open, where something in this process has failed for want of
     * file descriptors.
     *
     * @return whether that is why it has failed
     */
    public boolean freesDescriptorsAfter(final Throwable failure) {
        final boolean isShortage = DescriptorShortage.isCauseOf(failure);
        if (isShortage) {
            shortage.free(failure);
        }
        return isShortage;
    }

    /** A job may have ended while its map output was being opened, after {@link #dropJob}. */
    private void dropIfEnded(final String jobId) {
        if (userOfJob.apply(jobId) == null) {
            dropJob(jobId);
        }
    }

    // ---- reading ahead -------------------------------------------------------------------------

    /** Tells that a task of a job has ended here: it may have left a map output. Does not block. */
    public void taskEnded(final String jobId) {
        prefetcher.taskEnded(jobId);
    }

    /** On a thread of the prefetcher. */
    private void findOutputs(final String jobId) {
        final String user = userOfJob.apply(jobId);
        if (user == null) {
            return;
        }
        for (final String attempt : files.attemptsOnDisk(user, jobId)) {
            if (prefetcher.wants(jobId, attempt)) {
                announce(jobId, attempt);
            }
        }
    }

    private void announce(final String jobId, final String attempt) {
        try {
            final SegmentId wanted = new SegmentId(attempt, prefetcher.lastPartition(jobId));
            if (open(jobId, wanted) instanceof LocalSegment found) {
                try (found) {
                    prefetcher.announce(found.output());
                }
            }
        } catch (final FetchException e) {
            LOG.debug("{} is not finished, or was taken away", attempt, e);
        }
    }

    /** What reading ahead has brought since the node's start. */
    public PrefetchStats prefetchStats() {
        return prefetcher.stats();
    }

    /** Forgets a job that has ended; what is being served still goes out. */
    public void dropJob(final String jobId) {
        openFiles.removeIf(key -> key.jobId().equals(jobId));
        known.removeIf(key -> key.jobId().equals(jobId));
        paged.removeIf(key -> key.jobId().equals(jobId));
        prefetcher.dropJob(jobId);
    }

    /** Forgets everything. */
    @Override
    public void close() {
        openFiles.removeIf(key -> true);
        known.removeIf(key -> true);
        paged.removeIf(key -> true);
        prefetcher.close();
    }

    Prefetcher prefetcher() {
        return prefetcher;
    }

    int openFileCount() {
        return openFiles.size();
    }

    int indexCount() {
        return known.size() + paged.size();
    }
}
