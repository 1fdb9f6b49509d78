// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.engine.reduce.memory.Chunk;
import java.nio.file.Path;
import java.util.List;

/**
 * Where a segment that comes over stock HTTP goes: into chunks that hold all of it, into a file
 * through one chunk, or nowhere.
 *
 * @param chunks the memory; the receiver's until it hands the placement back
 * @param file the file, or null for memory
 * @param pieces what was written to the file; the receiver's as the chunks are
 */
public record SegmentPlacement(List<Chunk> chunks, Path file, WrittenPieces pieces) {
    /** There is no room now: the bytes are read over, and the segment is fetched again. */
    public static final SegmentPlacement NOWHERE = new SegmentPlacement(List.of(), null, null);

    public boolean isNowhere() {
        return chunks.isEmpty();
    }
}
