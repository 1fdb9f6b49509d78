// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkSource;
import io.spillway.engine.spi.SegmentForm;
import java.io.IOException;

/**
 * Reads a segment that was put out of memory back through one chunk, and verifies it again. Task
 * thread.
 */
public final class FileSource implements ChunkSource {
    private final StoredBytes stored;
    private final long partLength;
    private final SegmentForm form;
    private final Chunk buffer;
    private final WrittenPieces pieces;
    private final SegmentChecksum checksum;

    /**
     * Creates a source.
     *
     * @param stored belongs to the source from here on
     * @param partLength the segment's length
     * @param form of the stored segment
     * @param buffer what the segment is read through
     * @param pieces what was written, in pieces of the buffer's capacity
     */
    public FileSource(
            final StoredBytes stored,
            final long partLength,
            final SegmentForm form,
            final Chunk buffer,
            final WrittenPieces pieces) {
        this.stored = stored;
        this.partLength = partLength;
        this.form = form;
        this.buffer = buffer;
        this.pieces = pieces;
        this.checksum = new SegmentChecksum(partLength, form);
    }

    @Override
    public long totalBytes() {
        return form.handedOn(partLength);
    }

    @Override
    public Chunk next() throws IOException {
        while (checksum.seen() < partLength) {
            final int count = (int) Math.min(buffer.capacity(), partLength - checksum.seen());
            stored.read(checksum.seen(), buffer.bytes(), buffer.offset(), count);
            verify(count);
            final int content = checksum.update(buffer.bytes(), buffer.offset(), count);
            verifyAtEnd();
            if (content > 0) {
                buffer.length(content);
                return buffer;
            }
        }
        return null;
    }

    private void verify(final int count) throws IOException {
        try {
            pieces.verify(checksum.seen(), buffer.bytes(), buffer.offset(), count);
        } catch (final IOException e) {
            throw new IOException("Checksum error in " + stored + ": " + e, e);
        }
    }

    private void verifyAtEnd() throws IOException {
        if (checksum.seen() == partLength && !checksum.matches()) {
            throw new IOException("Checksum error in " + stored);
        }
    }

    @Override
    public void release(final Chunk chunk) {
        // The one chunk is read into again.
    }

    @Override
    public void close() {
        stored.close();
    }
}
