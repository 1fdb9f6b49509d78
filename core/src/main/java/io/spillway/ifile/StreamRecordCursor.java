package io.spillway.ifile;

import io.spillway.sort.RecordCursor;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Reads the records of a segment from a stream through a buffer of its own, which grows to the
 * largest record. One thread.
 *
 * <p>The buffer grows only as bytes really arrive: a corrupt length cannot make it larger than
 * twice what the stream holds.
 */
public final class StreamRecordCursor extends RecordCursor {
    private static final int MIN_BUFFER = 64;
    private static final int MAX_BUFFER = Integer.MAX_VALUE - 8;

    private final InputStream in;

    /**
     * Creates a cursor.
     *
     * @param in the segment's content: records and end marker; typically a {@link
     *     SegmentInputStream}, which then verifies the checksum before the run's end is reported;
     *     closed with the cursor
     * @param bufferBytes the buffer's first size
     */
    public StreamRecordCursor(final InputStream in, final int bufferBytes) {
        super();
        this.in = in;
        this.data = new byte[Math.max(MIN_BUFFER, bufferBytes)];
    }

    @Override
    protected boolean ensure(final int count) throws IOException {
        if (limit - position >= count) {
            return true;
        }
        moveToFront();
        while (limit < count) {
            if (limit == data.length) {
                data = Arrays.copyOf(data, (int) Math.min(2L * data.length, MAX_BUFFER));
            }
            final int read = in.read(data, limit, data.length - limit);
            if (read < 0) {
                return false;
            }
            limit += read;
        }
        return true;
    }

    private void moveToFront() {
        System.arraycopy(data, position, data, 0, limit - position);
        limit -= position;
        position = 0;
    }

    @Override
    protected void onEnd() throws IOException {
        if (position != limit || in.read() >= 0) {
            throw new IOException("Corrupt run: bytes after the end marker, expected none");
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
