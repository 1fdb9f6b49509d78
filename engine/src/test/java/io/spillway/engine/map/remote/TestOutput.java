// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.remote;

import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.SegmentWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.ObjLongConsumer;

/**
 * A map output that a seed decides: some partitions are empty, some have a few records, some more
 * than several blocks.
 *
 * @param seed of the records
 * @param partitions the number of them
 * @param blockLength the bytes of a block
 */
record TestOutput(long seed, int partitions, int blockLength) {
    private static final int LONGEST_RECORD = 3_000;

    /** What a local file gets. */
    static final class Local {
        private final byte[] file;
        private final List<IndexEntry> index;

        Local(final byte[] file, final List<IndexEntry> index) {
            this.file = file;
            this.index = List.copyOf(index);
        }

        long length() {
            return file.length;
        }

        long rawLength(final int partition) {
            return index.get(partition).rawLength();
        }

        byte[] segment(final int partition) {
            final IndexEntry entry = index.get(partition);
            final int start = (int) entry.startOffset();
            return Arrays.copyOfRange(file, start, start + (int) entry.partLength());
        }
    }

    /** Writes the records, segment after segment, as a map does. */
    void writeTo(final OutputStream out, final ObjLongConsumer<IndexEntry> segmentEnd)
            throws IOException {
        final Random random = new Random(seed);
        try (SegmentWriter writer = new SegmentWriter(out, null, blockLength)) {
            for (int partition = 0; partition < partitions; partition++) {
                long left = length(random);
                while (left > 0) {
                    final byte[] record = new byte[1 + random.nextInt(LONGEST_RECORD)];
                    random.nextBytes(record);
                    writer.append(record, 0, 1, record, 1, record.length - 1);
                    left -= record.length;
                }
                final IndexEntry entry = writer.endSegment();
                segmentEnd.accept(entry, writer.lastCount());
            }
        }
    }

    private long length(final Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextInt(100);
            case 2 -> blockLength - 200 + random.nextInt(400);
            default -> random.nextInt(Math.min(5 * blockLength, 2_000_000 / partitions + 1));
        };
    }

    Local local() throws IOException {
        final ByteArrayOutputStream file = new ByteArrayOutputStream();
        final List<IndexEntry> index = new ArrayList<>();
        writeTo(file, (entry, records) -> index.add(entry));
        return new Local(file.toByteArray(), index);
    }
}
