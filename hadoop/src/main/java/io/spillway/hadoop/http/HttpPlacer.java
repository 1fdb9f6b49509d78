// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.http;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.memory.Claim;
import io.spillway.engine.reduce.segment.FileBytes;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.segment.SegmentLengths;
import io.spillway.engine.reduce.segment.SegmentPlacement;
import io.spillway.engine.reduce.segment.WrittenPieces;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.settings.ShuffleSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Finds room for segments that come over stock HTTP: in memory while the whole segment fits, else
 * on local disk. Owned by the loop's thread.
 */
final class HttpPlacer {
    private final ShuffleSettings settings;
    private final MapOutputFile localFiles;
    private final ShuffleLoop loop;
    private final ChunkPool pool;

    /** The files that are being written. */
    private final Map<SegmentFetch, Path> partialFiles = new HashMap<>();

    HttpPlacer(
            final ShuffleSettings settings,
            final MapOutputFile localFiles,
            final ShuffleLoop loop,
            final ChunkPool pool) {
        this.settings = settings;
        this.localFiles = localFiles;
        this.loop = loop;
        this.pool = pool;
    }

    /** Places a segment of checked lengths; nowhere when it is of no use, or there is no room. */
    SegmentPlacement place(final SegmentFetch fetch, final SegmentLengths lengths) {
        if (fetch.isDropped()) {
            return SegmentPlacement.NOWHERE;
        }
        pool.limit(settings.chunksBeside(lengths.raw()));
        final Claim claim = fetch.claim;
        final int wanted = settings.chunksFor(lengths.part());
        pool.demand(claim, wanted);
        if (pool.commitWhole(claim)) {
            fetch.learn(lengths);
            final List<Chunk> chunks = new ArrayList<>(wanted);
            for (int i = 0; i < wanted; i++) {
                chunks.add(pool.take(claim));
            }
            return new SegmentPlacement(chunks, null, null);
        }
        pool.demand(claim, 1);
        if (!pool.canTake(claim)) {
            pool.restart(claim);
            return SegmentPlacement.NOWHERE;
        }
        return placeOnDisk(fetch, lengths);
    }

    private SegmentPlacement placeOnDisk(final SegmentFetch fetch, final SegmentLengths lengths) {
        try {
            final Path file = localFile(fetch, lengths.part());
            fetch.learn(lengths);
            partialFiles.put(fetch, file);
            final Chunk chunk = pool.take(fetch.claim);
            return new SegmentPlacement(List.of(chunk), file, new WrittenPieces(chunk.capacity()));
        } catch (final IOException e) {
            loop.fail(e);
            return SegmentPlacement.NOWHERE;
        }
    }

    private Path localFile(final SegmentFetch fetch, final long part) throws IOException {
        final TaskAttemptID attempt = TaskAttemptID.forName(fetch.attempt.name());
        final String path =
                localFiles.getInputFileForWrite(attempt.getTaskID(), part).toUri().getPath();
        return Path.of(path + "." + attempt.getId() + ".spillway");
    }

    /** The segment is where it was placed. */
    void filled(final SegmentFetch fetch) {
        partialFiles.remove(fetch);
    }

    /** What was placed is of no use: frees its room. */
    void release(final SegmentFetch fetch, final SegmentPlacement placement) {
        placement.chunks().forEach(chunk -> pool.giveBack(fetch.claim, chunk));
        if (placement.file() != null) {
            partialFiles.remove(fetch);
            FileBytes.delete(placement.file());
        }
    }

    /** Deletes every file that is not handed on. */
    void close() {
        partialFiles.values().forEach(FileBytes::delete);
        partialFiles.clear();
    }
}
