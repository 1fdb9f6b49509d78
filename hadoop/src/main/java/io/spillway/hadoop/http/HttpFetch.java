// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.http;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.segment.FileBytes;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentChecksum;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.segment.SegmentLengths;
import io.spillway.engine.reduce.segment.SegmentPlacement;
import io.spillway.engine.spi.ShuffleError;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.io.WritableUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request to a stock shuffle handler: the segments of up to {@value #MAX_MAPS} maps of one
 * node, one after the other, each verified. Runs on a thread of its own; what becomes of each
 * segment goes to the {@link Sink}.
 */
final class HttpFetch implements Runnable {
    /** The most maps that stock asks for in one request. */
    static final int MAX_MAPS = 20;

    /** Takes what a request brings. Called from the request's thread. */
    interface Sink {
        /** Asks where a segment of checked lengths goes; waits for the answer. */
        SegmentPlacement place(SegmentFetch fetch, SegmentLengths lengths)
                throws IOException, InterruptedException;

        /** The segment is where it was placed, and verified; its chunks' lengths are set. */
        void fetched(SegmentFetch fetch, SegmentPlacement placement);

        /** The segment is not there; the placement, if any, is given back. */
        void failed(
                SegmentFetch fetch,
                SegmentPlacement placementOrNull,
                ShuffleError error,
                Exception cause);

        /** The node refused for now. */
        void refused(Node node, List<SegmentFetch> untouched, long retryAfterMillis);

        /** The request failed before its first segment. */
        void unreachable(Node node, List<SegmentFetch> untouched, IOException cause);

        /** The request has ended; {@code untouched} segments were not reached. */
        void ended(Node node, List<SegmentFetch> untouched);

        /** This host's own disk failed. */
        void localFailure(IOException cause);
    }

    private static final Logger LOG = LoggerFactory.getLogger(HttpFetch.class);

    private static final int MAX_ID_LENGTH = 1000;

    private final HttpSettings settings;
    private final Node node;
    private final Map<String, SegmentFetch> remaining;
    private final HttpConnection connection;
    private final Sink sink;

    /** Segments for which there was no room. */
    private final List<SegmentFetch> postponed = new ArrayList<>();

    private volatile boolean abandoned;

    HttpFetch(
            final HttpSettings settings,
            final Node node,
            final List<SegmentFetch> fetches,
            final LongSupplier now,
            final Sink sink) {
        this.settings = settings;
        this.node = node;
        this.remaining = new LinkedHashMap<>();
        fetches.forEach(fetch -> remaining.put(fetch.id.output(), fetch));
        this.connection = new HttpConnection(settings, node, now);
        this.sink = sink;
    }

    /** From here on the request leaves no file behind that it has not completed. Any thread. */
    void abandon() {
        abandoned = true;
    }

    /**
     * Closes the connection of a request that is under way. Blocks while it is read. Any thread.
     */
    void disconnect() {
        connection.disconnect();
    }

    @Override
    public void run() {
        try {
            if (isReceived()) {
                sink.ended(node, untouched());
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final IOException e) {
            sink.unreachable(node, untouched(), e);
        } finally {
            disconnect();
        }
    }

    /** Whether the node answered; else it refused for now, and the sink knows. */
    private boolean isReceived() throws IOException, InterruptedException {
        try (InputStream body = connection.open(remaining.keySet())) {
            if (body == null) {
                sink.refused(node, untouched(), connection.retryAfterMillis());
                return false;
            }
            receive(new DataInputStream(body));
            return true;
        }
    }

    private List<SegmentFetch> untouched() {
        final List<SegmentFetch> untouched = new ArrayList<>(remaining.values());
        untouched.addAll(postponed);
        return untouched;
    }

    /** When it last began something, or bytes came. Any thread. */
    long lastActivityMillis() {
        return connection.lastActivityMillis();
    }

    private void receive(final DataInputStream in) throws InterruptedException {
        boolean usable = true;
        while (usable && !remaining.isEmpty()) {
            usable = receiveSegment(in);
        }
    }

    /** Receives one segment. False when the rest of the reply is of no use. */
    private boolean receiveSegment(final DataInputStream in) throws InterruptedException {
        final SegmentFetch fetch;
        final SegmentLengths lengths;
        try {
            final String attempt = WritableUtils.readStringSafely(in, MAX_ID_LENGTH);
            final long part = WritableUtils.readVLong(in);
            final long raw = WritableUtils.readVLong(in);
            lengths = SegmentLengths.of(part, raw, 1, settings.shuffle().form);
            final int reduce = WritableUtils.readVInt(in);
            fetch = remaining.get(attempt);
            final ShuffleError error = headerError(fetch, attempt, lengths, reduce);
            if (error != null) {
                failAfterBadHeader(fetch, error, attempt);
                return false;
            }
        } catch (final IOException e) {
            failAll(ShuffleError.IO_ERROR, e);
            return false;
        } catch (final IllegalArgumentException e) {
            failAll(ShuffleError.BAD_ID, e);
            return false;
        }
        return receiveContent(in, fetch, lengths);
    }

    private ShuffleError headerError(
            final SegmentFetch fetch,
            final String attempt,
            final SegmentLengths lengths,
            final int reduce) {
        final String problem = lengths.problem(settings.shuffle().form);
        if (problem != null) {
            LOG.warn("Invalid lengths of {} from {}: {}", attempt, node.address, problem);
            return ShuffleError.WRONG_LENGTH;
        }
        if (reduce != settings.shuffle().partition) {
            LOG.warn(
                    "reduce={} in map output {} from {}, expected {}",
                    reduce,
                    attempt,
                    node.address,
                    settings.shuffle().partition);
            return ShuffleError.WRONG_REDUCE;
        }
        if (fetch == null) {
            LOG.warn("map={} from {} was not asked for", attempt, node.address);
            return ShuffleError.WRONG_MAP;
        }
        return null;
    }

    private void failAfterBadHeader(
            final SegmentFetch fetch, final ShuffleError error, final String attempt) {
        final IOException cause =
                new IOException(error + " in the header of " + attempt + " from " + node.address);
        if (fetch == null) {
            failAll(error, cause);
        } else {
            remaining.remove(fetch.id.output());
            sink.failed(fetch, null, error, cause);
        }
    }

    private void failAll(final ShuffleError error, final Exception cause) {
        final List<SegmentFetch> failed = List.copyOf(remaining.values());
        remaining.clear();
        failed.forEach(fetch -> sink.failed(fetch, null, error, cause));
    }

    private boolean receiveContent(
            final DataInputStream in, final SegmentFetch fetch, final SegmentLengths lengths)
            throws InterruptedException {
        SegmentPlacement placement = null;
        try {
            placement = sink.place(fetch, lengths);
            final long part = lengths.part();
            if (placement.isNowhere()) {
                in.skipNBytes(part);
                remaining.remove(fetch.id.output());
                postponed.add(fetch);
                return true;
            }
            final SegmentChecksum checksum = new SegmentChecksum(part, settings.shuffle().form);
            if (placement.file() == null) {
                receiveInMemory(in, placement.chunks(), part, checksum);
            } else {
                receiveOnDisk(in, placement, part, checksum);
            }
            if (!checksum.matches()) {
                throw new ChecksumException(
                        "Checksum error in map output "
                                + fetch
                                + settings.shuffle().form.cipher().hintOfDamage(),
                        0);
            }
            remaining.remove(fetch.id.output());
            sink.fetched(fetch, placement);
            return true;
        } catch (final LocalDiskStream.DiskException e) {
            sink.localFailure(e);
        } catch (final IOException e) {
            remaining.remove(fetch.id.output());
            sink.failed(fetch, placement, ShuffleError.IO_ERROR, e);
        }
        return false;
    }

    private static void receiveInMemory(
            final DataInputStream in,
            final List<Chunk> chunks,
            final long part,
            final SegmentChecksum checksum)
            throws IOException {
        for (final Chunk chunk : chunks) {
            final int count = (int) Math.min(chunk.capacity(), part - checksum.seen());
            in.readFully(chunk.bytes(), chunk.offset(), count);
            chunk.length(checksum.update(chunk.bytes(), chunk.offset(), count));
        }
    }

    private void receiveOnDisk(
            final DataInputStream in,
            final SegmentPlacement placement,
            final long part,
            final SegmentChecksum checksum)
            throws IOException {
        requireWanted();
        boolean usable = false;
        try (OutputStream out = placement.pieces().of(new LocalDiskStream(placement.file()))) {
            receiveOnDisk(in, placement.chunks().get(0), part, checksum, out);
            placement.pieces().end();
            usable = checksum.matches() && !abandoned;
        } finally {
            if (!usable) {
                FileBytes.delete(placement.file());
            }
        }
        requireWanted();
    }

    private void requireWanted() throws IOException {
        if (abandoned) {
            throw new IOException("The shuffle ended during a request to " + node.address);
        }
    }

    private static void receiveOnDisk(
            final DataInputStream in,
            final Chunk chunk,
            final long part,
            final SegmentChecksum checksum,
            final OutputStream out)
            throws IOException {
        final byte[] buffer = chunk.bytes();
        final int offset = chunk.offset();
        while (checksum.seen() < part) {
            final int count = (int) Math.min(chunk.capacity(), part - checksum.seen());
            in.readFully(buffer, offset, count);
            // The file keeps the stored bytes: verification decrypts them in the chunk.
            out.write(buffer, offset, count);
            checksum.update(buffer, offset, count);
        }
    }
}
