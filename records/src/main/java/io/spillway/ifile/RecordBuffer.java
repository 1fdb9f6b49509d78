// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

/**
 * Holds the current record of one merge where it does not lie in one piece in its run's window. The
 * merge's runs share it, for only one record is current at a time. One thread at a time.
 */
public final class RecordBuffer {
    private static final byte[] NOTHING = {};

    /**
     * A large array is kept while as many stitches or refills pass: the next record may be large.
     */
    private static final int KEPT_LEAVES = 16;

    private final HeadMemory memory;
    private byte[] bytes = NOTHING;

    /** How often something was left since the array was taken; 0 while its record is current. */
    private int leaves;

    /** Creates a buffer that has allocated nothing. */
    public RecordBuffer(final HeadMemory memory) {
        this.memory = memory;
    }

    /** The account of what this buffer, and heads, take. */
    public HeadMemory memory() {
        return memory;
    }

    /** The array for a record of so many bytes; what it held before is lost. */
    public byte[] take(final int count) {
        leaves = 0;
        if (bytes.length < count) {
            final long doubled = Math.min(2L * bytes.length, memory.keptRecordBytes());
            release();
            final int size = (int) Math.max(count, doubled);
            memory.take(size);
            bytes = new byte[size];
        }
        return bytes;
    }

    /**
     * A run goes on reading from its window: the current record is not needed any more. Lets a
     * large array go when that was said several times with no record for it between.
     */
    public void leave() {
        leaves++;
        if (leaves > KEPT_LEAVES && bytes.length > memory.keptRecordBytes()) {
            release();
        }
    }

    /**
     * Claims memory for a key, and lets a large array go for it.
     *
     * @throws HeadMemoryException when it does not fit; nothing is claimed then
     */
    public void claim(final int count) throws HeadMemoryException {
        if (leaves > 0 && bytes.length > memory.keptRecordBytes() && !memory.hasRoom(count)) {
            release();
        }
        memory.claim(count);
    }

    /** Lets the array go. The buffer may be used again. */
    public void release() {
        memory.release(bytes.length);
        bytes = NOTHING;
    }
}
