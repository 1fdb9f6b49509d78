// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

/**
 * Accounts for what the runs of a merge hold in memory beside the windows they are read through:
 * the keys of heads that do not lie in one piece in their window, and the current record where it
 * does not.
 *
 * <p>Keys are claimed before they are allocated, and refused beyond the limit: then fewer runs have
 * to be merged at a time. The current record is one at a time, whatever its size, and therefore
 * never refused. So at any time no more is used than the limit, two keys (a merge of two runs
 * cannot be made smaller) and the current record.
 *
 * <p>The decoders of compressed runs have a limit of their own. They are claimed as well, once a
 * run, before its first record.
 *
 * <p>Bytes that are kept from record to record, for records and keys that are small, take half of
 * the limit at most. Thread-safe.
 */
public final class HeadMemory {
    private static final int KEPT_PARTS = 4;
    private static final int OPENING_PARTS = 16;
    private static final int MIN_KEPT_HEAD = 64;
    private static final int MAX_KEPT_HEAD = 64 << 10;

    private final long limit;
    private final long decoderLimit;
    private final int keptHead;
    private final int keptRecord;
    private long used;
    private long peak;
    private long decoders;
    private long decoderPeak;
    private boolean overdraft;
    private boolean opening;

    /**
     * Creates an account with nothing in use.
     *
     * @param limit in bytes
     * @param runs how many runs share it
     * @param decoderLimit what the decoders of compressed runs may take, in bytes
     */
    public HeadMemory(final long limit, final int runs, final long decoderLimit) {
        this.limit = limit;
        this.decoderLimit = decoderLimit;
        final long part = limit / KEPT_PARTS;
        this.keptHead =
                (int) Math.max(MIN_KEPT_HEAD, Math.min(part / Math.max(1, runs), MAX_KEPT_HEAD));
        this.keptRecord = (int) Math.min(Math.max(MIN_KEPT_HEAD, part), Integer.MAX_VALUE / 2);
    }

    /** The bytes that a run may keep for heads without having claimed them, once allocated. */
    public int keptHeadBytes() {
        return keptHead;
    }

    /** The bytes that are kept for the current record from record to record. */
    int keptRecordBytes() {
        return keptRecord;
    }

    /**
     * Claims memory for a key.
     *
     * @throws HeadMemoryException when it does not fit; nothing is claimed then
     */
    public synchronized void claim(final int bytes) throws HeadMemoryException {
        if (!hasRoom(bytes) && !overdraft) {
            throw new HeadMemoryException("key", bytes, used, limit);
        }
        add(bytes);
    }

    /**
     * Claims memory for the decoder of a run.
     *
     * @throws HeadMemoryException when it does not fit; nothing is claimed then
     */
    synchronized void claimDecoder(final int bytes) throws HeadMemoryException {
        if (decoders + bytes > decoderLimit && !overdraft) {
            throw new HeadMemoryException("decoder", bytes, decoders, decoderLimit);
        }
        decoders += bytes;
        decoderPeak = Math.max(decoderPeak, decoders);
    }

    synchronized void releaseDecoder(final int bytes) {
        decoders -= bytes;
    }

    synchronized boolean hasRoom(final int bytes) {
        return used + bytes <= (opening ? limit / OPENING_PARTS * (OPENING_PARTS - 1) : limit);
    }

    /**
     * Leaves some room free from now on, or no longer: runs whose first heads took all of it could
     * not go on where the next ones are a little longer.
     */
    public synchronized void opening(final boolean begins) {
        opening = begins;
    }

    /** Takes memory that cannot be refused. */
    public synchronized void take(final int bytes) {
        add(bytes);
    }

    private void add(final int bytes) {
        used += bytes;
        peak = Math.max(peak, used);
    }

    /** Gives back what was claimed or taken. */
    public synchronized void release(final int bytes) {
        used -= bytes;
    }

    /** Grants every claim from now on, or no longer: for the last two runs of a merge. */
    public synchronized void overdraft(final boolean granted) {
        overdraft = granted;
    }

    /** The bytes in use, decoders included. */
    public synchronized long usedBytes() {
        return used + decoders;
    }

    /** The most bytes that decoders took at a time. */
    public synchronized long decoderPeakBytes() {
        return decoderPeak;
    }

    /** The most bytes that were in use at a time, without decoders. */
    public synchronized long peakBytes() {
        return peak;
    }
}
