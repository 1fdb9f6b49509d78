// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import io.spillway.transport.FetchException;
import io.spillway.transport.FetchReply;
import io.spillway.transport.ServedSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads pieces of outputs on the shared file system by a few threads of its own. Pieces that lie
 * one behind the other are read at once; outputs take turns. Files stay open, the last used ones,
 * so that an output is mostly opened once. Thread-safe; no method but {@link #close} waits for the
 * file system.
 *
 * <p>Bytes are read into memory of the thread, and copied when they are here: so a piece whose read
 * hangs can be had in another way, and the late bytes harm nobody.
 */
final class OutputReads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OutputReads.class);

    /** An output that has failed so often is not tried again. */
    private static final int MOST_FAILURES = 2;

    private static final long CLOSE_MILLIS = 1000;

    /**
     * Which output.
     *
     * @param host of its map
     */
    record Place(String jobId, String host, String output) {}

    /** An output that was asked for. Guarded by the lock, but the open file: one reader has it. */
    private static final class Output {
        private final Place place;
        private final Deque<ReadPiece> waiting = new ArrayDeque<>();
        private boolean isTurning;
        private boolean isGone;
        private int failures;
        private OutputDirectory.OpenOutput open;

        Output(final Place place) {
            this.place = place;
        }
    }

    private final OutputDirectory directory;
    private final WayFigures figures;
    private final OpenRate rate;
    private final int openFiles;
    private final int readBytes;

    private final Object lock = new Object();
    private final Map<Place, Output> outputs = new HashMap<>();
    private final Deque<Output> turns = new ArrayDeque<>();

    /** Outputs that are open and that no thread reads, the one first that was read longest ago. */
    private final Set<Output> idle = new LinkedHashSet<>();

    private final List<Thread> threads = new ArrayList<>();
    private int open;
    private boolean closed;

    /**
     * Starts the threads.
     *
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    OutputReads(
            final OutputDirectory directory,
            final WayFigures figures,
            final Function<String, String> settings,
            final LongSupplier clock) {
        this.directory = directory;
        this.figures = figures;
        this.rate = new OpenRate(SharedKeys.SHAREDFS_OPENS_PER_SECOND.get(settings), clock);
        this.openFiles = SharedKeys.SHAREDFS_OPEN_FILES.get(settings);
        this.readBytes = Math.toIntExact(SharedKeys.SHAREDFS_READ_BYTES.get(settings));
        for (int i = 0; i < SharedKeys.SHAREDFS_THREADS.get(settings); i++) {
            final Thread thread = new Thread(new Reader(), "spillway-sharedfs-" + i);
            thread.setDaemon(true);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
    }

    /** Whether the output is not known to lie elsewhere. */
    boolean mayHave(final Place place) {
        synchronized (lock) {
            final Output output = outputs.get(place);
            return output == null || !output.isGone;
        }
    }

    /** Whether the output is open, or can be opened without a wait for its turn. */
    boolean isNear(final Place place) {
        synchronized (lock) {
            final Output output = outputs.get(place);
            return (output != null && output.open != null) || rate.isFree();
        }
    }

    /** The output does not lie in the directory, as its node says. */
    void elsewhere(final Place place) {
        synchronized (lock) {
            outputs.computeIfAbsent(place, Output::new).isGone = true;
        }
    }

    /** Reads a piece; what becomes of it, it learns by a reader's thread. */
    void read(final Place place, final ReadPiece piece) {
        synchronized (lock) {
            final Output output = outputs.computeIfAbsent(place, Output::new);
            output.waiting.addLast(piece);
            turn(output);
        }
    }

    private void turn(final Output output) {
        if (!output.isTurning && !output.waiting.isEmpty()) {
            output.isTurning = true;
            turns.addLast(output);
            lock.notify();
        }
    }

    /** The next output that is waited for; null when this is closed. */
    private Output nextTurn() throws InterruptedException {
        synchronized (lock) {
            while (turns.isEmpty() && !closed) {
                lock.wait();
            }
            if (closed) {
                return null;
            }
            final Output output = turns.removeFirst();
            idle.remove(output);
            return output;
        }
    }

    private void endTurn(final Output output) {
        final List<OutputDirectory.OpenOutput> surplus = new ArrayList<>();
        synchronized (lock) {
            output.isTurning = false;
            if (output.open != null) {
                idle.add(output);
            }
            turn(output);
            while (!idle.isEmpty() && (open > openFiles || closed)) {
                final Output oldest = idle.iterator().next();
                idle.remove(oldest);
                if (oldest.open != null) {
                    surplus.add(oldest.open);
                    oldest.open = null;
                    open--;
                }
            }
        }
        surplus.forEach(OutputReads::closeQuietly);
    }

    private static void closeQuietly(final OutputDirectory.OpenOutput output) {
        try {
            output.close();
        } catch (final IOException e) {
            LOG.debug("A file that was only read could not be closed", e);
        }
    }

    /**
     * The first piece that is still waited for, and those right behind it up to the next multiple
     * in the file; none where nothing is waited for.
     */
    private List<ReadPiece> takeRow(final Output output) {
        final List<ReadPiece> row = new ArrayList<>();
        synchronized (lock) {
            output.waiting.removeIf(ReadPiece::isTaken);
            final ReadPiece first = output.waiting.pollFirst();
            if (first == null) {
                return row;
            }
            row.add(first);
            final long start = output.open.position(first.segment().partition()) + first.offset();
            final long most = first.offset() + readBytes - start % readBytes;
            ReadPiece last = first;
            while (isNext(output.waiting.peekFirst(), last, most)) {
                last = output.waiting.pollFirst();
                row.add(last);
            }
        }
        return row;
    }

    private static boolean isNext(final ReadPiece next, final ReadPiece last, final long most) {
        return next != null
                && next.segment().equals(last.segment())
                && next.offset() == last.end()
                && next.end() <= most;
    }

    private void putBack(final Output output, final List<ReadPiece> row) {
        synchronized (lock) {
            for (int i = row.size() - 1; i >= 0; i--) {
                output.waiting.addFirst(row.get(i));
            }
        }
    }

    private boolean isWaitedFor(final Output output) {
        synchronized (lock) {
            output.waiting.removeIf(ReadPiece::isTaken);
            return !output.waiting.isEmpty();
        }
    }

    private List<ReadPiece> takeAll(final Output output) {
        synchronized (lock) {
            final List<ReadPiece> all = new ArrayList<>(output.waiting);
            output.waiting.clear();
            return all;
        }
    }

    /** One thread, and its memory. */
    private final class Reader implements Runnable {
        private ByteBuffer memory = ByteBuffer.allocate(0);

        @Override
        public void run() {
            try {
                for (Output output = nextTurn(); output != null; output = nextTurn()) {
                    try {
                        serve(output);
                    } finally {
                        endTurn(output);
                    }
                }
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void serve(final Output output) throws InterruptedException {
            try {
                serveRow(output);
            } catch (final IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
                final IOException cause =
                        e instanceof IOException failure
                                ? failure
                                : new IOException(output.place + ": " + e, e);
                failed(output, cause);
            }
        }

        private void serveRow(final Output output) throws IOException, InterruptedException {
            if (!isWaitedFor(output)) {
                return;
            }
            if (output.open == null && !open(output)) {
                figures.count(WayFigures.Figure.NOT_THERE);
                elsewhere(output.place);
                takeAll(output).forEach(piece -> end(piece, ReadPiece::notThere));
                return;
            }
            final List<ReadPiece> row = takeRow(output);
            if (!row.isEmpty()) {
                read(output, row);
            }
        }

        private boolean open(final Output output) throws IOException, InterruptedException {
            TimeUnit.NANOSECONDS.sleep(rate.next());
            figures.count(WayFigures.Figure.OPENS);
            final Place place = output.place;
            final OutputDirectory.OpenOutput opened =
                    directory.open(place.jobId(), place.host(), place.output());
            if (opened == null) {
                return false;
            }
            synchronized (lock) {
                output.open = opened;
                open++;
            }
            return true;
        }

        private void read(final Output output, final List<ReadPiece> row) throws IOException {
            final ReadPiece first = row.get(0);
            try (ServedSegment segment =
                    output.open.segment(first.segment().partition(), first.segment().run())) {
                if (first.offset() > segment.partLength()) {
                    throw new FetchException(
                            FetchException.Reason.OUT_OF_RANGE,
                            "offset="
                                    + first.offset()
                                    + ", expected at most "
                                    + segment.partLength()
                                    + " of "
                                    + first.segment());
                }
                final long end = Math.min(row.get(row.size() - 1).end(), segment.partLength());
                read(segment, first.offset(), (int) (end - first.offset()));
                row.forEach(piece -> hand(piece, first.offset(), segment));
            } catch (final FetchException e) {
                row.forEach(piece -> end(piece, it -> it.refused(e)));
            } catch (final IOException | RuntimeException | OutOfMemoryError e) {
                putBack(output, row);
                throw e;
            }
        }

        private void read(final ServedSegment segment, final long offset, final int length)
                throws IOException {
            if (memory.capacity() < length) {
                memory = ByteBuffer.allocateDirect(Math.max(length, readBytes));
            }
            memory.clear().limit(length);
            if (length > 0) {
                segment.read(offset, memory);
            }
            figures.count(WayFigures.Figure.READS);
        }

        private void hand(final ReadPiece piece, final long start, final ServedSegment segment) {
            final long end = Math.min(piece.end(), segment.partLength());
            final int length = (int) Math.max(0, end - piece.offset());
            final int position = (int) (piece.offset() - start);
            final FetchReply reply =
                    new FetchReply(
                            segment.partLength(),
                            segment.rawLength(),
                            segment.runs(),
                            length,
                            segment.checksum(piece.offset(), length),
                            segment.tier().code(),
                            segment.records());
            end(piece, it -> it.arrived(memory.slice(position, length), reply));
        }

        /** What the file was, may be no more; a file that was opened long ago may be stale. */
        private void failed(final Output output, final IOException cause) {
            figures.count(WayFigures.Figure.FAILURES);
            final OutputDirectory.OpenOutput bad;
            synchronized (lock) {
                bad = output.open;
                output.open = null;
                open -= bad == null ? 0 : 1;
                output.failures++;
                output.isGone |= output.failures >= MOST_FAILURES;
            }
            if (bad != null) {
                closeQuietly(bad);
            }
            if (output.failures >= MOST_FAILURES || bad == null) {
                LOG.warn(
                        "{} cannot be read through the shared file system: {}",
                        output.place.output(),
                        cause.getMessage());
                LOG.debug("Reading {} failed", output.place, cause);
                takeAll(output).forEach(piece -> end(piece, it -> it.failed(cause)));
            }
        }

        private void end(final ReadPiece piece, final Consumer<ReadPiece> how) {
            if (!piece.take()) {
                return;
            }
            try {
                how.accept(piece);
            } catch (final RuntimeException | Error e) {
                LOG.error("The listener of a fetch of {} has thrown", piece.segment(), e);
            }
        }
    }

    /** Closes all files; pieces that wait are not told. Waits a second at most for the threads. */
    @Override
    public void close() {
        final List<OutputDirectory.OpenOutput> left = new ArrayList<>();
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
            for (final Output output : idle) {
                left.add(output.open);
                output.open = null;
                open--;
            }
            idle.clear();
        }
        left.forEach(OutputReads::closeQuietly);
        try {
            final long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
            for (final Thread thread : threads) {
                final long millis = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
                if (millis > 0) {
                    thread.join(millis);
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
