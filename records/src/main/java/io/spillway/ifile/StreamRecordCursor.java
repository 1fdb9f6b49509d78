// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Reads the records of a segment from a stream through a buffer of its own. One thread.
 *
 * <p>Alone, the buffer grows to the largest record, and only as bytes really arrive: a corrupt
 * length cannot make it larger than twice what the stream holds.
 *
 * <p>In a merge that shares a {@link RecordBuffer}, the buffer stays as it is: a key that does not
 * fit in it is claimed from the merge's memory, and a record that does not is read on into the
 * shared buffer when its turn has come.
 */
public final class StreamRecordCursor extends RecordCursor {
    private static final int MIN_BUFFER = 64;
    private static final int MAX_BUFFER = Integer.MAX_VALUE - 8;

    private final InputStream in;

    /** The current record is made whole in it; null for a cursor of its own. */
    private final RecordBuffer records;

    /** The bytes that the stream holds at most. */
    private final long mostBytes;

    private final int ownBytes;

    /** What the stream's decoder and the own buffer are claimed as; 0 where nothing is. */
    private final int decoderBytes;

    /** Null before the first record is asked for. */
    private byte[] own;

    /** What the present array has claimed; 0 where it is the cursor's own or the shared one. */
    private int claimed;

    /**
     * Creates a cursor.
     *
     * @param in the segment's content: records and end marker; typically a {@link
     *     SegmentInputStream}, which then verifies the checksum before the run's end is reported;
     *     closed with the cursor
     * @param bufferBytes the buffer's first size
     */
    public StreamRecordCursor(final InputStream in, final int bufferBytes) {
        this(in, bufferBytes, null, Long.MAX_VALUE, 0);
    }

    /**
     * Creates a cursor of a merge with bounded memory.
     *
     * @param bufferBytes the size of its own buffer
     * @param records shared by the merge's runs
     * @param mostBytes what the stream holds: a longer record is corrupt, and not allocated
     * @param decoderBytes what an open stream takes with the cursor's own buffer, claimed from the
     *     merge's memory before the first read; 0 where that is not accounted for
     */
    public StreamRecordCursor(
            final InputStream in,
            final int bufferBytes,
            final RecordBuffer records,
            final long mostBytes,
            final int decoderBytes) {
        super();
        this.in = in;
        this.records = records;
        this.mostBytes = mostBytes;
        this.ownBytes = Math.max(MIN_BUFFER, bufferBytes);
        this.decoderBytes = decoderBytes;
    }

    private void open() throws HeadMemoryException {
        if (decoderBytes > 0) {
            records.memory().claimDecoder(decoderBytes);
        }
        own = new byte[ownBytes];
        data = own;
    }

    @Override
    protected int mostEagerBytes() {
        return records == null ? Integer.MAX_VALUE : ownBytes;
    }

    @Override
    protected boolean ensure(final int count) throws IOException {
        if (own == null) {
            open();
        }
        if (limit - position >= count) {
            return true;
        }
        if (records == null) {
            moveToFront(data);
            return fillGrowing(count);
        }
        if (count <= ownBytes) {
            useOwn();
            return fill(count, ownBytes);
        }
        if (count > mostBytes) {
            return false;
        }
        claim(count);
        return fill(count, count);
    }

    @Override
    protected boolean ensureRecord(final int count) throws IOException {
        if (records == null || count <= ownBytes || limit - position >= count) {
            return ensure(count);
        }
        if (count > mostBytes) {
            return false;
        }
        final byte[] target = records.take(count);
        moveToFront(target);
        unclaim();
        return fill(count, count);
    }

    /** Goes back to the cursor's own buffer, in which all bytes at hand have room. */
    private void useOwn() {
        moveToFront(own);
        unclaim();
        records.leave();
    }

    /** Takes an array of the head's size. What is at hand is less than the own buffer holds. */
    private void claim(final int count) throws HeadMemoryException {
        useOwn();
        records.claim(count);
        moveToFront(new byte[count]);
        claimed = count;
    }

    private void unclaim() {
        if (claimed > 0) {
            records.memory().release(claimed);
            claimed = 0;
        }
    }

    private boolean fillGrowing(final int count) throws IOException {
        while (limit < count) {
            if (limit == data.length) {
                data = Arrays.copyOf(data, (int) Math.min(2L * data.length, MAX_BUFFER));
            }
            if (!read(data.length)) {
                return false;
            }
        }
        return true;
    }

    /** Reads at least so many bytes, and none beyond {@code most}. */
    private boolean fill(final int count, final int most) throws IOException {
        while (limit < count) {
            if (!read(most)) {
                return false;
            }
        }
        return true;
    }

    private boolean read(final int most) throws IOException {
        final int count = in.read(data, limit, most - limit);
        if (count < 0) {
            return false;
        }
        limit += count;
        return true;
    }

    private void moveToFront(final byte[] target) {
        System.arraycopy(data, position, target, 0, limit - position);
        data = target;
        limit -= position;
        position = 0;
    }

    @Override
    public long heldBytes() {
        return own == null ? 0 : (long) claimed + decoderBytes;
    }

    @Override
    protected void onEnd() throws IOException {
        if (position != limit || in.read() >= 0) {
            throw new IOException("Corrupt run: bytes after the end marker, expected none");
        }
    }

    @Override
    public void close() throws IOException {
        unclaim();
        if (own != null && decoderBytes > 0) {
            records.memory().releaseDecoder(decoderBytes);
            own = null;
        }
        in.close();
    }
}
