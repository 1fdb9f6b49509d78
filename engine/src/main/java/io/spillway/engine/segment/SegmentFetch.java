package io.spillway.engine.segment;

import io.spillway.engine.memory.Chunk;
import io.spillway.engine.memory.ChunkPool;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.thread.StallCause;
import io.spillway.sort.KeyOrder;
import io.spillway.transport.FetchReply;
import io.spillway.transport.SegmentId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The fetch of one run of a map attempt's segment, mostly the only one: what is asked for, what has
 * arrived, and in which order it goes on. Owned by the loop's thread; the task thread shares {@link
 * #queue} only.
 */
public final class SegmentFetch {
    /** An uncompressed segment's end marker: the least raw length. */
    public static final int MIN_RAW_LENGTH = 2;

    public final MapSlot map;
    public final OutputId attempt;
    public final SegmentId id;
    public final ChunkPool.Claim claim;

    /** Where its output was announced. */
    public final Node home;

    /** The nodes that have sent it on. */
    public final Hops hops = new Hops();

    public final ChunkQueue queue;

    /** What verifies its pieces when they arrive. */
    public final PieceChecks checks;

    /** Tells fetches apart that are to be refilled at the same time. */
    public final int number;

    /** Foresees when the merge has used up what was asked for; null where keys cannot be read. */
    public final KeyForecast forecast;

    /** How fast the merge takes chunks. */
    public final Pace pace = new Pace();

    /** Dropped fetches only wait for their requests to come back. */
    public boolean dropped;

    /** Copied as far as the merge needs it: the whole run or its head. */
    public boolean copied;

    /** Verified to the last byte, and all of it in the queue (or on disk). */
    public boolean complete;

    /** Its chunks went to a partial merge: the last merge finds its records there. */
    public boolean merged;

    /** Committed to be fetched as a whole before the merge. */
    public boolean whole;

    /** In its node's queue. */
    public boolean queued;

    /** In the planner's list of fetches that lack chunks. */
    public boolean hungry;

    /** In the planner's order of streams to refill, by {@link #refillKey}. */
    public boolean inRefill;

    /** When the merge will have used it up; the planner's. */
    public double refillKey;

    /** Its source failed; it waits. */
    public boolean resting;

    /** While merging: the MRAppMaster knows that its attempt is of no more use. */
    public boolean obsolete;

    /** Where the segment lies on local disk, or null. */
    public FileSource file;

    /** Since when no request of a merging stream succeeds, or 0. */
    public long troubleSinceMillis;

    /** While merging: a request of it failed, and none has succeeded since. */
    public boolean interrupted;

    /** When its attempt was last reported to the MRAppMaster, or 0. */
    public long reportedMillis;

    private Node node;
    private final int chunkSize;
    private final Map<Long, Chunk> arrived = new HashMap<>();
    private final PriorityQueue<Long> again = new PriorityQueue<>();
    private long partLength = -1;
    private long rawLength = -1;
    private int runs = 1;
    private long nextOffset;
    private long delivered;
    private boolean headRequested;
    private int requests;
    private long silentSinceMillis;
    private SegmentChecksum checksum;

    /**
     * Creates a fetch that has asked for nothing.
     *
     * @param order what the merge compares keys by where their order may be foreseen, else null
     */
    public SegmentFetch(
            final MapSlot map,
            final OutputId attempt,
            final int partition,
            final int run,
            final Node node,
            final int chunkSize,
            final KeyOrder order) {
        this.queue = new ChunkQueue();
        this.checks = new PieceChecks();
        this.number = attempt.map() * map.claims.size() + run;
        this.forecast = order == null ? null : new KeyForecast(order);
        this.map = map;
        this.attempt = attempt;
        this.id = new SegmentId(attempt.name(), partition, run);
        this.claim = map.claims.get(run);
        this.home = node;
        this.node = node;
        this.chunkSize = chunkSize;
    }

    private SegmentFetch(final SegmentFetch former, final OutputId attempt, final Node node) {
        this.queue = former.queue;
        this.checks = new PieceChecks();
        this.number = former.number;
        this.forecast = former.forecast;
        this.map = former.map;
        this.attempt = attempt;
        this.id = new SegmentId(attempt.name(), former.id.partition(), former.id.run());
        this.claim = former.claim;
        this.home = node;
        this.node = node;
        this.chunkSize = former.chunkSize;
        this.copied = true;
        this.partLength = former.partLength;
        this.rawLength = former.rawLength;
        this.runs = former.runs;
        this.checksum = former.checksum;
        this.delivered = former.delivered;
        this.nextOffset = former.delivered;
        this.headRequested = true;
    }

    /**
     * The fetch that goes on where this one has come to, from another attempt that begins with the
     * same bytes. This one is dropped; the task thread does not notice.
     */
    public SegmentFetch succeededBy(final OutputId other, final Node otherNode) {
        dropped = true;
        return new SegmentFetch(this, other, otherNode);
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

    public boolean lengthsKnown() {
        return partLength >= 0;
    }

    public long partLength() {
        return partLength;
    }

    public long rawLength() {
        return rawLength;
    }

    /** Whether there is no record in it, once the lengths are known. */
    public boolean isEmpty() {
        return rawLength <= MIN_RAW_LENGTH;
    }

    /** Of how many runs the segment is, once the lengths are known. */
    public int runs() {
        return runs;
    }

    /** The bytes that were asked for, from the beginning on. */
    public long requestedBytes() {
        return Math.min(nextOffset, partLength);
    }

    /** A request goes out. */
    public void requestBegan(final long nowMillis) {
        if (requests++ == 0) {
            silentSinceMillis = nowMillis;
        }
        queue.lack(StallCause.FLIGHT);
    }

    /** A request has come back, with or without data. */
    public void requestEnded(final long nowMillis) {
        requests--;
        silentSinceMillis = nowMillis;
        if (requests == 0) {
            queue.lack(StallCause.BUDGET);
        }
    }

    /** The requests that have not come back. */
    public int requests() {
        return requests;
    }

    /** How long the requests in flight have brought nothing. */
    public long silentMillis(final long nowMillis) {
        return requests == 0 ? 0 : nowMillis - silentSinceMillis;
    }

    /** The digest of the bytes that went on. */
    public long deliveredDigest() {
        return checksum.digest();
    }

    /** The bytes that went on, in order. */
    public long delivered() {
        return delivered;
    }

    /** Sets the lengths of a segment of one run, once. They have been checked. */
    public void learn(final long part, final long raw) {
        learn(part, raw, 1);
    }

    /** Sets the lengths and the number of runs, once. They have been checked. */
    public void learn(final long part, final long raw, final int count) {
        partLength = part;
        runs = count;
        rawLength = raw;
        checksum = new SegmentChecksum(part);
    }

    /** Whether there is something to ask for. The head goes alone, as it tells the lengths. */
    public boolean wantsMore() {
        if (dropped || complete || resting) {
            return false;
        }
        return lengthsKnown() ? !again.isEmpty() || nextOffset < partLength : !headRequested;
    }

    /** Takes the offset of the next request. */
    public long takeOffset() {
        headRequested = true;
        if (!again.isEmpty()) {
            return again.poll();
        }
        final long offset = nextOffset;
        nextOffset += chunkSize;
        return offset;
    }

    /** The bytes that a request at {@code offset} asks for. */
    public int wantedAt(final long offset) {
        return lengthsKnown() ? (int) Math.min(chunkSize, partLength - offset) : chunkSize;
    }

    /** A request failed; its bytes are to be asked for again. */
    public void askAgain(final long offset) {
        if (lengthsKnown()) {
            again.add(offset);
        } else {
            headRequested = false;
            nextOffset = 0;
        }
    }

    /** What is wrong with a reply, or null. */
    public String problemOf(
            final FetchReply reply, final long offset, final int wanted, final boolean compressed) {
        if (lengthsKnown()) {
            if (reply.partLength() != partLength
                    || reply.rawLength() != rawLength
                    || reply.runs() != runs) {
                return "partLength="
                        + reply.partLength()
                        + " rawLength="
                        + reply.rawLength()
                        + " runs="
                        + reply.runs()
                        + ", expected "
                        + partLength
                        + ", "
                        + rawLength
                        + " and "
                        + runs
                        + " as before";
            }
        } else if (id.run() > 0 && reply.runs() != map.fetches.get(0).runs) {
            return "runs="
                    + reply.runs()
                    + ", expected "
                    + map.fetches.get(0).runs
                    + " as of the first run";
        } else if (reply.runs() > map.claims.size()) {
            return "runs=" + reply.runs() + ", expected at most " + map.claims.size();
        } else {
            final String problem = problemOf(reply.partLength(), reply.rawLength(), compressed);
            if (problem != null) {
                return problem;
            }
        }
        final long expected = Math.min(wanted, reply.partLength() - offset);
        return reply.length() == expected
                ? null
                : "length=" + reply.length() + " at offset=" + offset + ", expected " + expected;
    }

    /** What is wrong with a segment's lengths, or null. */
    public static String problemOf(final long part, final long raw, final boolean compressed) {
        if (part <= SegmentChecksum.LENGTH || raw < MIN_RAW_LENGTH) {
            return "partLength="
                    + part
                    + " rawLength="
                    + raw
                    + ", expected more than "
                    + SegmentChecksum.LENGTH
                    + " and at least "
                    + MIN_RAW_LENGTH;
        }
        if (!compressed && part != raw + SegmentChecksum.LENGTH) {
            return "partLength="
                    + part
                    + " rawLength="
                    + raw
                    + ", expected a difference of "
                    + SegmentChecksum.LENGTH
                    + " in uncompressed map output";
        }
        return null;
    }

    /**
     * Whether all it holds are pieces behind one that did not come: the merge cannot take them, so
     * they would never be given back.
     */
    public boolean isBehindGap() {
        return requests == 0 && !arrived.isEmpty() && !again.isEmpty();
    }

    /**
     * Gives up the last piece behind the gap, to be asked for again. Only when {@link
     * #isBehindGap}.
     */
    public Chunk sacrifice() {
        final long last = Collections.max(arrived.keySet());
        again.add(last);
        return arrived.remove(last);
    }

    public void arrive(final long offset, final Chunk chunk) {
        arrived.put(offset, chunk);
    }

    /**
     * Takes the next chunk in order and passes it through the checksum.
     *
     * @param withChecksum whether the chunk keeps the checksum's bytes
     * @return null when it has not arrived; a chunk of length 0 when all of it was checksum
     */
    public Chunk nextInOrder(final boolean withChecksum) {
        final Chunk chunk = arrived.remove(delivered);
        if (chunk != null) {
            final int length = chunk.length();
            final int data =
                    checksum.update(chunk.bytes(), chunk.offset(), length, chunk.checksum());
            delivered += length;
            if (forecast != null) {
                forecast.scan(chunk.bytes(), chunk.offset(), data);
            }
            chunk.length(withChecksum ? length : data);
        }
        return chunk;
    }

    /** The segment came by another way, as a whole. */
    public void deliveredWhole() {
        delivered = partLength;
    }

    public boolean allDelivered() {
        return lengthsKnown() && delivered == partLength;
    }

    public boolean checksumMatches() {
        return checksum.matches();
    }

    /** Takes every chunk out that did not go on. */
    public List<Chunk> drainArrived() {
        final List<Chunk> chunks = new ArrayList<>(arrived.values());
        arrived.clear();
        return chunks;
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
