// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.spi.RunCombiner;
import io.spillway.ifile.VInts;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a sorted run in IFile encoding into chunks; records may lie across their borders. One
 * thread.
 */
final class RunWriter implements RunCombiner.Sink {
    private final MergeMemory memory;
    private final List<Chunk> chunks = new ArrayList<>();
    private final byte[] header = new byte[VInts.MAX_HEADER_LENGTH];
    private byte[] data = {};
    private int position;
    private int limit;
    private long records;

    RunWriter(final MergeMemory memory) {
        this.memory = memory;
    }

    /** Appends an encoded record: its two lengths, key and value. */
    void append(final byte[] record, final int offset, final int length) {
        copy(record, offset, length);
        records++;
    }

    @Override
    public void append(
            final byte[] key,
            final int keyOffset,
            final int keyLength,
            final byte[] value,
            final int valueOffset,
            final int valueLength) {
        final int keySize = VInts.write(header, 0, keyLength);
        copy(header, 0, VInts.write(header, keySize, valueLength));
        copy(key, keyOffset, keyLength);
        copy(value, valueOffset, valueLength);
        records++;
    }

    private void copy(final byte[] source, final int offset, final int length) {
        int from = offset;
        int left = length;
        while (left > limit - position) {
            final int piece = limit - position;
            System.arraycopy(source, from, data, position, piece);
            position = limit;
            from += piece;
            left -= piece;
            nextChunk();
        }
        System.arraycopy(source, from, data, position, left);
        position += left;
    }

    private void nextChunk() {
        fixLength();
        final Chunk next = memory.take();
        chunks.add(next);
        data = next.bytes();
        position = next.offset();
        limit = position + next.capacity();
    }

    private void fixLength() {
        if (!chunks.isEmpty()) {
            final Chunk last = chunks.get(chunks.size() - 1);
            last.length(position - last.offset());
        }
    }

    /** The records written so far. */
    long records() {
        return records;
    }

    /** Ends the run; gives the chunks it lies in, none when it has no records. */
    List<Chunk> end() {
        if (records == 0) {
            return List.of();
        }
        header[0] = VInts.END;
        header[1] = VInts.END;
        copy(header, 0, VInts.END_MARKER_LENGTH);
        fixLength();
        return chunks;
    }
}
