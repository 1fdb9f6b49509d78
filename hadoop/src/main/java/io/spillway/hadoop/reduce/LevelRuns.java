package io.spillway.hadoop.reduce;

import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.SegmentWriter;
import io.spillway.report.ShuffleFigure;
import io.spillway.report.TaskReport;
import io.spillway.sort.HeadMemory;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.RecordCursor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges runs whose keys have no room in memory together into runs on local disk: segments as a map
 * writes them, not compressed, with their checksum. Task thread; {@link #close} also by others.
 *
 * <p>This is the last resort: it takes keys that together are larger than the memory for heads,
 * while values of any size are merged without it.
 */
final class LevelRuns implements BoundedMerge.RunMerger, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LevelRuns.class);

    /** The memory of a {@link SegmentWriter}. */
    private static final int WRITER_BYTES = 128 << 10;

    /** A run is read through this part of the memory for heads, within bounds. */
    private static final int READ_PARTS = 1024;

    private static final int MIN_READ_BYTES = 4 << 10;
    private static final int MAX_READ_BYTES = 128 << 10;

    private static final long PROGRESS_BYTES = 1 << 20;
    private static final long SIZE_UNKNOWN = -1;

    private final ShuffleConsumerPlugin.Context<?, ?> context;
    private final Progressable reporter;
    private final KeyOrder order;
    private final RunCursors cursors;
    private final HeadMemory memory;
    private final int readBytes;

    /** The files that are there; guarded by itself. */
    private final Set<Path> files = new HashSet<>();

    private int number;
    private final AtomicLong runs = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Prepares merging; nothing is written yet.
     *
     * @param cursors opens the runs of the merge that the new ones take part in
     */
    LevelRuns(
            final ShuffleConsumerPlugin.Context<?, ?> context,
            final ShuffleSettings settings,
            final KeyOrder order,
            final RunCursors cursors) {
        this.context = context;
        this.reporter = context.getReporter();
        this.order = order;
        this.cursors = cursors;
        this.memory = cursors.records().memory();
        this.readBytes =
                (int)
                        Math.max(
                                MIN_READ_BYTES,
                                Math.min(settings.headBytes / READ_PARTS, MAX_READ_BYTES));
    }

    @Override
    public RecordCursor merge(final List<RecordCursor> inputs) throws IOException {
        try (BoundedMerge merge = new BoundedMerge(inputs, order, memory, this)) {
            final Path file = newFile();
            if (number == 1) {
                LOG.warn(
                        "The next keys of all map outputs have no room in memory:"
                                + " merging some on local disk first, {} of them into {}",
                        inputs.size(),
                        file);
            }
            final WrittenPieces pieces = new WrittenPieces(readBytes);
            final IndexEntry run = write(merge, file, pieces);
            runs.incrementAndGet();
            bytes.addAndGet(run.partLength());
            return cursors.plain(new RunSource(file, run.partLength(), pieces));
        }
    }

    private Path newFile() throws IOException {
        final TaskAttemptID attempt = (TaskAttemptID) context.getReduceId();
        final String path =
                context.getMapOutputFile()
                        .getInputFileForWrite(attempt.getTaskID(), SIZE_UNKNOWN)
                        .toUri()
                        .getPath();
        final Path file = Path.of(path + ".level" + number++ + ".spillway");
        synchronized (files) {
            files.add(file);
        }
        return file;
    }

    private IndexEntry write(final BoundedMerge merge, final Path file, final WrittenPieces pieces)
            throws IOException {
        memory.take(WRITER_BYTES);
        try (OutputStream out = pieces.of(new LocalDiskStream(file));
                SegmentWriter writer = new SegmentWriter(out, null)) {
            long untold = 0;
            while (merge.next()) {
                final RecordCursor record = merge.current();
                writer.append(record.buffer(), record.recordStart(), record.recordLength());
                untold += record.recordLength();
                if (untold >= PROGRESS_BYTES) {
                    untold = 0;
                    reporter.progress();
                }
            }
            final IndexEntry run = writer.endSegment();
            pieces.end();
            return run;
        } finally {
            memory.release(WRITER_BYTES);
        }
    }

    private void delete(final Path file) {
        synchronized (files) {
            files.remove(file);
        }
        HttpPlacer.delete(file);
    }

    /** Writes what was done into the report. Any thread. */
    void noteIn(final TaskReport report) {
        report.add(ShuffleFigure.MERGE_DISK_BYTES, bytes.get());
        if (runs.get() > 0) {
            report.note("mergeDiskRuns", runs.get());
        }
    }

    /** Deletes every file that is still there. Any thread. */
    @Override
    public void close() {
        synchronized (files) {
            files.forEach(HttpPlacer::delete);
            files.clear();
        }
    }

    /** A run on local disk, read through a piece of memory that is accounted for. */
    private final class RunSource implements ChunkSource {
        private final Path file;
        private final FileSource source;
        private boolean closed;

        RunSource(final Path file, final long partLength, final WrittenPieces pieces) {
            this.file = file;
            memory.take(readBytes);
            this.source =
                    new FileSource(file, partLength, false, Chunk.unpooled(readBytes), pieces);
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
            if (!closed) {
                closed = true;
                memory.release(readBytes);
                source.close();
                delete(file);
            }
        }
    }
}
