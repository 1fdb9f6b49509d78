// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.ifile.RecordCursor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges in memory that were cut. Neither part is merged ahead any more: equal keys may lie in
 * both, and no other records of theirs may come in between. Written by the loop's thread while
 * copying; read by any thread after that.
 */
final class CutMerges {
    private static final Logger LOG = LoggerFactory.getLogger(CutMerges.class);

    /**
     * One that was cut.
     *
     * @param run what was written; empty when nothing was
     * @param rest what the inputs have left, to be read after the run where keys are equal
     */
    private record Cut(MemoryRun run, QueueCursor rest) {}

    private final List<Cut> cuts = new ArrayList<>();
    private long bytes;

    /** Whether the rests have found an owner: the last merge, or none. */
    private final AtomicBoolean restsTaken = new AtomicBoolean();

    void add(final MemoryRun run, final QueueCursor rest, final long restBytes) {
        cuts.add(new Cut(run, rest));
        bytes += run.rawLength() + restBytes;
    }

    /** The bytes of both parts of all. */
    long bytes() {
        return bytes;
    }

    /** What was written and has records. */
    List<MemoryRun> runs() {
        return cuts.stream().map(Cut::run).filter(run -> !run.isEmpty()).toList();
    }

    /** What the inputs have left: the caller's, the first time; none later. */
    List<PlacedCursor> takeRests() {
        return restsTaken.compareAndSet(false, true)
                ? cuts.stream().map(cut -> new PlacedCursor(cut.run().first(), cut.rest())).toList()
                : List.of();
    }

    /** Closes the rests, unless they were taken. */
    void close() {
        if (restsTaken.compareAndSet(false, true)) {
            cuts.forEach(cut -> close(cut.rest()));
        }
    }

    static void close(final RecordCursor cursor) {
        try {
            cursor.close();
        } catch (final IOException e) {
            LOG.warn("Cannot close what a merge in memory has left", e);
        }
    }
}
