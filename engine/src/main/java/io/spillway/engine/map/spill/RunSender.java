// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.engine.map.remote.RemoteSink;
import io.spillway.engine.spi.SortedSpill;
import io.spillway.ifile.IndexEntry;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.util.Progressable;

/**
 * Sends spills to other nodes as they are: each becomes a run of the output. Reducers verify what
 * they fetch by checksums of what was sent; so what is read here is checked against those of what
 * was spilled. One thread.
 */
final class RunSender {
    private static final int BUFFER_BYTES = 64 << 10;

    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final Progressable progress;

    RunSender(final Progressable progress) {
        this.progress = progress;
    }

    /**
     * Sends a spill that has checksums.
     *
     * @throws IOException when it cannot be read or is damaged; as the sink throws it, when a node
     *     has failed
     */
    void send(final SortedSpill spill, final RemoteSink sink) throws IOException {
        try (InputStream in = spill.data().open(0, spill.data().length())) {
            for (int partition = 0; partition < spill.index().partitions(); partition++) {
                final IndexEntry entry = spill.index().get(partition);
                copy(in, entry.partLength(), sink);
                requireSound(spill, partition, entry, endSegment(spill, partition, sink));
                progress.progress();
            }
        }
        sink.endRun();
    }

    private static int endSegment(
            final SortedSpill spill, final int partition, final RemoteSink sink) {
        return sink.endSegment(spill.index().get(partition), spill.counts().of(partition));
    }

    private void copy(final InputStream in, final long length, final RemoteSink sink)
            throws IOException {
        long left = length;
        while (left > 0) {
            final int count = in.read(buffer, 0, (int) Math.min(left, buffer.length));
            if (count < 0) {
                throw new EOFException("a spill ends " + left + " bytes early");
            }
            sink.write(buffer, 0, count);
            left -= count;
        }
    }

    private static void requireSound(
            final SortedSpill spill, final int partition, final IndexEntry entry, final int found)
            throws IOException {
        final int expected = spill.checksums().ofSegment(partition, entry.partLength());
        if (found != expected) {
            throw new IOException(
                    String.format(
                            "Damaged spill in tier %s: CRC32C of partition %d is %08x, expected"
                                    + " %08x",
                            spill.data().store(), partition, found, expected));
        }
    }
}
