package io.spillway.hadoop.reduce;

import io.spillway.transport.FetchReply;
import io.spillway.transport.SegmentId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * The fetch of one run of a map attempt's segment, mostly the only one: what is asked for, what has
 * arrived, and in which order it goes on. Owned by the loop's thread; the task thread shares {@link
 * #queue} only.
 */
final class SegmentFetch {
    /** An uncompressed segment's end marker: the least raw length. */
    static final int MIN_RAW_LENGTH = 2;

    final MapSlot map;
    final TaskAttemptID attempt;
    final SegmentId id;
    final ChunkPool.Claim claim;
    final Node node;
    final ChunkQueue queue = new ChunkQueue();

    /** Dropped fetches only wait for their requests to come back. */
    boolean dropped;

    /** Copied as far as the merge needs it: the whole run or its head. */
    boolean copied;

    /** Verified to the last byte, and all of it in the queue (or on disk). */
    boolean complete;

    /** Its chunks went to a partial merge: the last merge finds its records there. */
    boolean merged;

    /** Committed to be fetched as a whole before the merge. */
    boolean whole;

    /** In its node's queue. */
    boolean queued;

    /** In the planner's list of fetches that lack chunks. */
    boolean hungry;

    /** Its source failed; it waits. */
    boolean resting;

    /** While merging: the MRAppMaster knows that its attempt is of no more use. */
    boolean obsolete;

    /** Where the segment lies on local disk, or null. */
    FileSource file;

    /** Since when no request of a merging stream succeeds, or 0. */
    long troubleSinceMillis;

    /** When its attempt was last reported to the MRAppMaster, or 0. */
    long reportedMillis;

    private final int chunkSize;
    private final Map<Long, Chunk> arrived = new HashMap<>();
    private final PriorityQueue<Long> again = new PriorityQueue<>();
    private long partLength = -1;
    private long rawLength = -1;
    private int runs = 1;
    private long nextOffset;
    private long delivered;
    private boolean headRequested;
    private SegmentChecksum checksum;

    SegmentFetch(
            final MapSlot map,
            final TaskAttemptID attempt,
            final int partition,
            final int run,
            final Node node,
            final int chunkSize) {
        this.map = map;
        this.attempt = attempt;
        this.id = new SegmentId(attempt.toString(), partition, run);
        this.claim = map.claims.get(run);
        this.node = node;
        this.chunkSize = chunkSize;
    }

    boolean lengthsKnown() {
        return partLength >= 0;
    }

    long partLength() {
        return partLength;
    }

    long rawLength() {
        return rawLength;
    }

    /** Of how many runs the segment is, once the lengths are known. */
    int runs() {
        return runs;
    }

    /** The bytes that went on, in order. */
    long delivered() {
        return delivered;
    }

    /** Sets the lengths of a segment of one run, once. They have been checked. */
    void learn(final long part, final long raw) {
        learn(part, raw, 1);
    }

    /** Sets the lengths and the number of runs, once. They have been checked. */
    void learn(final long part, final long raw, final int count) {
        partLength = part;
        runs = count;
        rawLength = raw;
        checksum = new SegmentChecksum(part);
    }

    /** Whether there is something to ask for. The head goes alone, as it tells the lengths. */
    boolean wantsMore() {
        if (dropped || complete || resting) {
            return false;
        }
        return lengthsKnown() ? !again.isEmpty() || nextOffset < partLength : !headRequested;
    }

    /** Takes the offset of the next request. */
    long takeOffset() {
        headRequested = true;
        if (!again.isEmpty()) {
            return again.poll();
        }
        final long offset = nextOffset;
        nextOffset += chunkSize;
        return offset;
    }

    /** The bytes that a request at {@code offset} asks for. */
    int wantedAt(final long offset) {
        return lengthsKnown() ? (int) Math.min(chunkSize, partLength - offset) : chunkSize;
    }

    /** A request failed; its bytes are to be asked for again. */
    void askAgain(final long offset) {
        if (lengthsKnown()) {
            again.add(offset);
        } else {
            headRequested = false;
            nextOffset = 0;
        }
    }

    /** What is wrong with a reply, or null. */
    String problemOf(
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
    static String problemOf(final long part, final long raw, final boolean compressed) {
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

    void arrive(final long offset, final Chunk chunk) {
        arrived.put(offset, chunk);
    }

    /**
     * Takes the next chunk in order and passes it through the checksum.
     *
     * @param withChecksum whether the chunk keeps the checksum's bytes
     * @return null when it has not arrived; a chunk of length 0 when all of it was checksum
     */
    Chunk nextInOrder(final boolean withChecksum) {
        final Chunk chunk = arrived.remove(delivered);
        if (chunk != null) {
            final int length = chunk.length();
            final int data = checksum.update(chunk.bytes(), chunk.offset(), length);
            delivered += length;
            chunk.length(withChecksum ? length : data);
        }
        return chunk;
    }

    /** The segment came by another way, as a whole. */
    void deliveredWhole() {
        delivered = partLength;
    }

    boolean allDelivered() {
        return lengthsKnown() && delivered == partLength;
    }

    boolean checksumMatches() {
        return checksum.matches();
    }

    /** Takes every chunk out that the task thread has not taken. */
    List<Chunk> drain() {
        final List<Chunk> chunks = new ArrayList<>(arrived.values());
        arrived.clear();
        chunks.addAll(queue.drain());
        return chunks;
    }

    @Override
    public String toString() {
        return attempt + (id.run() == 0 ? "" : " run " + id.run()) + " at " + node.address;
    }
}
