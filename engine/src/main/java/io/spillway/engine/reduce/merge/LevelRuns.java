// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkSource;
import io.spillway.engine.reduce.segment.FileSource;
import io.spillway.engine.reduce.segment.StoredBytes;
import io.spillway.engine.reduce.segment.WrittenPieces;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.RunStores;
import io.spillway.engine.spi.SegmentForm;
import io.spillway.ifile.HeadMemory;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentWriter;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.sort.KeyOrder;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.tier.TieredSpillStore;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges runs whose keys, or decoders, do not fit into memory together. The merged runs go into the
 * node's tiers, or to local disk where these have no room. They have the form of a map's segments,
 * with checksum and without compression, and are encrypted where map outputs are. Used by the task
 * thread; {@link #close} and {@link #noteIn} also by others.
 *
 * <p>It takes keys that together are larger than the memory for heads, while values of any size are
 * merged without it.
 */
public final class LevelRuns implements BoundedMerge.RunMerger, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LevelRuns.class);

    /** The memory of a {@link SegmentWriter}. */
    private static final int WRITER_BYTES = 128 << 10;

    /** A run is read through this part of the memory for heads, within bounds. */
    private static final int READ_PARTS = 1024;

    private static final int MIN_READ_BYTES = 4 << 10;
    private static final int MAX_READ_BYTES = 128 << 10;

    private static final long PROGRESS_BYTES = 1 << 20;

    private final RunStores stores;
    private final Progressable heartbeat;
    private final KeyOrder order;
    private final RunCursors cursors;
    private final HeadMemory memory;
    private final SegmentForm form;
    private final int readBytes;
    private int number;

    // Guarded by this, for others may close.

    /** Null before the first run: only then anything is taken of the node. */
    private SpillStore store;

    private final Set<Spill> runs = new HashSet<>();
    private final Map<String, Long> bytesByTier = new TreeMap<>();
    private long count;
    private boolean closed;

    /**
     * Prepares merging; nothing is written yet.
     *
     * @param cursors opens the runs of the merge that the new ones take part in
     */
    public LevelRuns(
            final RunStores stores,
            final Progressable heartbeat,
            final ShuffleSettings settings,
            final KeyOrder order,
            final RunCursors cursors) {
        this.stores = stores;
        this.heartbeat = heartbeat;
        this.order = order;
        this.cursors = cursors;
        this.memory = cursors.records().memory();
        this.form = settings.form.uncompressed();
        this.readBytes =
                (int)
                        Math.max(
                                MIN_READ_BYTES,
                                Math.min(settings.headBytes / READ_PARTS, MAX_READ_BYTES));
    }

    @Override
    public RecordCursor merge(final List<RecordCursor> inputs) throws IOException {
        try (BoundedMerge merge = new BoundedMerge(inputs, order, memory, this)) {
            final WrittenPieces pieces = new WrittenPieces(readBytes);
            final Written run = write(merge, inputs.size(), pieces);
            keep(run.data);
            return cursors.plain(
                    new RunSource(run.data, pieces),
                    run.records,
                    "a merged run in tier " + run.data.store());
        }
    }

    /** A run, and how many records were written into it. */
    private record Written(Spill data, long records) {}

    private Written write(final BoundedMerge merge, final int inputs, final WrittenPieces pieces)
            throws IOException {
        final SpillStore tiers = store();
        if (number == 0) {
            LOG.warn(
                    "The next keys of all map outputs and their decoders have no room in memory:"
                            + " merging some beforehand, {} of them into {}",
                    inputs,
                    tiers.name());
        }
        memory.take(WRITER_BYTES);
        try (SpillSink sink = tiers.create("level" + number++, 0);
                SegmentWriter writer =
                        new SegmentWriter(
                                pieces.of(sink), null, form.cipher(), SegmentWriter.NO_BLOCKS)) {
            append(merge, writer);
            final long length = writer.endSegment().partLength();
            pieces.end();
            final Spill run = sink.commit();
            if (run.length() != length) {
                run.delete();
                throw new IOException("length=" + run.length() + ", expected " + length);
            }
            return new Written(run, writer.recordsWritten());
        } finally {
            memory.release(WRITER_BYTES);
        }
    }

    private void append(final BoundedMerge merge, final SegmentWriter writer) throws IOException {
        long untold = 0;
        while (merge.next()) {
            final RecordCursor record = merge.current();
            writer.append(record.buffer(), record.recordStart(), record.recordLength());
            untold += record.recordLength();
            if (untold >= PROGRESS_BYTES) {
                untold = 0;
                heartbeat.progress();
            }
        }
    }

    private synchronized SpillStore store() throws IOException {
        requireOpen();
        if (store == null) {
            store = stores.open();
            memory.take(TieredSpillStore.MOVE_BYTES);
        }
        return store;
    }

    /** From here on the run is deleted when it is read, or when all is closed. */
    private synchronized void keep(final Spill run) throws IOException {
        if (closed) {
            run.delete();
        }
        requireOpen();
        runs.add(run);
        count++;
        bytesByTier.merge(run.store(), run.length(), Long::sum);
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("The shuffle was closed while its merge went on");
        }
    }

    private synchronized void delete(final Spill run) {
        if (runs.remove(run)) {
            run.delete();
        }
    }

    /** Writes what was done into the report. */
    public synchronized void noteIn(final TaskReport report) {
        final long all = bytesByTier.values().stream().mapToLong(Long::longValue).sum();
        final long onDisk =
                bytesByTier.entrySet().stream()
                        .filter(tier -> stores.isDisk(tier.getKey()))
                        .mapToLong(Map.Entry::getValue)
                        .sum();
        report.add(ShuffleCounter.MERGE_TIER_BYTES, all - onDisk);
        report.add(ShuffleCounter.MERGE_DISK_BYTES, onDisk);
        if (count > 0) {
            report.note("mergeRuns", count);
            report.note("mergeRunBytes", bytesByTier);
        }
    }

    /** Deletes every run that is still there, and gives back what the node has lent. Idempotent. */
    @Override
    public synchronized void close() {
        closed = true;
        runs.forEach(Spill::delete);
        runs.clear();
        if (store != null) {
            store.close();
            store = null;
            memory.release(TieredSpillStore.MOVE_BYTES);
        }
    }

    /** A run, read through a piece of memory that is accounted for. */
    private final class RunSource implements ChunkSource {
        private final FileSource source;
        private boolean ended;

        RunSource(final Spill run, final WrittenPieces pieces) {
            memory.take(readBytes);
            this.source =
                    new FileSource(
                            new RunBytes(run),
                            run.length(),
                            form,
                            Chunk.unpooled(readBytes),
                            pieces);
        }

        @Override
        public long totalBytes() {
            return source.totalBytes();
        }

        @Override
        public Chunk next() throws IOException {
            return source.next();
        }

        @Override
        public void release(final Chunk chunk) {
            source.release(chunk);
        }

        @Override
        public void close() {
            if (!ended) {
                ended = true;
                memory.release(readBytes);
                source.close();
            }
        }
    }

    /**
     * A run in its tier. It is opened for each piece: so what an open one takes, of memory and of
     * open files, does not grow with the runs.
     */
    private final class RunBytes implements StoredBytes {
        private final Spill run;

        RunBytes(final Spill run) {
            this.run = run;
        }

        @Override
        public void read(
                final long position, final byte[] target, final int offset, final int length)
                throws IOException {
            try (InputStream in = run.open(position, length)) {
                if (in.readNBytes(target, offset, length) < length) {
                    throw new EOFException(this + " size=" + run.length() + " is cut short");
                }
            }
        }

        @Override
        public void close() {
            delete(run);
        }

        @Override
        public String toString() {
            return "a run of map outputs in tier " + run.store();
        }
    }
}
