// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.file;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;
import io.spillway.transport.FetchReply;

/**
 * What a node knows of neighbouring segments of one run of a map output. Immutable.
 *
 * @param first the partition of the first of them
 * @param partitions of the whole run
 * @param runs of how many runs the output is
 * @param entries where the segments lie
 * @param checksums of their blocks; null where the map wrote none
 * @param counts their records
 */
public record IndexPage(
        int first,
        int partitions,
        int runs,
        MapOutputIndex entries,
        BlockChecksums checksums,
        RecordCounts counts) {
    /** Whether a segment is one of them. */
    public boolean has(final int partition) {
        return partition >= first && partition < end();
    }

    /** The partition behind the last of them. */
    public int end() {
        return first + entries.partitions();
    }

    /** Where one of the segments lies. */
    public IndexEntry entry(final int partition) {
        return entries.get(partition - first);
    }

    /** The records of one of the segments, or {@link RecordCounts#UNKNOWN}. */
    public long records(final int partition) {
        return counts.of(partition - first);
    }

    /** The CRC32C of a piece of one of the segments, or {@link FetchReply#NO_CHECKSUM}. */
    public long checksum(final int partition, final long offset, final int length) {
        return checksums == null
                ? FetchReply.NO_CHECKSUM
                : checksums.of(partition - first, entry(partition).partLength(), offset, length);
    }

    /** The bytes of memory that it takes. */
    public long memory() {
        return MapOutputIndex.encodedLength(entries.partitions())
                + (checksums == null ? 0 : checksums.memory())
                + counts.memory();
    }
}
