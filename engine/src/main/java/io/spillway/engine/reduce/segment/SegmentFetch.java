// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.Claim;
import io.spillway.engine.reduce.thread.StallCause;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.SegmentForm;
import io.spillway.ifile.RunAccount;
import io.spillway.sort.KeyOrder;
import io.spillway.transport.SegmentId;
import java.util.List;

/**
 * The fetch of one run of a map attempt's segment, mostly the only one: how far it is ({@link
 * FetchState}), what has arrived, and in which order it goes on. An illegal change of its state
 * throws. Owned by the loop's thread; the task thread shares {@link #queue} only.
 */
public final class SegmentFetch {
    public final MapSlot map;
    public final OutputId attempt;
    public final SegmentId id;
    public final Claim claim;

    /** Where its output was announced. */
    public final Node home;

    /** The way from its home to where it is. */
    public final Hops hops = new Hops();

    public final ChunkQueue queue;

    /** What verifies its pieces when they arrive. */
    public final PieceChecks checks;

    /** How many records the merge must find in it. Thread-safe. */
    public final RunAccount records;

    /** Tells fetches apart that are to be refilled at the same time. */
    public final int number;

    /** Foresees when the merge has used up what was asked for; null where keys cannot be read. */
    public final KeyForecast forecast;

    /** Where the planner keeps it. */
    public final FetchSchedule schedule = new FetchSchedule();

    /** How its source does. */
    public final SourceHealth source = new SourceHealth();

    private final SegmentPieces pieces;
    private final SegmentForm form;
    private Node node;
    private FetchState state = FetchState.UNKNOWN;
    SegmentLengths lengths;
    private FileSource file;
    private long delivered;
    private SegmentChecksum checksum;

    /**
     * Creates a fetch that has asked for nothing.
     *
     * @param id of the attempt's segment and run
     * @param form of the stored segment
     * @param order what the merge compares keys by where their order may be foreseen, else null
     */
    public SegmentFetch(
            final MapSlot map,
            final MapSlot.Candidate from,
            final SegmentId id,
            final int chunkSize,
            final SegmentForm form,
            final KeyOrder order) {
        this.queue = new ChunkQueue();
        this.checks = new PieceChecks();
        this.records = new RunAccount();
        this.number = from.attempt.map() * map.claims.size() + id.run();
        this.forecast = order == null ? null : new KeyForecast(order);
        this.map = map;
        this.attempt = from.attempt;
        this.id = id;
        this.claim = map.claims.get(id.run());
        this.home = from.node;
        this.node = home;
        this.pieces = new SegmentPieces(chunkSize);
        this.form = form;
    }

    private SegmentFetch(
            final SegmentFetch former, final MapSlot.Candidate from, final SegmentChecksum soFar) {
        this.queue = former.queue;
        this.checks = new PieceChecks();
        this.records = former.records;
        this.number = former.number;
        this.forecast = former.forecast;
        this.map = former.map;
        this.attempt = from.attempt;
        this.id = new SegmentId(attempt.name(), former.id.partition(), former.id.run());
        this.claim = former.claim;
        this.home = from.node;
        this.node = home;
        this.pieces = former.pieces.restFrom(former.delivered);
        this.form = former.form;
        this.state = FetchState.STREAM;
        this.lengths = former.lengths;
        this.checksum = soFar;
        this.delivered = former.delivered;
    }

    /** How far it is. */
    public FetchState state() {
        return state;
    }

    private void to(final FetchState next) {
        state = state.to(next, this);
    }

    /** Sets the lengths and the number of runs, once. They have been checked. */
    public void learn(final SegmentLengths found) {
        to(FetchState.HEAD);
        lengths = found;
        checksum = new SegmentChecksum(found.part(), form);
    }

    /** Memory is set aside for all of it: the merge waits for all of it. */
    public void waitForWhole() {
        to(FetchState.WHOLE);
    }

    /** The merge waits for no more than what is here. */
    public void stream() {
        to(FetchState.STREAM);
    }

    /** Verified to the last byte, and all of it is in the queue. */
    public void complete() {
        to(FetchState.COMPLETE);
    }

    /** It came as a whole, verified, by another way than piece by piece. */
    public void completeAtOnce(final FileSource fileOrNull) {
        to(FetchState.COMPLETE);
        delivered = lengths.part();
        file = fileOrNull;
    }

    /** A merge in memory takes its chunks. */
    public void mergeAhead() {
        to(FetchState.MERGED);
    }

    /** Nothing more is asked for. */
    public void drop() {
        to(FetchState.DROPPED);
    }

    /**
     * Drops this fetch and returns one that continues at its position, from another attempt that
     * begins with the same content. The task thread does not notice.
     *
     * @param soFar the checksum of the other attempt's bytes so far; they are as many as this fetch
     *     has delivered
     */
    public SegmentFetch succeededBy(final MapSlot.Candidate other, final SegmentChecksum soFar) {
        drop();
        return new SegmentFetch(this, other, soFar);
    }

    /** Where it is fetched from: its home, or the node that this one has named. */
    public Node node() {
        return node;
    }

    /** Its requests go to another node from now on; it is in no node's queue. */
    public void moveTo(final Node other) {
        node = other;
    }

    /** Whether it is fetched from another node than its output was announced at. */
    public boolean isAway() {
        return node != home;
    }

    /** Whether it can go on at another node than the one it is fetched from. */
    public boolean hasOtherPlace() {
        return isAway() && hops.hasOther(node.address);
    }

    public boolean isDropped() {
        return state == FetchState.DROPPED;
    }

    /** Whether the merge waits for no more of it: all is here, or its head, and that does. */
    public boolean isCopied() {
        return state.isCopied();
    }

    /** Whether all of it is here, or was until the merge took it. */
    public boolean isComplete() {
        return state.isComplete();
    }

    public boolean lengthsKnown() {
        return lengths != null;
    }

    /** The bytes to fetch; -1 while that is not known. */
    public long partLength() {
        return lengths == null ? -1 : lengths.part();
    }

    /** The bytes of records and end marker, uncompressed; -1 while that is not known. */
    public long rawLength() {
        return lengths == null ? -1 : lengths.raw();
    }

    /** Whether there is no record in it, once the lengths are known. */
    public boolean isEmpty() {
        return lengths.isEmpty();
    }

    /** Of how many runs the segment is; 1 while that is not known. */
    public int runs() {
        return lengths == null ? 1 : lengths.runs();
    }

    /** A request goes out. */
    public void requestBegan(final long nowMillis) {
        source.requestBegan(nowMillis);
        queue.lack(StallCause.FLIGHT);
    }

    /** A request has come back, with or without data. */
    public void requestEnded(final long nowMillis) {
        source.requestEnded(nowMillis);
        if (source.requests() == 0) {
            queue.lack(StallCause.BUDGET);
        }
    }

    /** The requests that have not come back. */
    public int requests() {
        return source.requests();
    }

    /** The bytes that were asked for, from the beginning on. */
    public long requestedBytes() {
        return Math.min(pieces.requestedEnd(), partLength());
    }

    /** Whether there is something to ask for. The head goes alone, as it tells the lengths. */
    public boolean wantsMore() {
        if (isDropped() || isComplete() || source.isResting()) {
            return false;
        }
        return lengthsKnown() ? pieces.wantsMore(lengths.part()) : !pieces.isHeadRequested();
    }

    /** Takes the offset of the next request. */
    public long takeOffset() {
        return pieces.takeOffset();
    }

    /** The bytes that a request at {@code offset} asks for. */
    public int wantedAt(final long offset) {
        return pieces.wantedAt(offset, lengthsKnown() ? lengths.part() : Long.MAX_VALUE);
    }

    /** A request failed; its bytes are to be asked for again. */
    public void askAgain(final long offset) {
        if (lengthsKnown()) {
            pieces.askAgain(offset);
        } else {
            pieces.askForHeadAgain();
        }
    }

    /**
     * Whether all it holds are pieces behind one that did not come: the merge cannot take them, so
     * they would never be given back.
     */
    public boolean isBehindGap() {
        return source.requests() == 0 && pieces.isBehindGap();
    }

    /**
     * Gives up the last piece behind the gap, to be asked for again. Only when {@link
     * #isBehindGap}.
     */
    public Chunk sacrifice() {
        return pieces.sacrifice();
    }

    public void arrive(final long offset, final Chunk chunk) {
        pieces.arrive(offset, chunk);
    }

    /**
     * Takes the next chunk in order and passes it through the checksum, which decrypts it.
     *
     * @return null when it has not arrived; a chunk of length 0 when it has no content
     */
    public Chunk nextInOrder() {
        final Chunk chunk = pieces.take(delivered);
        if (chunk != null) {
            final int length = chunk.length();
            final int content =
                    checksum.update(chunk.bytes(), chunk.offset(), length, chunk.checksum());
            delivered += length;
            if (forecast != null) {
                forecast.scan(chunk.bytes(), chunk.offset(), content);
            }
            chunk.length(content);
        }
        return chunk;
    }

    /** The bytes that went on, in order. */
    public long delivered() {
        return delivered;
    }

    /** The bytes of content that went on. To be called once the header has passed. */
    public long deliveredContent() {
        return delivered - form.cipher().headerLength();
    }

    public boolean allDelivered() {
        return lengthsKnown() && delivered == lengths.part();
    }

    /** The digest of the bytes that went on. */
    public long deliveredDigest() {
        return checksum.digest();
    }

    public boolean checksumMatches() {
        return checksum.matches();
    }

    /** Where the segment lies on local disk, or null. */
    public FileSource file() {
        return file;
    }

    /** Takes every chunk out that did not go on. */
    public List<Chunk> drainArrived() {
        return pieces.drain();
    }

    /** Takes every chunk out that the task thread has not taken. */
    public List<Chunk> drain() {
        final List<Chunk> chunks = drainArrived();
        chunks.addAll(queue.drain());
        return chunks;
    }

    @Override
    public String toString() {
        return attempt
                + (id.run() == 0 ? "" : " run " + id.run())
                + " at "
                + node.address
                + (isAway() ? ", named by " + home.address : "");
    }
}
