package io.spillway.sort;

/**
 * Holds the current record of one merge where it does not lie in one piece in its run's window. The
 * merge's runs share it, for only one record is current at a time. One thread at a time.
 */
public final class RecordBuffer {
    private static final byte[] NOTHING = {};

    private final HeadMemory memory;
    private byte[] bytes = NOTHING;

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
        if (bytes.length < count) {
            final long doubled = Math.min(2L * bytes.length, memory.keptRecordBytes());
            release();
            final int size = (int) Math.max(count, doubled);
            memory.take(size);
            bytes = new byte[size];
        }
        return bytes;
    }

    /** The record is not needed any more: lets go an array that is too large to be kept. */
    public void leave() {
        if (bytes.length > memory.keptRecordBytes()) {
            release();
        }
    }

    /** Lets the array go. The buffer may be used again. */
    public void release() {
        memory.release(bytes.length);
        bytes = NOTHING;
    }
}
